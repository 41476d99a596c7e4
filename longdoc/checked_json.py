"""JSON that is checked as it is read: by the checksum at its end, and by the types of its fields.

Files, and lines of logs, end with the CRC-32 (ISO 3309) of the bytes before it, which differs after every change of one
bit, or of bits within 32 of each other.

    {
      "format": 5,
      …
      "crc32": "8d1c3a07"
    }

A test of a field returns whether one value is valid. JSON has no tuples, so lists and tuples are the same here.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any

from longdoc import plain_json

FIELD = "crc32"
WRONG_CHECKSUM = "its checksum is wrong, so it was damaged or edited"
NO_CHECKSUM = "it has no checksum, so it was damaged or edited"
LENGTH_OF_END = len(b',"crc32":"00000000"}')
_END = re.compile(rb',\s*"crc32":\s*"[0-9a-f]{8}"\s*\}\s*')


class Damaged(ValueError):
    """The error for a damaged file; the message says why. `record` is the part that can be read, if any."""

    def __init__(self, message: str, record: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.record = record


def dumps(record: Mapping[str, Any], indent: int | None = 2) -> str:
    """The text of a record that has at least one field, with its checksum."""
    content = {name: value for name, value in record.items() if name != FIELD}
    body = json.dumps(content, indent=indent, ensure_ascii=False).removesuffix("}").rstrip()
    return body + _end(body.encode("utf-8", "surrogatepass"), indent)


def loads(data: bytes, formats: range | None = None) -> dict[str, Any]:
    """The record in a file's bytes, without its checksum. Raises `Damaged`.

    Files whose `format` is among `formats` must have a checksum; others may.
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
            raise Damaged(WRONG_CHECKSUM, content)
    elif formats is not None and isinstance(number := record.get("format"), int) and number in formats:
        raise Damaged(NO_CHECKSUM, content)
    return content


def load(file: Path, formats: range | None = None) -> dict[str, Any]:
    """The record in a file, as `loads` reads it."""
    return loads(file.read_bytes(), formats)


def end_of_line(body: bytes) -> bytes:
    """The end of a log's line, with the checksum of `body`: its object without the closing bracket."""
    return b',"%s":"%08x"}' % (FIELD.encode(), zlib.crc32(body))


def is_whole_line(line: bytes) -> bool:
    """Whether a log's line, without its line end, is complete and undamaged."""
    body = line[:-LENGTH_OF_END]
    return line[len(body) :] == end_of_line(body)


def _is_whole(data: bytes, checksum: Any) -> bool:
    """Whether the checksum is the last field, and right for the bytes before it."""
    ends = list(_END.finditer(data))
    if not ends or ends[-1].end() != len(data):
        return False
    body = data[: ends[-1].start()]
    indent = 2 if b"\n  " in body else None
    return bool(checksum == f"{zlib.crc32(body):08x}") and data[len(body) :] == _end(body, indent).encode()


def _end(body: bytes, indent: int | None) -> str:
    space = " " if indent is None else "\n" + " " * indent
    return f',{space}"{FIELD}": "{zlib.crc32(body):08x}"{"" if indent is None else chr(10)}}}\n'


LARGEST = 1e15  # largest number in a file: sums and squares of larger ones lose digits, or overflow
Test = Callable[[Any], bool]


class Malformed(ValueError):
    """The error for a record with a missing or invalid field, which the message names."""


def check(record: Any, required: Mapping[str, Test], optional: Mapping[str, Test] | None = None) -> None:
    """Raise `Malformed` unless a mapping has the required fields, and all values pass their tests."""
    if not isinstance(record, Mapping):
        raise Malformed(f"a {type(record).__name__} instead of an object")
    for name, fits in {**(optional or {}), **required}.items():
        if name not in record:
            if name in required:
                raise Malformed(f"no field {name!r}")
        elif not fits(record[name]):
            raise Malformed(f"the field {name!r} has an invalid value")


def text(value: Any) -> bool:
    """Whether the value is a string."""
    return isinstance(value, str)


def number(value: Any) -> bool:
    """Whether the value is a number from -`LARGEST` to `LARGEST`, or NaN or infinity, which stand for no number."""
    return isinstance(value, (int, float)) and not LARGEST < abs(value) < inf


def count(value: Any) -> bool:
    """Whether the value is a whole number of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def maybe(fits: Test) -> Test:
    """The test that a value is null or passes `fits`."""
    return lambda value: value is None or fits(value)


def each_item(fits: Test) -> Test:
    """The test that a value is a list whose items pass `fits`."""
    return lambda value: isinstance(value, (list, tuple)) and all(map(fits, value))


def row(*tests: Test) -> Test:
    """The test that a value is a list with an item for each test, which it passes."""
    return lambda value: (
        isinstance(value, (list, tuple))
        and len(value) == len(tests)
        and all(fits(item) for fits, item in zip(tests, value, strict=True))
    )


def mapping(fits: Test) -> Test:
    """The test that a value is an object whose values pass `fits`."""
    # `dict` first: most values are dictionaries, and testing for `Mapping` is slower
    return lambda value: isinstance(value, (dict, Mapping)) and all(map(fits, value.values()))
