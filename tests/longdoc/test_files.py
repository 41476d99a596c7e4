"""Files written atomically, by one process or several, and what is on the disk afterwards."""

import errno
import os
import re
import threading
from pathlib import Path

import pytest

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, finished_name, sync_folder, write_pieces, write_whole
from longdoc.folders import make_folder
from tests import patience
from tests.attacks.faults.file_events import watched

RANDOM = re.compile(r"\.[0-9a-f]{16}(?=\.tmp)")  # of the name of a temporary file


def test_of_two_writers_of_a_file_each_writes_all_of_it_and_the_last_one_stays(tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def slowly():
        yield b"first "
        begun.set()
        assert go_on.wait(patience.SECONDS)
        yield b"first"

    first = threading.Thread(target=write_pieces, args=(tmp_path, "report.html", slowly()))
    first.start()
    assert begun.wait(patience.SECONDS)
    second = threading.Thread(target=write_whole, args=(tmp_path, "report.html", "second"))
    second.start()
    clear_unfinished(tmp_path)  # as a run does that begins meanwhile
    second.join()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [finished_name(name) for name in names] == ["report.html", None]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "second"
    go_on.set()
    first.join()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "first first"


def test_what_a_killed_process_left_is_cleared(tmp_path):
    write_whole(tmp_path, "scores.json", "{}")
    (tmp_path / f".scores.json.{'0f' * 8}.tmp").write_text("x", encoding="utf-8")
    clear_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


def test_a_name_is_on_the_disk_before_the_function_returns(tmp_path):
    seen = []
    with watched(tmp_path, lambda event: seen.append(RANDOM.sub("", str(event)))):
        make_folder(tmp_path / "runs" / "a")
        write_whole(tmp_path / "runs" / "a", "run.json", "{}")
    assert [event for event in seen if event.startswith(("sync", "rename"))] == [
        f"sync {tmp_path.name}",
        "sync runs",
        "sync .run.json.tmp",
        "rename .run.json.tmp to run.json",
        "sync a",
    ]


@pytest.mark.parametrize(("number", "raised"), [(errno.EINVAL, False), (errno.EACCES, False), (errno.EIO, True)])
def test_a_file_system_that_cannot_sync_folders_is_left_alone_and_a_broken_one_is_not(
    tmp_path, monkeypatch, number, raised
):
    def fails(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "fsync", fails)
    if raised:
        with pytest.raises(OSError, match="Input/output error"):
            sync_folder(tmp_path)
    else:
        sync_folder(tmp_path)


def test_a_folder_that_is_replaced_meanwhile_is_named(tmp_path):
    def pieces():
        yield b"x"
        (tmp_path / "run").rename(tmp_path / "old")
        (tmp_path / "run").mkdir()

    (tmp_path / "run").mkdir()
    with pytest.raises(UserError, match=r"run was replaced or removed while report\.html was written: start it again"):
        write_pieces(tmp_path / "run", "report.html", pieces())


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path, "pipe", "words")
    assert os.read(reading, 100) == b"words"
    os.close(reading)
    with pytest.raises(UserError, match=r"pipe is a pipe or a socket that nobody reads: name another place"):
        write_whole(tmp_path, "pipe", "words")
    assert pipe.is_fifo()


def test_a_typed_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/file").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("inner/file")
    write_whole(tmp_path, "link", "new", is_typed=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "inner/file").read_text(encoding="utf-8") == "new"


def test_a_place_that_takes_no_files_is_refused():
    with pytest.raises(UserError, match=r"/proc/x\.md cannot be written there: name another place"):
        write_whole(Path("/proc"), "x.md", "words")
