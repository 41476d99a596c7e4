"""JSON files, and lines of logs, that end with the CRC-32 (ISO 3309) of the bytes before it.

    {
      "format": 5,
      …
      "crc32": "8d1c3a07"
    }

A CRC-32 differs after every change of one bit, or of bits within 32 of each other.
"""

import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc import plain_json

FIELD = "crc32"
WRONG_TEXT = "its checksum is wrong, so it was damaged or edited"
LACKING_TEXT = "it has no checksum, so it was damaged or edited"
LENGTH_OF_END = len(b',"crc32":"00000000"}')
_END = re.compile(rb',\s*"crc32":\s*"[0-9a-f]{8}"\s*\}\s*')


class Damaged(ValueError):
    """A file that is not as it was written; the message says why. `record` is what of it can be read, if anything."""

    def __init__(self, message: str, record: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.record = record


def dumps(record: Mapping[str, Any], indent: int | None = 2) -> str:
    """The text of a record that has at least one field, with its checksum."""
    content = {name: value for name, value in record.items() if name != FIELD}
    body = json.dumps(content, indent=indent, ensure_ascii=False).removesuffix("}").rstrip()
    return body + _end(body.encode("utf-8", "surrogatepass"), indent)


def loads(data: bytes, formats: range | None = None) -> dict[str, Any]:
    """The record of a file without its checksum. Raises `Damaged`.

    `formats` are those (`format` in the file) whose files have one; others are read as they are.
    """
    try:
        record = plain_json.loads(data.decode("utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise Damaged(str(error)) from None
    if not isinstance(record, dict):
        raise Damaged(f"a {type(record).__name__}")
    content = {name: value for name, value in record.items() if name != FIELD}
    if FIELD in record:
        if not _is_whole(data, record[FIELD]):
            raise Damaged(WRONG_TEXT, content)
    elif formats is not None and isinstance(number := record.get("format"), int) and number in formats:
        raise Damaged(LACKING_TEXT, content)
    return content


def load(file: Path, formats: range | None = None) -> dict[str, Any]:
    """`loads` of a file."""
    return loads(file.read_bytes(), formats)


def end_of_line(body: bytes) -> bytes:
    """The end of a line of a log, whose object is `body` without its closing bracket."""
    return b',"%s":"%08x"}' % (FIELD.encode(), zlib.crc32(body))


def is_whole_line(line: bytes) -> bool:
    """Whether a line of a log, without its line end, is as it was written."""
    body = line[:-LENGTH_OF_END]
    return line[len(body) :] == end_of_line(body)


def _is_whole(data: bytes, checksum: Any) -> bool:
    """Whether the checksum is the last field, and that of what stands before it."""
    ends = list(_END.finditer(data))
    if not ends or ends[-1].end() != len(data):
        return False
    body = data[: ends[-1].start()]
    indent = 2 if b"\n  " in body else None
    return bool(checksum == f"{zlib.crc32(body):08x}") and data[len(body) :] == _end(body, indent).encode()


def _end(body: bytes, indent: int | None) -> str:
    space = " " if indent is None else "\n" + " " * indent
    return f',{space}"{FIELD}": "{zlib.crc32(body):08x}"{"" if indent is None else chr(10)}}}\n'
