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

from longdoc.errors import UserError
from longdoc.files import sync, sync_folder, unfinished
from longdoc.links import appended, refuse_link
from longdoc.record_checks import Malformed
from pipelines.engine.recording.damaged_copies import keep_copy
from pipelines.engine.recording.lines import Check, Line, Record, decode_line, dumps, encode_line, lines

__all__ = ["Journal", "dumps"]

SYNC_SECONDS = 1.0
MAX_SHOWN = 5  # line numbers in a message


class Journal:
    """One such file. `entries` are the records that it had when it was opened; none is kept in memory.

    `every_line` has fields for each record that is written without them. `check` raises `Malformed` for a record that
    lacks required fields. `damage` is a message on damaged lines, which ends with `consequence` for lost records; it is
    empty where nothing was damaged. Thread-safe.
    """

    def __init__(self, path: Path, check: Check = lambda record: None, consequence: str = "left out") -> None:
        refuse_link(path)
        self.path, self._check = path, check
        self._size = 0  # bytes of the records that it had when it was opened
        self.every_line: Mapping[str, Any] = {}
        self.damage = self._open(consequence)
        self._lock = threading.Lock()
        self._reading: BinaryIO | None = None
        is_there = path.exists()
        self._file = appended(path)
        self._failed: OSError | None = None
        self._unsynced = is_there  # a process that was killed may not have synced what it wrote
        self._synced = time.monotonic()
        self._syncing: threading.Thread | None = None
        self._closing = threading.Event()
        if is_there:
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
            if self._failed is not None:
                raise self._failed
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
            if self._file.closed:  # another run of the same session reads what this one asked
                self._reading.close()
                self._reading = None
        record = decode_line(line.removesuffix(b"\n"))
        if record is None:
            raise UserError(f"{self.path} was changed while the run used it: start the same command again")
        return record

    def entries(self) -> Iterator[tuple[int, Record]]:
        """The records that it had when it was opened, each with the position of its first byte, read one at a time."""
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
        """Force everything to the disk. Raises `OSError`, also where that failed before."""
        with self._lock:
            self._file.flush()
            unsynced, self._unsynced = self._unsynced, False
        if unsynced:
            self._force()
        if self._failed is not None:
            raise self._failed

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
        """Force what is written to the disk, at most once a second, in a thread that nothing waits for.

        A busy disk takes seconds. Further lines must not wait: a kill of the process loses lines that are not written
        yet, while forcing only protects against a loss of power. The thread ends when no line came for a second.
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
        except OSError as error:  # raised where the next line is written, and at the end
            self._failed = self._failed or error

    def _open(self, consequence: str) -> str:
        """Read the records and repair the file. Returns a message on what was damaged."""
        lines = [line for line in self._read() if line.state != "whole"]
        message = ""
        if damaged := [line for line in lines if line.state in ("repaired", "damaged")]:
            copy = keep_copy(self.path)
            message = f"{_message(self.path.name, damaged, consequence)}; the file as it was is kept as {copy.name}"
        if lines:
            self._rewrite()
        return message

    def _read(self) -> Iterator[Line]:
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


def _message(name: str, damaged: Sequence[Line], consequence: str) -> str:
    """Which lines are damaged, why, and the consequence."""
    lines = [line for line in damaged if line.state == "damaged"]
    if not lines:
        return f"{name}: the end of {_numbers(damaged)} was damaged and is repaired, nothing is lost"
    are = "is" if len(lines) == 1 else "are"
    return f"{name}: {_numbers(lines)} {are} damaged ({lines[0].why}): {consequence}"


def _numbers(damaged: Sequence[Line]) -> str:
    """`line 3`, `lines 3, 7 and 12`, or the first ones and how many more."""
    numbers = [str(line.number) for line in damaged]
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > MAX_SHOWN:
        return f"lines {', '.join(numbers[:MAX_SHOWN])} and {len(numbers) - MAX_SHOWN:,} more"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
