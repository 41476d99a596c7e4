"""The file of replies that runs share: shared by processes, private, and never a wrong reply when it is damaged."""

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longdoc.errors import UserError
from models.requests import Reply
from pipelines.engine.inference import shared_replies
from pipelines.engine.inference.shared_replies import NAME, SharedReplies

MADE = {"longdoc": "1.0", "day": "2026-01-31"}
REPLY = Reply(
    "in Maÿ", 12, 3, 1, "length", thinking="…", cached_tokens=4, reasoning_tokens=2, served={"models": ("m",)}
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "replies"


@pytest.fixture
def replies(folder: Path) -> Iterator[SharedReplies]:
    made = SharedReplies(folder)
    yield made
    made.close()


def kept(folder: Path, *keys: str) -> None:
    first = SharedReplies(folder)
    for key in keys:
        first.put(key, REPLY, MADE)
    first.close()


def test_a_reply_is_given_back_whole_with_what_it_was_made_with(folder: Path) -> None:
    kept(folder, "k1")
    second = SharedReplies(folder)
    assert second.get("k1") == (REPLY, MADE)
    assert second.get("k2") is None
    second.close()


@pytest.mark.parametrize("value", ["text", ("a", "b"), -1.25, {"hero": 0.75, "villain": 0.25}])
def test_every_kind_of_value_is_kept(folder: Path, value: object) -> None:
    first = SharedReplies(folder)
    first.put("k", Reply(value), MADE)
    first.close()
    second = SharedReplies(folder)
    assert second.get("k") == (Reply(value), MADE)
    second.close()


def test_folder_and_file_are_for_the_user_alone(folder: Path) -> None:
    kept(folder, "k1")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600


def test_several_processes_write_at_once(folder: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from models.requests import Reply\n"
        "from pipelines.engine.inference import shared_replies\n"
        "shared_replies.FLUSH_SECONDS = 0.0\n"
        "replies = shared_replies.SharedReplies(pathlib.Path(sys.argv[1]))\n"
        "for i in range(40):\n"
        "    replies.put(f'{sys.argv[2]}-{i}', Reply(str(i)), {'longdoc': '1.0'})\n"
        "replies.close()\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(folder), name]) for name in ("a", "b", "c")]
    assert [process.wait() for process in started] == [0, 0, 0]
    found = SharedReplies(folder)
    values = [entry[0].value for name in "abc" for i in range(40) if (entry := found.get(f"{name}-{i}"))]
    found.close()
    assert values == [str(i) for i in range(40)] * 3


def test_a_damaged_row_is_named_and_asked_for_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(folder, "k1", "k2")
    database = sqlite3.connect(folder / NAME)
    line = database.execute("SELECT line FROM replies WHERE key = 'k1'").fetchone()[0]
    database.execute("UPDATE replies SET line = ? WHERE key = 'k1'", (line.replace(b"in Ma", b"in Mb"),))
    database.commit()
    database.close()
    found = SharedReplies(folder)
    assert found.get("k1") is None
    assert found.get("k2") == (REPLY, MADE)
    assert capsys.readouterr().err == (
        f"longdoc: a reply in {folder / NAME} is damaged (its checksum is wrong); it is asked for again\n"
    )
    found.put("k1", Reply("new"), MADE)
    found.close()
    again = SharedReplies(folder)
    assert again.get("k1") == (Reply("new"), MADE)
    again.close()


def test_a_row_under_another_key_is_not_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(folder, "k1")
    database = sqlite3.connect(folder / NAME)
    database.execute("UPDATE replies SET key = 'k2'")
    database.commit()
    database.close()
    found = SharedReplies(folder)
    assert found.get("k2") is None
    found.close()
    assert "is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside_and_a_new_one_begun(
    folder: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    kept(folder, "k1")
    (folder / NAME).write_bytes(content)
    found = SharedReplies(folder)
    assert found.get("k1") is None
    found.put("k1", REPLY, MADE)
    found.close()
    assert (folder / f"{NAME}.damaged-1").read_bytes() == content
    said = capsys.readouterr().err
    assert said.startswith(f"longdoc: the cached replies in {folder / NAME} are damaged (")
    assert said.endswith(f"): kept as {NAME}.damaged-1, asked again\n")
    again = SharedReplies(folder)
    assert again.get("k1") == (REPLY, MADE)
    again.close()


def test_a_file_that_is_damaged_while_it_is_used_is_put_aside(folder: Path, replies: SharedReplies) -> None:
    replies.put("k1", REPLY, MADE)
    replies.close()
    found = SharedReplies(folder)
    (folder / NAME).write_bytes(b"no database at all" * 1000)
    assert found.get("k1") is None
    found.put("k1", REPLY, MADE)
    found.close()
    again = SharedReplies(folder)
    assert again.get("k1") == (REPLY, MADE)
    again.close()


def test_tables_of_something_else_are_put_aside(folder: Path) -> None:
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / NAME)
    database.execute("CREATE TABLE replies (other TEXT)")
    database.commit()
    database.close()
    kept(folder, "k1")
    found = SharedReplies(folder)
    assert found.get("k1") == (REPLY, MADE)
    found.close()
    assert (folder / f"{NAME}.damaged-1").is_file()


def test_a_file_that_stays_locked_is_named_and_done_without(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(folder, "k1")
    monkeypatch.setattr(shared_replies, "BUSY_SECONDS", 0.01)
    found = SharedReplies(folder)
    other = sqlite3.connect(folder / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert found.get("k1") is None
    found.put("k2", REPLY, MADE)
    found.close()
    other.execute("ROLLBACK")
    other.close()
    assert capsys.readouterr().err == (
        f"longdoc: the cached replies in {folder / NAME} cannot be used (database is locked): "
        "the run goes on without them\n"
    )
    again = SharedReplies(folder)
    assert again.get("k1") == (REPLY, MADE)
    again.close()


@pytest.mark.parametrize("filled", [False, True])
def test_on_a_full_disk_the_run_goes_on_and_says_so_once(
    small_disk: Callable[[int], Path], capsys: pytest.CaptureFixture[str], filled: bool
) -> None:
    disk = small_disk(32)
    if filled:
        (disk / "other").write_bytes(bytes(28 * 1024))
    found = SharedReplies(disk / "replies")
    for number in range(200):
        found.put(f"k{number}", REPLY, MADE)
        found._flushed = 0  # as if a second had passed
    assert found.get("k199") is None
    found.close()
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "the run goes on without them" in told and "full" in told


def test_replies_in_a_folder_that_cannot_be_written_are_used(
    folder: Path, read_only: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    kept(folder, "k1")
    before = (folder / NAME).read_bytes()
    read_only(folder)
    found = SharedReplies(folder)
    assert found.get("k1") == (REPLY, MADE)
    found.put("k2", REPLY, MADE)
    found.close()
    assert (folder / NAME).read_bytes() == before
    told = capsys.readouterr().err
    assert told.startswith(f"longdoc: replies cannot be kept in {folder} (") and told.count("\n") == 1
    assert told.endswith("): those that are there are used; set LONGDOC_CACHE to a folder that can be written\n")


def test_without_replies_in_such_a_folder_the_run_goes_on(
    folder: Path, read_only: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    folder.parent.mkdir()
    read_only(folder.parent)
    found = SharedReplies(folder)
    found.put("k1", REPLY, MADE)
    assert found.get("k1") is None
    found.close()
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "the run goes on without them" in told


def test_a_folder_that_cannot_be_made_is_an_error_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot keep replies in .*: .*; set LONGDOC_CACHE to a folder that can be"):
        SharedReplies(tmp_path / "file" / "replies")


def test_a_file_is_whole_where_its_table_can_be_read(folder: Path, tmp_path: Path) -> None:
    kept(folder, "k1")
    assert shared_replies._is_whole(folder / NAME)
    assert not shared_replies._is_whole(tmp_path / "without_tables")
    (folder / NAME).write_bytes(b"SQLite format 3" + bytes(5_000))
    assert not shared_replies._is_whole(folder / NAME)
