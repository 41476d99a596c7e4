"""Files written atomically, invalid names of output folders, and locks with one holder."""

import errno
import os
import re
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import (
    clear_unfinished,
    expanded,
    finished_name,
    is_file,
    is_folder,
    make_folder,
    output_folder,
    sync_folder,
    write_pieces,
    write_whole,
)
from tests import patience
from tests.attacks.faults.file_events import watched

RANDOM = re.compile(r"\.[0-9a-f]{16}(?=\.tmp)")  # the random part of a temporary file's name


def test_two_writers_of_a_file_each_write_a_whole_file_and_the_later_one_remains(tmp_path):
    started, may_finish = threading.Event(), threading.Event()

    def slow_pieces():
        yield b"first "
        started.set()
        assert may_finish.wait(patience.SECONDS)
        yield b"first"

    first = threading.Thread(target=write_pieces, args=(tmp_path, "report.html", slow_pieces()))
    first.start()
    assert started.wait(patience.SECONDS)
    second = threading.Thread(target=write_whole, args=(tmp_path, "report.html", "second"))
    second.start()
    clear_unfinished(tmp_path)  # as another run does when it starts
    second.join()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [finished_name(name) for name in names] == ["report.html", None]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "second"
    may_finish.set()
    first.join()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "first first"


def test_temporary_files_of_a_killed_process_are_removed(tmp_path):
    write_whole(tmp_path, "scores.json", "{}")
    (tmp_path / f".scores.json.{'0f' * 8}.tmp").write_text("x", encoding="utf-8")
    clear_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


def test_a_name_is_on_the_disk_before_the_function_returns(tmp_path):
    events = []
    with watched(tmp_path, lambda event: events.append(RANDOM.sub("", str(event)))):
        make_folder(tmp_path / "runs" / "a")
        write_whole(tmp_path / "runs" / "a", "run.json", "{}")
    assert [event for event in events if event.startswith(("sync", "rename"))] == [
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
    def failing_fsync(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files.os, "fsync", failing_fsync)
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


def test_a_typed_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/file").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("inner/file")
    write_whole(tmp_path, "link", "new", is_typed=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "inner/file").read_text(encoding="utf-8") == "new"


def test_a_folder_in_which_no_file_can_be_made_is_refused():
    with pytest.raises(UserError, match=r"/proc/x\.md cannot be written there: name another place"):
        write_whole(Path("/proc"), "x.md", "words")


def test_an_existing_or_possible_folder_is_accepted(tmp_path: Path) -> None:
    assert output_folder(tmp_path) == tmp_path
    assert output_folder(str(tmp_path / "new" / "below")) == tmp_path / "new" / "below"
    assert output_folder(tmp_path / ("x" * 255)).name == "x" * 255


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("x" * 256, "a name in it has more than 255 bytes"),
        ("missing/" + "é" * 128, "a name in it has more than 255 bytes"),
        ("/".join(["x" * 200] * 30), "File name too long"),
        ("a\0b", "a name in it has a zero byte"),
        ("file/below", "file is a file"),
        ("file/below/that", "file is a file"),
        ("loop/below", "Too many levels of symbolic links"),
    ],
)
def test_an_impossible_folder_name_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("words")
    Path("loop").symlink_to("loop")
    with pytest.raises(UserError) as refused:
        output_folder(name)
    shown = name if len(name) <= 100 else f"{name[:100]}…"
    assert str(refused.value) == f"out={shown!r} cannot be a folder ({problem}): name another one"


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="this system has no /proc, where no folder can be made")
def test_a_folder_that_cannot_be_made_is_refused_in_a_line() -> None:
    with pytest.raises(
        UserError, match=r"^out='/proc/x/y' cannot be a folder \(No such file or directory\): name another"
    ):
        make_folder(Path("/proc/x/y"))


def test_the_home_folder_of_an_unknown_user_is_refused() -> None:
    assert expanded("~") == Path.home()
    assert expanded("a/~b") == Path("a/~b")
    with pytest.raises(
        UserError, match=r"'~nobody-here/x' names a home folder that does not exist here: write the path out"
    ):
        expanded("~nobody-here/x")


def test_an_impossible_name_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert not any(map(is_folder, ("x" * 300, "a\0b", str(tmp_path / "none"))))
    assert not any(map(is_file, (Path("x" * 300), Path("a\0b"), tmp_path)))


def test_a_lock_has_one_holder(tmp_path):
    lock = files.locked(tmp_path)
    assert files.is_locked(tmp_path)
    assert files.locked(tmp_path) is None
    lock.release()
    assert not files.is_locked(tmp_path)
    files.locked(tmp_path).release()


def test_a_process_that_only_checks_a_lock_does_not_keep_others_from_it(tmp_path):
    check = FileLock(tmp_path / ".lock", thread_local=False)
    check.acquire()
    threading.Timer(0.1, check.release).start()
    lock = files.locked(tmp_path)
    assert lock is not None
    lock.release()


def test_a_folder_without_a_lock_is_free_and_gets_none(tmp_path):
    assert not files.is_locked(tmp_path)
    assert list(tmp_path.iterdir()) == []
