"""Reads the bytes of a user's file: limits their size, checks their format, and decodes them."""

import bz2
import codecs
import gzip
import lzma
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from longdoc import archives
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.documents import encoding_labels

LIMIT = 1 << 26  # bytes of one unpacked file or part: ten times the longest novels; a zip bomb has no bound
PARTS = 4  # times that for all parts of a zip together: pictures too
TAGS = 1 << 21  # of an XML part that is held as a tree: a thesis has a tenth of it

_BEGINNINGS = {
    b"%PDF-": ".pdf",
    b"PK\x03\x04": ".zip (a .docx or .epub is one)",
    b"\xd0\xcf\x11\xe0": ".doc (or a protected .docx)",
    b"{\\rtf": ".rtf",
    b"\x89PNG": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"PAR1": ".parquet",
    b"BZh": ".bz2",
    b"\x1f\x8b": ".gz",
}
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # in no text; terminals have \x1b
SAMPLE = 1 << 16  # bytes that tell a text's encoding
LEAST = 25  # letters of another script, about five words, that a guess needs; with 50 words 29 of 30 are right
BEGINNING = 1024  # bytes that show whether a file is a text
DAMAGED = (zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, NotImplementedError, OSError)


def existing(path: Path) -> Path:
    """The path itself, if it exists. Raises `UserError` with the nearest names of its folder."""
    try:
        if path.exists():
            return path
    except (OSError, ValueError):  # a name that no file can have
        raise UserError(f"{str(path)[:100]!r} is not the name of a file") from None
    if not path.parent.is_dir():
        raise UserError(f"there is no {path}, nor its folder {path.parent}; give a path that exists")
    if path.is_symlink():
        raise UserError(f"{path} is a link to {path.readlink()}, which does not exist; give the file itself")
    names = sorted(other.name for other in path.parent.iterdir())
    similar = get_close_matches(path.name, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(similar)}?" if similar else f"there: {', '.join(names[:10]) or 'nothing'}"
    raise UserError(f"there is no {path.name!r} in {path.parent}; {hint}")


def contents(path: Path) -> bytes:
    """A file's bytes, decompressed for .gz and .bz2. Raises `UserError` if they cannot be read or are too many."""
    try:
        with _opener(path)(path, "rb") as handle:
            data: bytes = handle.read(LIMIT + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise UserError(f"{path} cannot be read: {error}; if it is damaged, fetch or copy it again") from None
    if len(data) > LIMIT:
        raise too_large(path)
    return data


def _opener(path: Path) -> Callable[..., Any]:
    openers: dict[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open}
    return openers.get(path.suffix.lower(), Path.open)


def begins_as_text(path: Path) -> bool:
    """Whether the first bytes of a file look like text."""
    try:
        with _opener(path)(path, "rb") as handle:
            data = handle.read(BEGINNING)
        check(path, data)
    except (EOFError, OSError, zlib.error, UserError):
        return False
    if any(data.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS) or _utf16_encoding(data):
        return True
    return bool(data) and b"\0" not in data and _CONTROLS.search(data) is None


def too_large(path: Path) -> UserError:
    """The error for a file that is larger than `LIMIT`."""
    return UserError(f"{path} has more than {LIMIT >> 20} MiB when unpacked; cut it into smaller files")


def check(path: Path, data: bytes, signature: bytes | None = None) -> None:
    """Raise `UserError` if the first bytes of a file are those of another format, or lack its own `signature`."""
    if signature is not None and signature in data[:1024]:  # readers of PDF allow some bytes before it
        return
    for beginning, ending in _BEGINNINGS.items():
        if data.startswith(beginning):
            raise UserError(
                f"{path} is not a {path.suffix or 'text'} file; its first bytes are those of a {ending}. Rename it"
            )
    if signature is not None:
        raise UserError(f"{path} is not a {path.suffix} file. Rename it to its real type, or fetch or copy it again")


def decoded(path: Path, data: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text decoded by byte order mark, declared encoding, UTF-8 or else by a guess, and warnings for guesses.

    The guess is what `_other_script` finds, else cp1252. A declared encoding that is unknown, or fits few of the bytes,
    is ignored; where it fits all but a few, these become U+FFFD, as in a browser. Raises `UserError` for binary data
    and other encodings.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _strictly(path, data, encoding), ()
    encodings = list(filter(None, (declared and encoding_labels.codec(declared), _utf16_encoding(data), "utf-8")))
    if encodings[0] == "iso2022_jp":
        data, encodings[0] = encoding_labels.as_euc(data), encoding_labels.EUC
    for encoding in encodings:
        try:
            return _checked_for_zeros(path, data.decode(encoding)), ()
        except UnicodeError:
            continue
    _checked_for_zeros(path, data.decode("latin-1"))
    convert = f"iconv -f ITS-ENCODING -t UTF-8 {path.name} > utf8-{path.name}"
    text = data.decode(encodings[0], "replace")
    bad_count = text.count("\ufffd")
    good_count = sum(map(len, _FOREIGN.findall(text))) - bad_count
    if good_count and (len(encodings) > 1 or good_count >= bad_count):
        problem = f"{path}: {counted(bad_count, 'character')} cannot be read as {encodings[0].upper()}"
        return text, (f"{problem} and became \ufffd; if more is wrong, type: {convert}",)
    if (guess := _other_script(data)) is not None:
        problem = f"{path} is not UTF-8 and was read as {guess.upper()}"
        return data.decode(guess), (f"{problem}; if letters look wrong, type: {convert}",)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        problem = f"{path} is neither UTF-8 nor Western European (the byte at offset {error.start:,} fits neither)"
        raise UserError(f"{problem}; type: {convert}") from None
    return text, (f"{path} is not UTF-8 and was read as Western European; if letters look wrong, type: {convert}",)


def _other_script(data: bytes) -> str | None:
    """A guess of the encoding of a text in another script than Latin; None for Latin letters, or if it is unclear.

    In languages with Latin letters charset-normalizer takes one encoding for another too often (French cp1252 for
    cp1257), and cp1252 is nearly always right.
    """
    from charset_normalizer import from_bytes

    sample = data[:SAMPLE]
    found = from_bytes(sample[: sample.rfind(b"\n") + 1] or sample).best()  # no half of a character at the end
    letters = [char for char in str(found or "") if char.isalpha()]
    foreign = [char for char in letters if not char.isascii()]
    others = [char for char in foreign if not unicodedata.name(char, "").startswith("LATIN")]
    if found is None or len(others) < max(LEAST, 0.3 * len(letters), 0.9 * len(foreign)):
        return None
    try:
        data.decode(found.encoding)
    except UnicodeError:
        return None
    return found.encoding


def text(path: Path) -> tuple[str, tuple[str, ...]]:
    """A file's text and warnings. Raises `UserError` for one that is binary or begins like another format."""
    data = contents(path)
    check(path, data)
    return decoded(path, data)


@contextmanager
def unpacked(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip whose members are limited in size. Raises `UserError` for one that is damaged or encrypted."""
    with path.open("rb") as handle:
        check(path, handle.read(1024), b"PK\x03\x04")
    try:
        with archives.opened(path) as archive:
            entries = archive.infolist()
            # zipfile reads no more of a member than it declares
            if sum(entry.file_size for entry in entries) > PARTS * LIMIT:
                raise too_large(path)
            if any(entry.flag_bits & 1 for entry in entries):
                raise UserError(f"{path} is encrypted; save it without a password")
            yield archive
    except DAMAGED as error:
        problem = f"{path} cannot be read ({error or 'its data end too early'})"
        raise UserError(f"{problem}. It is damaged or was cut off; fetch or copy it again") from None


def part(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """A member's bytes. Raises `UserError` where they are more than `LIMIT`."""
    if archive.getinfo(name).file_size > LIMIT:
        raise too_large(path)
    return archive.read(name)


def tree_part(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member that will be parsed, at a hundred bytes per tag: at most `TAGS` tags."""
    data = part(path, archive, name)
    if data.count(b"<") > TAGS:
        raise UserError(f"{path}: its part {name} has more than {TAGS:,} tags; save it as text, or in parts")
    return data


def _strictly(path: Path, data: bytes, encoding: str) -> str:
    try:
        return _checked_for_zeros(path, data.decode(encoding))
    except UnicodeDecodeError as error:
        problem = f"{path} is marked as {encoding.upper()}, but the byte at offset {error.start:,} does not fit"
        raise UserError(f"{problem}; fetch or copy it again, or save it as UTF-8") from None


def _utf16_encoding(data: bytes) -> str | None:
    """The UTF-16 encoding of data without a byte order mark, in which every second byte is mostly zero; else None."""
    beginning = data[:BEGINNING]
    even, odd = beginning[::2].count(0), beginning[1::2].count(0)
    if min(even, odd) or max(even, odd) * 3 <= len(beginning):
        return None
    return "utf-16-be" if even else "utf-16-le"


def _checked_for_zeros(path: Path, text: str) -> str:
    if "\0" not in text:
        return text
    raise UserError(f"{path} is binary, not text; it has a zero byte at offset {text.index(chr(0)):,}")
