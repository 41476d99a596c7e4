"""Append-only files that survive a kill and report damage."""

import os
import threading

import pytest

from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.engine.recording import journal as journals
from pipelines.engine.recording.journal import Journal
from pipelines.engine.recording.lines import encode_line
from tests import patience

A, B, C = ({"id": name} for name in "abc")


def reopened(path):
    journal = Journal(path)
    journal.close()
    return records(journal)


def records(journal):
    return [record for _, record in journal.entries()]


def test_appended_records_are_read_when_the_file_is_opened_again(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.append({"id": "ä", "text": "line\u2028separator\nand \ud800 alone"})
    journal.append({"id": "b"})
    journal.close()
    assert reopened(tmp_path / "j.jsonl") == [{"id": "ä", "text": "line\u2028separator\nand \ud800 alone"}, {"id": "b"}]


def test_a_torn_last_line_is_removed_and_the_next_one_is_a_line_of_its_own(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode_line(A) + encode_line(B)[:12])
    journal = Journal(path)
    assert (records(journal), journal.damage) == ([A], "")
    journal.append(C)
    journal.close()
    assert path.read_bytes() == encode_line(A) + encode_line(C)
    assert [file.name for file in tmp_path.iterdir()] == ["j.jsonl"]


def test_a_whole_line_without_its_line_break_is_kept(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode_line(A) + encode_line(B)[:-1])
    assert reopened(path) == [A, B]
    assert path.read_bytes() == encode_line(A) + encode_line(B)


def test_a_fresh_file_has_no_records(tmp_path):
    assert reopened(tmp_path / "j.jsonl") == []


def test_a_damaged_line_is_left_out_and_reported_and_the_damaged_file_is_kept(tmp_path):
    path = tmp_path / "j.jsonl"
    before = encode_line(A) + encode_line(B).replace(b"b", b"x", 1) + encode_line(C)
    path.write_bytes(before)
    journal = Journal(path, consequence="its reply is asked again")
    assert journal.damage == (
        "j.jsonl: line 2 is damaged (its checksum is wrong): its reply is asked again; "
        "the file as it was is kept as j.jsonl.damaged-1"
    )
    assert [(journal.read(place), record) for place, record in journal.entries()] == [(A, A), (C, C)]
    journal.close()
    assert (tmp_path / "j.jsonl.damaged-1").read_bytes() == before
    assert path.read_bytes() == encode_line(A) + encode_line(C)
    assert Journal(path).damage == ""


def test_damage_of_a_line_end_loses_nothing_and_is_reported(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(encode_line(A)[:-1] + b"\x0b" + encode_line(B) + encode_line(C))
    journal = Journal(path)
    assert records(journal) == [A, B, C]
    assert journal.damage.startswith("j.jsonl: the end of line 1 was damaged and is repaired, nothing is lost")
    journal.append(A)
    journal.close()
    assert path.read_bytes() == b"".join(map(encode_line, (A, B, C, A)))


def test_several_damaged_lines_are_counted_and_earlier_copies_stay(tmp_path):
    path = tmp_path / "j.jsonl"
    for number, message in ((2, "lines 1 and 2 are damaged"), (9, "lines 1, 2, 3, 4, 5 and 4 more are damaged")):
        path.write_bytes(b"{}\n" * number)
        journal = Journal(path)
        assert message in journal.damage
        journal.close()
    assert sorted(file.name for file in tmp_path.glob("*damaged*")) == ["j.jsonl.damaged-1", "j.jsonl.damaged-2"]


def test_a_record_that_could_not_be_read_again_is_not_written(tmp_path):
    journal = Journal(tmp_path / "j.jsonl", lambda record: checked_json.check(record, {"id": checked_json.text}))
    with pytest.raises(UserError, match=r"cannot be written to j\.jsonl: the field 'id' has an invalid value"):
        journal.append({"id": 1})
    journal.close()
    assert (tmp_path / "j.jsonl").read_bytes() == b""


def test_a_record_is_read_again_from_its_position(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    places = [journal.append({"id": name}) for name in ("ä", "b")]
    assert [journal.read(place) for place in places] == [{"id": "ä"}, {"id": "b"}]
    journal.close()
    again = Journal(tmp_path / "j.jsonl")
    assert [place for place, _ in again.entries()] == places
    assert again.read(again.append({"id": "c"})) == {"id": "c"}
    again.close()
    (tmp_path / "j.jsonl").write_text("")
    with pytest.raises(UserError, match=r"j\.jsonl was changed while the run used it"):
        again.read(places[1])


def test_no_line_waits_for_a_disk_that_is_busy(tmp_path, monkeypatch):
    busy, free = threading.Event(), threading.Event()

    def slow(handle):
        busy.set()
        assert free.wait(patience.SECONDS)

    monkeypatch.setattr(journals, "SYNC_SECONDS", -1.0)
    journal = Journal(tmp_path / "j.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", slow)
        journal.append(A)
        assert busy.wait(patience.SECONDS)
        journal.append(B)  # while the disk is busy
        assert (tmp_path / "j.jsonl").read_bytes() == encode_line(A) + encode_line(B)
        free.set()
        journal.close()


def test_a_line_is_on_the_disk_soon_even_if_none_comes_after_it(tmp_path, monkeypatch):
    synced, fsync = threading.Event(), os.fsync
    monkeypatch.setattr(journals, "SYNC_SECONDS", 0.01)
    journal = Journal(tmp_path / "j.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda handle: (fsync(handle), synced.set()))
        journal.append(A)
        assert synced.wait(patience.SECONDS)
    journal.close()


def test_a_failing_disk_is_reported_when_the_next_line_is_written_and_at_the_end(tmp_path, monkeypatch):
    failed = threading.Event()

    def fails(handle):
        failed.set()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journals, "SYNC_SECONDS", -1.0)
    journal = Journal(tmp_path / "j.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        journal.append(A)
        assert failed.wait(patience.SECONDS)
        patience.until(lambda: journal._syncing is None, "its thread has ended")
        with pytest.raises(OSError, match="No space left"):
            journal.append(B)
    with pytest.raises(OSError, match="No space left"):
        journal.close()
    assert journal._file.closed
