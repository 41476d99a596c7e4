"""Files as text: decompressed and decoded strictly; errors name the position and the remedy.

Text is UTF-8, with or without a byte order mark, or UTF-16 with one. Line ends stay as they are.
"""

import bz2
import codecs
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc.archives import Bounded
from longdoc.errors import UserError
from longdoc.files import digest_of
from pipelines.documents.file_bytes import existing as existing
from pipelines.sources.zips import Member

BLOCK = 1 << 20
LONGEST = 1 << 26  # characters of one line, row or file in memory: ten times the longest novels
BLANKS = 1 << 20  # empty lines in a row
InputFile = Path | Member  # a file on disk, or in a zip
COMPRESSED = (".bz2", ".gz")
_BEGINNINGS = {b"PAR1": ".parquet", b"BZh": ".bz2", b"\x1f\x8b": ".gz", b"PK\x03\x04": ".zip"}


def text(path: InputFile) -> str:
    """A whole file as text. Raises `UserError` for a file that is missing, empty, binary or badly encoded."""
    parts, length = list[str](), 0
    for piece in pieces(path):
        parts.append(piece)
        length += len(piece)
        _check_length(path, length, "it")
    return "".join(parts)


def text_in(path: Path, encodings: Sequence[str]) -> tuple[str, str]:
    """A whole file in the first encoding that fits, and that encoding. The last one should fit anything."""
    with _binary(path) as handle:
        data: bytes = handle.read(LONGEST + 1)
    _check_length(path, len(data), "it")
    if b"\0" in data:
        raise _binary_data(path, data.index(b"\0"))
    for encoding in encodings:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise UserError(f"{path} is in none of the encodings {', '.join(encodings)}")


def pieces(path: InputFile) -> Iterator[str]:
    """A file's text, piece by piece. Text before damage is yielded before the error is raised."""
    encoding = _encoding(path)
    decoder = codecs.getincrementaldecoder(encoding)()
    start = 0
    with _binary(path) as handle:
        while True:
            # read1 returns what could be decompressed before the data end or break
            block = handle.read1(BLOCK)
            begin = start - len(decoder.getstate()[0])
            try:
                piece = decoder.decode(block, not block)
            except UnicodeDecodeError as error:
                raise _badly_encoded(path, encoding, begin + error.start) from None
            if "\0" in piece:
                raise _binary_data(path, start + block.index(0))
            if start == 0:
                piece = piece.removeprefix("\ufeff")
            start += len(block)
            if piece:
                yield piece
            if not block:
                return


def lines(path: InputFile) -> Iterator[str]:
    """A file's lines with their ends, split at line feeds only."""
    line_parts: list[str] = []
    length = empty = 0
    for piece in pieces(path):
        for part in _split(piece):
            line_parts.append(part)
            length += len(part)
            _check_length(path, length, "one of its lines")
            if part.endswith("\n"):
                empty = empty + 1 if length == 1 else 0
                if empty > BLANKS:
                    raise UserError(f"{path} has more than {BLANKS:,} empty lines in a row; leave them out")
                yield "".join(line_parts)
                line_parts.clear()
                length = 0
    if line_parts:
        yield "".join(line_parts)


def _check_length(path: InputFile, length: int, description: str) -> None:
    if length > LONGEST:
        raise UserError(f"{path}: {description} has more than {LONGEST:,} characters; cut it into smaller parts")


def _split(piece: str) -> Iterator[str]:
    position = 0
    while (end := piece.find("\n", position)) >= 0:
        yield piece[position : end + 1]
        position = end + 1
    if position < len(piece):
        yield piece[position:]


def _encoding(path: InputFile) -> str:
    with _binary(path) as handle:
        head: bytes = handle.read1(4096)
    if not head:
        raise UserError(f"{path} is empty; fetch or copy it again, or give another file")
    for beginning, suffix in _BEGINNINGS.items():
        if head.startswith(beginning):
            raise UserError(
                f"{path} has the first bytes of a {suffix} file; give it that ending (.zip: unpack it first)"
            )
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"


def _binary_data(path: InputFile, offset: int) -> UserError:
    return UserError(f"{path} is binary, not text; it has a zero byte at offset {offset:,}")


def _badly_encoded(path: InputFile, encoding: str, offset: int) -> UserError:
    return UserError(
        f"{path} is not {encoding.upper()}: the byte at offset {offset:,} does not fit; if it is in a Western European "
        f"encoding, type: iconv -f WINDOWS-1252 -t UTF-8 {path.name} > utf8-{path.name}"
    )


@contextmanager
def _binary(path: InputFile) -> Iterator[Any]:
    if isinstance(path, Member):
        with path.opened() as handle:
            yield handle
        return
    if existing(path).is_dir():
        raise UserError(f"{path} is a folder; give a file")
    if path.stat().st_size == 0:
        raise UserError(f"{path} is empty; fetch or copy it again, or give another file")
    openers: dict[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open}
    opener = openers.get(path.suffix.lower())
    opened: Any = Bounded(path, opener) if opener else path.open("rb")
    try:
        with opened as handle:
            yield handle
    except EOFError:
        raise UserError(f"{path} ends in the middle of its compressed data; fetch or copy it again") from None
    except (OSError, zlib.error) as error:
        raise UserError(f"{path} cannot be read: {error}; if it is damaged, fetch or copy it again") from None


def file_identity(path: Path, root: Path) -> dict[str, Any]:
    """Name (relative to `root`), bytes and SHA-256 of a file."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return {"name": name, "bytes": path.stat().st_size, "sha256": digest_of(path)}
