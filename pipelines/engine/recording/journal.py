"""Append-only JSON Lines that survive a kill: a record is written before it is used.

A process that dies while it writes a line leaves the beginning of it, which is removed when the file is opened again.
Other damaged lines are found by their checksums (`lines`) and left out; the damaged file is kept under another name.
`journal.jsonl` (finished examples) and `requests.jsonl` (answered requests) are such files.
"""

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from longdoc.files import sync, sync_folder, unfinished
from longdoc.links import appended, refuse_link
from pipelines.engine.recording.damaged_copies import keep_copy
from pipelines.engine.recording.lines import Check, Line, Record, decode_line, dumps, encode_line, lines

__all__ = ["Journal", "dumps"]

SYNC_SECONDS = 1.0
MAX_SHOWN = 5  # line numbers in a message


class Journal:
    """An append-only file of records. No record is kept in memory. Thread-safe.

    `every_line` has fields that are added to each record without them. `check` raises `Malformed` for a record that
    lacks required fields. `damage` is a message on damaged lines, which ends with `consequence` for lost records; it is
    empty where nothing was damaged.
    """

    def __init__(self, path: Path, check: Check = lambda record: None, consequence: str = "left out") -> None:
        refuse_link(path)
        self.path, self._check = path, check
        self._size = 0  # bytes of the records that it had when it was opened
        self.every_line: Mapping[str, Any] = {}
        self.damage = self._open(consequence)
        self._lock = threading.Lock()
        self._reading: BinaryIO | None = None
        existed = path.exists()
        self._file = appended(path)
        self._error: OSError | None = None
        self._unsynced = existed  # a process that was killed may not have synced what it wrote
        self._synced = time.monotonic()
        self._syncing: threading.Thread | None = None
        self._closing = threading.Event()
        if existed:
            self.sync()
        else:
            sync_folder(path.parent)

    def append(self, record: Mapping[str, Any]) -> int:
        """Write one line and flush it to the operating system; within about a second it is on the disk.

        Returns the position of its first byte. Raises `UserError` for a record that could not be read again.
        """
        try:
            self._check(record)
        except Malformed as error:
            raise UserError(f"the output of a component cannot be written to {self.path.name}: {error}") from None
        line = encode_line(
            {**record, **{name: self.every_line[name] for name in self.every_line if name not in record}}
        )
        with self._lock:
            if self._error is not None:
                raise self._error
            position = self._file.tell()
            self._file.write(line)
            self._file.flush()
            self._unsynced = True
            if self._syncing is None:
                self._syncing = threading.Thread(target=self._sync_soon, name="fsync", daemon=True)
                self._syncing.start()
        return position

    def read(self, position: int) -> Record:
        """The record that begins at a position. Raises `UserError` if the file was changed meanwhile."""
        with self._lock:
            if self._reading is None:
                self._reading = self.path.open("rb")
            self._reading.seek(position)
            line = self._reading.readline()
            if self._file.closed:  # another run that shares the replies reads them after this run has closed its log
                self._reading.close()
                self._reading = None
        record = decode_line(line.removesuffix(b"\n"))
        if record is None:
            raise UserError(f"{self.path} was changed while the run used it: start the same command again")
        return record

    def entries(self) -> Iterator[tuple[int, Record]]:
        """The records at the time of opening, each with the position of its first byte, read one at a time."""
        position = 0
        if not self._size:
            return
        with self.path.open("rb") as file:
            for line in file:
                if position >= self._size:
                    return
                if (record := decode_line(line.removesuffix(b"\n"))) is None:
                    raise UserError(f"{self.path} was changed while the run used it: start the same command again")
                yield position, record
                position += len(line)

    def sync(self) -> None:
        """Force everything to the disk. Raises `OSError` where that fails, or failed before."""
        with self._lock:
            self._file.flush()
            unsynced, self._unsynced = self._unsynced, False
        if unsynced:
            self._force()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Force everything to the disk and close the file, which is closed even where that raises `OSError`."""
        self._closing.set()
        if (syncing := self._syncing) is not None:
            syncing.join()
        try:
            self.sync()
        finally:
            self._file.close()
            with self._lock:
                if self._reading is not None:
                    self._reading.close()
                self._reading = None

    def _sync_soon(self) -> None:
        """Force the written lines to the disk, at most once a second, in a thread that nothing waits for.

        A busy disk takes seconds, and further lines must not wait for it: a kill of the process loses lines that are
        not written yet, while forcing only protects against a loss of power. The thread ends after a second without a
        line.
        """
        while True:
            self._closing.wait(max(0.0, self._synced + SYNC_SECONDS - time.monotonic()))
            with self._lock:
                if not self._unsynced or self._closing.is_set():
                    self._syncing = None
                    return
                self._unsynced = False
            self._force()

    def _force(self) -> None:
        self._synced = time.monotonic()
        try:
            os.fsync(self._file.fileno())
        except OSError as error:  # raised when the next line is written, and at the end
            self._error = self._error or error

    def _open(self, consequence: str) -> str:
        """Check the records and repair the file. Returns a message on damaged lines, "" where there are none."""
        incomplete = [line for line in self._read() if line.state != "whole"]
        message = ""
        if damaged_lines := [line for line in incomplete if line.state in ("repaired", "damaged")]:
            copy = keep_copy(self.path)
            message = (
                f"{_message(self.path.name, damaged_lines, consequence)}; the file as it was is kept as {copy.name}"
            )
        if incomplete:
            self._rewrite()
        return message

    def _read(self) -> Iterator[Line]:
        """The lines of the file, whose size when repaired is counted."""
        for line in lines(self.path, self._check):
            self._size += sum(len(data) + 1 for data, _ in line.records)  # in the repaired file
            yield line

    def _rewrite(self) -> None:
        """Replace the file by its undamaged records, atomically."""
        with unfinished(self.path) as file:
            for line in lines(self.path, self._check):
                for data, _ in line.records:
                    file.write(data + b"\n")
            sync(file)
            Path(file.name).replace(self.path)
        sync_folder(self.path.parent)


def _message(name: str, damaged_lines: Sequence[Line], consequence: str) -> str:
    """The message on damaged lines: their numbers, the reason and the consequence."""
    lossy_lines = [line for line in damaged_lines if line.state == "damaged"]
    if not lossy_lines:
        return f"{name}: the end of {_numbers(damaged_lines)} was damaged and is repaired, nothing is lost"
    are = "is" if len(lossy_lines) == 1 else "are"
    return f"{name}: {_numbers(lossy_lines)} {are} damaged ({lossy_lines[0].why}): {consequence}"


def _numbers(numbered: Sequence[Line]) -> str:
    """The numbers of lines: `line 3`, `lines 3, 7 and 12`, or the first ones and how many more."""
    numbers = [str(line.number) for line in numbered]
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > MAX_SHOWN:
        return f"lines {', '.join(numbers[:MAX_SHOWN])} and {len(numbers) - MAX_SHOWN:,} more"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
