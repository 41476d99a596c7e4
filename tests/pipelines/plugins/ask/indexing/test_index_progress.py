"""The progress of reading and encoding, logged where there is no bar."""

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
    """Seconds that a test sets; each line is logged at once."""
    now = [0.0]
    monkeypatch.setattr(index_progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(messages.LogLines.__init__, "__defaults__", (lambda: 0.0, 0.0))
    monkeypatch.setattr(index_progress.terminal, "progress_bar", lambda *args: None)
    return now


def report_encoding(found, done):
    watch = watcher()
    assert watch is not None
    watch(Encoding(FOLDER, 100, found, done, 56))


def test_lines_have_the_rate_and_the_time_left(clock, log):
    log.set_level(logging.INFO, "longdoc.progress")
    with IndexProgress() as progress:
        clock[0] = 2.0
        progress.read(4, 8)
        report_encoding(found=20, done=20)
        clock[0] = 12.0
        report_encoding(found=20, done=60)
        clock[0] = 22.0
        report_encoding(found=20, done=100)
    assert log.messages == [
        "reading: 4 of 8 files, 2.0/s, about 2 s left",
        "encoding: 60 of 100 passages, 4.0/s, about 10 s left",
        "encoding: 100 of 100 passages, 4.0/s",
    ]


def test_passages_encoded_now_and_before_are_counted_apart(clock):
    with IndexProgress() as progress:
        report_encoding(found=20, done=20)
        report_encoding(found=20, done=60)
        report_encoding(found=60, done=60)  # another call
        report_encoding(found=60, done=100)
    assert progress.computed == 80
    assert progress.encoded[str(FOLDER)].done == 100
    assert watcher() is None, "afterwards nobody watches"
