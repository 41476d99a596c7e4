"""Zips and compressed files within bounds. Nothing is ever unpacked to disk: members are read where they are.

A zip has a bound on its members, none of which may lead out of it or be a symbolic link. What is decompressed has a
bound that grows with the compressed size, so that a few bytes do not become a day's work.
"""

import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from longdoc.errors import UserError

MEMBERS = 10_000  # of a zip: books with a picture a page have hundreds
DIRECTORY = 1 << 10  # bytes for each of them in the archive's list of members
FREE = 1 << 30  # bytes that anything may be decompressed to
RATIO = 5_000  # ∞Bench's pass keys are compressed 2,500 times by bzip2; gzip and zip cannot exceed 1,032
TOTAL = 1 << 38  # bytes that nothing is decompressed beyond: 256 GiB

_END_SIGNATURE, _END64_SIGNATURE = b"PK\5\6", b"PK\6\6"
_END = struct.Struct("<10xHI6x")  # of the record at the end: the number of members, the size of their list
_END64 = struct.Struct("<32xQQ8x")  # of zip64's
_LOCATOR = 20  # bytes of zip64's locator, between the two
_ZIP64_COUNT, _ZIP64_SIZE = 0xFFFF, 0xFFFF_FFFF  # the number stands in zip64's record
_LONGEST_END = _END64.size + _LOCATOR + _END.size + 0xFFFF  # with the longest comment

_OUTWARD = re.compile(r"\A(?:[/\\]|[A-Za-z]:)|(?:\A|[/\\])\.\.(?:[/\\]|\Z)")


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip whose members are safe to read. Raises `UserError` for an unsafe one, and zipfile's errors for damage."""
    with path.open("rb") as file:
        count, size = _list_of_members(file)
        if size > MEMBERS * DIRECTORY:  # before all of them are in memory
            raise UserError(f"{path} has a list of {size:,} bytes of members: unpack what is needed, and pass that")
        with zipfile.ZipFile(file) as archive:
            check(path, archive.infolist())
            if len(archive.infolist()) != count:  # zipfile goes on without those that damage hides
                raise zipfile.BadZipFile(f"Bad list of {count:,} members")
            yield archive


def _list_of_members(file: IO[bytes]) -> tuple[int, int]:
    """The number of a zip's members and the bytes of their list, from its end (APPNOTE 6.3.10, 4.3.14 to 4.3.16).

    0 without such a record. A zip64 has two such sizes, of which the larger one counts.
    """
    start = max(0, file.seek(0, os.SEEK_END) - _LONGEST_END)
    file.seek(start)
    tail = file.read()
    file.seek(0)
    plain_position = len(tail) - _END.size
    if plain_position < 0:
        return 0, 0
    is_plain = tail.startswith(_END_SIGNATURE, plain_position) and tail.endswith(b"\0\0")  # no comment behind it
    position = plain_position if is_plain else tail.rfind(_END_SIGNATURE, 0, plain_position + len(_END_SIGNATURE))
    if position < 0:
        return 0, 0
    count, size = _END.unpack_from(tail, position)
    position64 = position - _LOCATOR - _END64.size
    if position64 >= 0 and tail.startswith(_END64_SIGNATURE, position64):
        count64, size64 = _END64.unpack_from(tail, position64)
        size = size64 if size == _ZIP64_SIZE else max(size, size64)
        count = count64 if count == _ZIP64_COUNT else count
    return count, size


def check(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Raise `UserError` for too many members, and for one that leads out of the archive or is a symbolic link."""
    if len(entries) > MEMBERS:
        raise UserError(f"{path} has more than {MEMBERS:,} members: unpack what is needed, and pass that")
    for entry in entries:
        if leads_out(entry.filename):
            problem = f"{path} has a member {entry.filename!r}, which leads out of the archive: it is not read"
            raise UserError(f"{problem}; unpack it by hand, and give the file")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise UserError(f"{path} has a member {entry.filename!r}, which is a symbolic link: it is not read")
        if entry.file_size > max_size(entry.compress_size):
            raise size_error(path, entry.compress_size)


def leads_out(name: str) -> bool:
    """Whether a name is absolute, has a drive, or goes up (`..`), by slashes or backslashes."""
    return bool(_OUTWARD.search(name))


def max_size(compressed: int) -> int:
    """The number of bytes that so many compressed ones may become."""
    return min(TOTAL, max(FREE, RATIO * compressed))


def size_error(path: object, compressed: int) -> UserError:
    """The error for a file that becomes more than `max_size` bytes."""
    bound = f"{max_size(compressed):,} bytes, the bound for {compressed:,} compressed ones"
    return UserError(f"{path} becomes more than {bound}: if that is right, unpack it and pass the unpacked file")


class Bounded:
    """A file that is decompressed as it is read. `read` and `read1` raise `UserError` beyond `max_size` bytes."""

    def __init__(self, path: Path, opener: Callable[..., IO[bytes]]) -> None:
        self._path, self._compressed = path, path.stat().st_size
        self._file: Any = opener(path, "rb")
        self._left = max_size(self._compressed)

    def __enter__(self) -> "Bounded":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        """Read as from a binary file."""
        return self._counted(self._file.read(size))

    def read1(self, size: int) -> bytes:
        """Read as from a buffered binary file."""
        return self._counted(self._file.read1(size))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise size_error(self._path, self._compressed)
        return data
