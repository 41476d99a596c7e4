"""The recorder of file events, of which all the faults are made."""

import os
import re

import pytest

from longdoc.files import write_whole
from pipelines.engine.recording.journal import Journal
from tests.attacks.faults.file_events import watched

RANDOM_PART = re.compile(r"\.[0-9a-f]{16}(?=\.tmp)")  # of the name of a temporary file


def test_a_file_written_whole_is_created_written_synced_and_renamed(tmp_path):
    events = []
    with watched(tmp_path, lambda event: events.append(RANDOM_PART.sub("", str(event)))):
        write_whole(tmp_path, "scores.json", "{}\n")
    assert events[:4] == [
        "create .scores.json.tmp",
        "write .scores.json.tmp",
        "sync .scores.json.tmp",
        "rename .scores.json.tmp to scores.json",
    ]
    assert (tmp_path / "scores.json").read_text(encoding="utf-8") == "{}\n"


def test_lines_of_a_log_are_writes_at_their_positions(tmp_path):
    events = []
    with watched(tmp_path, events.append):
        log = Journal(tmp_path / "journal.jsonl")
        positions = [log.append({"id": name}) for name in ("a", "b")]
        log.close()
    writes = [event for event in events if event.kind == "write"]
    assert [event.position for event in writes] == positions
    assert b"".join(event.data for event in writes) == (tmp_path / "journal.jsonl").read_bytes()


def test_an_event_at_which_the_watcher_raises_does_not_happen(tmp_path):
    def refuse_renames(event):
        if event.kind == "rename":
            raise OSError(28, os.strerror(28))

    with watched(tmp_path, refuse_renames), pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path, "run.json", "{}")
    assert not (tmp_path / "run.json").exists()


def test_other_folders_are_not_watched(tmp_path):
    (tmp_path / "in").mkdir()
    events = []
    with watched(tmp_path / "in", events.append):
        (tmp_path / "out.txt").write_text("x", encoding="utf-8")
        (tmp_path / "in" / "a.txt").write_text("xy", encoding="utf-8")
    assert [str(event) for event in events] == ["create a.txt", "write a.txt"]
