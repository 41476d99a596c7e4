"""Lines of JSON with checksums: each ends with the CRC-32 (ISO 3309) of the bytes before it.

    {"id":"q1","prediction":"…","crc32":"8d1c3a07"}

A CRC-32 differs after every change of one bit, or of bits within 32 of each other, so such damage is always found.
Where a line end was damaged, two records are in one line, and both are still found.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longdoc import plain_json
from longdoc.checked_json import FIELD, Malformed, end_of_line, is_whole_line

Record = dict[str, Any]
Check = Callable[[Mapping[str, Any]], None]

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_CHECKSUM = re.compile(rb',"crc32":"[0-9a-f]{8}"\}')


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its records with their bytes, without checksums and line ends.

    `state`: "whole" is one record and a line end; "open" one record without a line end; "torn" the beginning of one at
    the end of the file; "repaired" has all its records, though bytes between them were damaged; "damaged" lost one, for
    the reason `why`.
    """

    number: int
    records: tuple[tuple[bytes, Record], ...]
    state: Literal["whole", "open", "torn", "repaired", "damaged"]
    why: str = ""


def dumps(record: Any) -> str:
    """One line of JSON, without escapes for characters beyond ASCII."""
    return _ENCODER.encode(record)


def encode_line(record: Mapping[str, Any]) -> bytes:
    """The line of a record that has at least one field, with checksum and line end."""
    body = dumps(record).encode("utf-8", errors="surrogatepass")[:-1]
    return body + end_of_line(body) + b"\n"


def decode_line(line: bytes) -> Record | None:
    """The record of a line (without its line end); None where the checksum is wrong."""
    if not is_whole_line(line):
        return None
    try:
        record = plain_json.loads(line.decode("utf-8", errors="surrogatepass"))
    except ValueError:
        return None
    return {name: value for name, value in record.items() if name != FIELD} if isinstance(record, dict) else None


def lines(path: Path, check: Check) -> Iterator[Line]:
    """The lines of a file, none where there is no file. A record that `check` raises `Malformed` for is damaged."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, data in enumerate(file, 1):
            yield _checked(_line(number, data), check)


def records(path: Path, check: Check) -> Iterator[Record]:
    """The undamaged records of a file."""
    return (record for line in lines(path, check) for _, record in line.records)


def _line(number: int, data: bytes) -> Line:
    """The line of a file with its records and state, before `check`."""
    line = data.removesuffix(b"\n")
    if (record := decode_line(line)) is not None:
        return Line(number, ((line, record),), "whole" if data.endswith(b"\n") else "open")
    pairs, between = _split_records(line)
    if not pairs and not data.endswith(b"\n") and data.startswith(b"{"):
        return Line(number, (), "torn")
    is_lost = not pairs or any(len(piece) > 1 for piece in between)
    return Line(number, pairs, "damaged" if is_lost else "repaired", "its checksum is wrong" if is_lost else "")


def _split_records(line: bytes) -> tuple[tuple[tuple[bytes, Record], ...], list[bytes]]:
    """The records in a damaged line with their bytes, and the bytes between them, such as a damaged line end."""
    pairs: list[tuple[bytes, Record]] = []
    between: list[bytes] = []
    start = 0
    for checksum in _CHECKSUM.finditer(line):
        for begin in (start, start + 1):
            piece = line[begin : checksum.end()]
            if (record := decode_line(piece)) is not None:
                pairs.append((piece, record))
                between.append(line[start:begin])
                start = checksum.end()
                break
        else:
            between.append(line[start : checksum.end()])
            start = checksum.end()
    return tuple(pairs), [*between, line[start:]]


def _checked(line: Line, check: Check) -> Line:
    """The line without the records that `check` refuses."""
    valid, reason = [], line.why
    for piece, record in line.records:
        try:
            check(record)
        except Malformed as error:
            reason = str(error)
        else:
            valid.append((piece, record))
    return line if len(valid) == len(line.records) else Line(line.number, tuple(valid), "damaged", reason)
