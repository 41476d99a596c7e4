"""Append-only JSON Lines that survive a kill: a line is written whole before what it says is used.

A process that dies mid-line leaves a torn tail; it is cut off when the file is opened again. `journal.jsonl` (finished
examples) and `requests.jsonl` (answered requests) are such files.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longdoc.errors import UserError

SYNC_SECONDS = 1.0


class Journal:
    """One such file. `records` are the whole lines that were there when it was opened, `places` their first bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records: list[dict[str, Any]] = []
        self.places: list[int] = []
        end = 0
        for place, stop, record in whole_lines(path):
            end = stop
            self.places.append(place)
            self.records.append(record)
        if path.exists() and end < path.stat().st_size:  # a torn tail: the next line starts on a line of its own
            os.truncate(path, end)
        self._file = path.open("ab")
        self._synced = time.monotonic()

    def append(self, record: dict[str, Any]) -> int:
        """Write one line through to the operating system at once, and to the disk at least every second.

        The place where it begins, in bytes.
        """
        place = self._file.tell()
        self._file.write((dumps(record) + "\n").encode("utf-8", errors="surrogatepass"))
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()
        return place

    def read(self, place: int) -> dict[str, Any]:
        """The record that begins at a place. Raises `UserError` if the file was changed meanwhile."""
        with self.path.open("rb") as file:
            file.seek(place)
            record = _record(file.readline())
        if record is None:
            raise UserError(f"{self.path} was changed while the run used it: start the same command again")
        return record

    def close(self) -> None:
        """Force everything to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


def dumps(record: Any) -> str:
    """One line of JSON, text as it is."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def whole_lines(path: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The records of a file with where they begin and end, up to a torn one; nothing where there is no file."""
    if not path.exists():
        return
    end = 0
    with path.open("rb") as file:
        for line in file:
            record = _record(line)
            if record is None:
                break
            place, end = end, end + len(line)
            yield place, end, record


def _record(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line.decode("utf-8", errors="surrogatepass"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None
    return record if isinstance(record, dict) else None
