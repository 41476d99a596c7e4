"""How far reading and encoding is, where nobody can see a bar."""

import logging
from pathlib import Path

import pytest

from longdoc import messages
from models.encoding_progress import Encoding, watcher
from pipelines.plugins.ask.indexing import index_progress
from pipelines.plugins.ask.indexing.index_progress import IndexProgress

FOLDER = Path("embeddings/a")


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass as the test says; each line is logged at once."""
    now = [0.0]
    monkeypatch.setattr(index_progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(messages.LogLines.__init__, "__defaults__", (lambda: 0.0, 0.0))
    monkeypatch.setattr(index_progress.terminal, "progress_bar", lambda *given: None)
    return now


def told(found, done):
    watch = watcher()
    assert watch is not None
    watch(Encoding(FOLDER, 100, found, done, 56))


def test_lines_have_the_rate_and_the_time_left(clock, log):
    log.set_level(logging.INFO, "longdoc.progress")
    with IndexProgress() as progress:
        clock[0] = 2.0
        progress.read(4, 8)
        told(found=20, done=20)
        clock[0] = 12.0
        told(found=20, done=60)
        clock[0] = 22.0
        told(found=20, done=100)
    assert log.messages == [
        "reading: 4 of 8 files, 2.0/s, about 2 s left",
        "encoding: 60 of 100 passages, 4.0/s, about 10 s left",
        "encoding: 100 of 100 passages, 4.0/s",
    ]


def test_what_was_encoded_and_what_was_kept_is_told_apart(clock):
    with IndexProgress() as progress:
        told(found=20, done=20)
        told(found=20, done=60)
        told(found=60, done=60)  # another call
        told(found=60, done=100)
    assert progress.computed == 80
    assert progress.encoded[str(FOLDER)].done == 100
    assert watcher() is None, "afterwards nobody watches"
