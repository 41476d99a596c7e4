"""Replies that runs share where the user asks for it (`reply_cache`): one SQLite file, written to by any of them.

It is `replies/replies-1.sqlite` under the folder that the environment variable LONGDOC_CACHE names (default
`~/.cache/longdoc`), readable by the user alone, and may be deleted while no run uses it. A reply takes the bytes of its
line in `requests.jsonl`. Nothing is ever removed.

Several processes may use it at once. Its journal is SQLite's rollback journal, since WAL cannot be shared through
network file systems. Each row has a checksum. A row that is damaged is asked for again; a file that is damaged is
named, kept under another name, and a new one is begun. A file that cannot be used (locked, full disk) is named, and the
run goes on without it; one that can be read, but not written to, is read.
"""

import errno
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from longdoc import caches, record_checks
from longdoc.errors import UserError
from longdoc.record_checks import Malformed
from longdoc.visible import note
from models.requests import Reply
from pipelines.engine.recording import request_log
from pipelines.engine.recording.lines import decode_line, encode_line

NAME = "replies-1.sqlite"
FLUSH_SECONDS = 1.0  # between two transactions; what a kill loses is still in the run's own log
BUSY_SECONDS = 30.0
NO_ROOM_NUMBERS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
)  # nor the right to write
UNWRITABLE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)  # the last: other tables than ours
TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, line BLOB NOT NULL) WITHOUT ROWID"

Origin = Mapping[str, str]  # what a reply was made with: versions, device, day


class SharedReplies:
    """The replies by key, each with what it was made with. Thread-safe. Raises `UserError` for an impossible folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._lock = Lock()
        self._pending: dict[str, bytes] = {}
        self._flushed = time.monotonic()
        self._said_names: set[str] = set()
        self._database: sqlite3.Connection | None = None
        self._adds = True
        try:
            caches.make(folder)
            self._open()
        except (OSError, sqlite3.Error) as error:
            problem = getattr(error, "strerror", None) or str(error)
            if _is_unwritable(error):
                self._only_read(folder, problem)
                return
            raise UserError(
                f"cannot keep replies in {folder}: {problem}; set LONGDOC_CACHE to a folder that can be written, "
                f"or leave reply_cache (--reply-cache) out"
            ) from None

    def get(self, key: str) -> tuple[Reply, Origin] | None:
        """The reply to a request, and what it was made with."""
        with self._lock:
            rows = self._execute("SELECT line FROM replies WHERE key = ?", [(key,)])
        if not rows:
            return None
        record = decode_line(bytes(rows[0][0]).removesuffix(b"\n"))
        try:
            if record is None or record.get("key") != key:
                raise Malformed("its checksum is wrong")
            request_log.check(record)
            record_checks.check(record, {"cached": record_checks.mapping(record_checks.text)})
        except Malformed as error:
            self.say(f"a reply in {self._path} is damaged ({error}); it is asked for again")
            return None
        return request_log.reply_of(record), record["cached"]

    def put(self, key: str, reply: Reply, values: Origin) -> None:
        """Keep a reply."""
        if not self._adds:
            return
        line = encode_line({"key": key} | request_log.logged(reply) | {"cached": dict(values)})
        with self._lock:
            self._pending[key] = line
            if time.monotonic() - self._flushed > FLUSH_SECONDS:
                self._flush()

    def say(self, line: str) -> None:
        """Print a line on stderr, once."""
        if line not in self._said_names:
            self._said_names.add(line)
            note(line)

    def close(self) -> None:
        """Write what is not written yet, and close the file."""
        with self._lock:
            self._flush()
            if self._database is not None:
                self._database.close()
                self._database = None

    def _flush(self) -> None:
        rows = list(self._pending.items())
        self._execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", rows)
        self._pending.clear()
        self._flushed = time.monotonic()

    def _execute(self, statement: str, rows: list[tuple[Any, ...]]) -> list[Any]:
        """Run a statement for each row in one transaction; the result of the last. Once more in a new file."""
        for last in (False, True):
            if self._database is None or not rows:
                return []
            try:
                with self._database:
                    return [self._database.execute(statement, row).fetchall() for row in rows][-1]
            except sqlite3.Error as error:
                if _is_damage(error) and not last and self._put_aside(error):
                    continue
                self._give_up(error)
        return []

    def _only_read(self, folder: Path, problem: str) -> None:
        """Use the replies that are there, if there are any, and add none."""
        self._adds, self._database = False, None
        with suppress(sqlite3.Error):
            database = sqlite3.connect(
                f"{self._path.absolute().as_uri()}?mode=ro", timeout=BUSY_SECONDS, check_same_thread=False, uri=True
            )
            try:
                database.execute("SELECT line FROM replies WHERE key = ''").fetchall()
                self._database = database
            finally:
                if self._database is None:
                    database.close()
        note = "those that are there are used" if self._database is not None else "the run goes on without them"
        self.say(
            f"replies cannot be kept in {folder} ({problem}): {note}; set LONGDOC_CACHE to a folder that can be written"
        )

    def _open(self) -> None:
        for last in (False, True):
            _make_private(self._path)
            self._database = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
            try:
                self._database.execute("PRAGMA synchronous=FULL")  # the default of most builds: a commit is on the disk
                with self._database:
                    self._database.execute(TABLE)
                    self._database.execute("SELECT line FROM replies WHERE key = ''").fetchall()
                return
            except sqlite3.Error as error:
                if last or not _is_damage(error):
                    raise
                self._keep_aside(error)

    def _put_aside(self, error: sqlite3.Error) -> bool:
        """Whether a new file was begun in place of a damaged one."""
        try:
            self._keep_aside(error)
            self._open()
        except (OSError, sqlite3.Error):
            return False
        return True

    def _keep_aside(self, error: sqlite3.Error) -> None:
        """Rename the file, unless another process has put a new one in its place."""
        from filelock import FileLock

        if self._database is not None:
            self._database.close()
            self._database = None
        with FileLock(self._path.with_name(".lock")):
            if not _is_whole(self._path):
                number = 1
                while (copy := self._path.with_name(f"{NAME}.damaged-{number}")).exists():
                    number += 1
                self._path.replace(copy)
                self.say(f"the cached replies in {self._path} are damaged ({error}): kept as {copy.name}, asked again")

    def _give_up(self, error: sqlite3.Error) -> None:
        self.say(f"the cached replies in {self._path} cannot be used ({error}): the run goes on without them")
        if self._database is not None:
            self._database.close()
            self._database = None


@contextmanager
def opened(is_wanted: bool) -> Iterator[SharedReplies | None]:
    """The shared replies where they are wanted. Raises `UserError`."""
    if not is_wanted:
        yield None
        return
    replies = SharedReplies(caches.own_folder(caches.home() / "replies"))
    try:
        yield replies
    finally:
        replies.close()


def _make_private(path: Path) -> None:
    """Make an empty file for the user alone; SQLite gives its journal the same rights.

    One that is there is not opened: closing it would take away the locks of other connections of this process.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    path.chmod(0o600)


def _is_unwritable(error: OSError | sqlite3.Error) -> bool:
    """Whether an error says that there is no room, or no right to write."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM_NUMBERS
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in UNWRITABLE


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is no whole database of ours, rather than locked or on a full disk."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in DAMAGED


def _is_whole(path: Path) -> bool:
    try:
        database = sqlite3.connect(path, timeout=BUSY_SECONDS)
        try:
            sound: bool = database.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            database.execute("SELECT key, line FROM replies LIMIT 1").fetchall()
        finally:
            database.close()
    except sqlite3.Error:
        return False
    return sound
