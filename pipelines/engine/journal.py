"""Append-only JSON Lines that survive a kill: a line is written whole before what it says is used.

A process that dies mid-line leaves the beginning of one; it is cut off when the file is opened again. Every other line
that is not as it was written is found by its checksum (`lines`) and left out, and the file as it was is kept beside.
`journal.jsonl` (finished examples) and `requests.jsonl` (answered requests) are such files.
"""

import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.record_checks import Malformed
from pipelines.engine.lines import Check, Line, Record, dumps, lines, sealed, unsealed

__all__ = ["Journal", "dumps"]

SYNC_SECONDS = 1.0
SHOWN = 5  # line numbers in a message


class Journal:
    """One such file. `records` are those that were there when it was opened, `places` their first bytes.

    `check` raises `Malformed` for a record without the fields that it must have. `damage` says in a line what was
    damaged, which `consequence` follows for records that were lost; it is empty where nothing was. Thread-safe.
    """

    def __init__(self, path: Path, check: Check = lambda record: None, consequence: str = "left out") -> None:
        self.path, self._check = path, check
        self.records: list[Record] = []
        self.places: list[int] = []
        self.damage = self._open(consequence)
        self._lock = threading.Lock()
        self._file = path.open("ab")
        self._synced = time.monotonic()
        self._syncing: threading.Thread | None = None
        self._failed: OSError | None = None

    def append(self, record: Mapping[str, Any]) -> int:
        """Write one line through to the operating system at once; within about a second it is on the disk.

        The place where it begins, in bytes. Raises `UserError` for a record that could not be read again.
        """
        try:
            self._check(record)
        except Malformed as error:
            raise UserError(f"what a component gave cannot be kept in {self.path.name}: {error}") from None
        line = sealed(record)
        with self._lock:
            if self._failed is not None:
                raise self._failed
            place = self._file.tell()
            self._file.write(line)
            self._file.flush()
            self._sync()
        return place

    def read(self, place: int) -> Record:
        """The record that begins at a place. Raises `UserError` if the file was changed meanwhile."""
        with self.path.open("rb") as file:
            file.seek(place)
            record = unsealed(file.readline().removesuffix(b"\n"))
        if record is None:
            raise UserError(f"{self.path} was changed while the run used it: start the same command again")
        return record

    def close(self) -> None:
        """Force everything to the disk."""
        if self._syncing is not None:
            self._syncing.join()
        with self._lock:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def _sync(self) -> None:
        """Begin to force what is written to the disk, at most once a second, without anyone waiting for it.

        A busy disk takes seconds for it. Lines that come meanwhile must not wait: until they are written, a kill of the
        process loses them, and forcing is for a machine that loses its power.
        """
        if time.monotonic() - self._synced > SYNC_SECONDS and not (self._syncing and self._syncing.is_alive()):
            self._synced = time.monotonic()
            self._syncing = threading.Thread(target=self._force, name="fsync", daemon=True)
            self._syncing.start()

    def _force(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:  # raised where the next line is written
            self._failed = error

    def _open(self, consequence: str) -> str:
        """Read the records; a file that is not in order is put in order. What was damaged."""
        found = [line for line in self._read() if line.state != "whole"]
        told = ""
        if damaged := [line for line in found if line.state in ("mended", "damaged")]:
            kept = self._keep_beside()
            told = f"{_told(self.path.name, damaged, consequence)}; the file as it was is kept as {kept.name}"
        if found:
            self._rewrite()
        return told

    def _read(self) -> Iterator[Line]:
        place = 0
        for line in lines(self.path, self._check):
            for data, record in line.records:
                self.records.append(record)
                self.places.append(place)
                place += len(data) + 1  # where it is once the file is in order
            yield line

    def _rewrite(self) -> None:
        """Put the same file without damage in place at once."""
        temporary = self.path.with_name(f".{self.path.name}.tmp")
        with temporary.open("wb") as file:
            for line in lines(self.path, self._check):
                for data, _ in line.records:
                    file.write(data + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path)

    def _keep_beside(self) -> Path:
        number = 1
        while (beside := self.path.with_name(f"{self.path.name}.damaged-{number}")).exists():
            number += 1
        try:
            os.link(self.path, beside)
        except OSError:  # file systems without links
            shutil.copyfile(self.path, beside)
        return beside


def _told(name: str, damaged: Sequence[Line], consequence: str) -> str:
    """Which lines, why, and what follows."""
    lost = [line for line in damaged if line.state == "damaged"]
    if not lost:
        return f"{name}: the end of {_numbers(damaged)} was damaged and is mended, nothing is lost"
    are = "is" if len(lost) == 1 else "are"
    return f"{name}: {_numbers(lost)} {are} damaged ({lost[0].why}): {consequence}"


def _numbers(found: Sequence[Line]) -> str:
    """`line 3`, `lines 3, 7 and 12`, and of many how many more."""
    numbers = [str(line.number) for line in found]
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > SHOWN:
        return f"lines {', '.join(numbers[:SHOWN])} and {len(numbers) - SHOWN:,} more"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
