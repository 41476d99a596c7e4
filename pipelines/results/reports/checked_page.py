"""The checksum of a page: a comment at its end with the CRC-32 of all before it, by which damage is found."""

import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

BLOCK = 1 << 20  # bytes that are read at once
_LENGTH = len("<!-- crc32 00000000 -->\n")
_CHECKSUM = re.compile(rb"<!-- crc32 [0-9a-f]{8} -->\n")


def checked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of a page, followed by its checksum."""
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
        yield piece
    yield _checksum_comment(checksum)


def is_damaged(page: Path) -> bool:
    """Whether a page is not as it was written; False for one without a checksum, of an older version."""
    checksum, tail = 0, b""
    with page.open("rb") as file:
        while block := file.read(BLOCK):
            data = tail + block
            tail = data[-_LENGTH:]
            checksum = zlib.crc32(data[: len(data) - len(tail)], checksum)
    return bool(_CHECKSUM.fullmatch(tail)) and tail != _checksum_comment(checksum)


def _checksum_comment(checksum: int) -> bytes:
    return b"<!-- crc32 %08x -->\n" % checksum
