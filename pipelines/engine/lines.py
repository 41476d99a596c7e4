"""Lines of JSON that carry a checksum: each ends with the CRC-32 (ISO 3309) of the bytes before it.

    {"id":"q1","prediction":"…","crc32":"8d1c3a07"}

A CRC-32 differs for every change of one bit, or of bits that lie within 32 of each other, so such damage is found
wherever it is. Where it is the line end that was damaged, two lines stand in one, and both are still found.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longdoc import plain_json
from longdoc.record_checks import Malformed

Record = dict[str, Any]
Check = Callable[[Mapping[str, Any]], None]

FIELD = "crc32"
_SEAL = re.compile(rb',"crc32":"[0-9a-f]{8}"\}')
_SEAL_LENGTH = len(b',"crc32":"00000000"}')


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its records with their bytes, without checksums and without line ends.

    `state`: "whole" is one record and a line end; "open" one record without it; "torn" the beginning of a record, where
    the file ends; "mended" has all its records, but something between them was damaged; "damaged" lost one, and `why`
    says how.
    """

    number: int
    records: tuple[tuple[bytes, Record], ...]
    state: Literal["whole", "open", "torn", "mended", "damaged"]
    why: str = ""


def dumps(record: Any) -> str:
    """One line of JSON, text as it is."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def sealed(record: Mapping[str, Any]) -> bytes:
    """The line of a record, which has one field at least: its checksum and the line end are there."""
    body = dumps(record).encode("utf-8", errors="surrogatepass")[:-1]
    return body + _seal(body) + b"\n"


def unsealed(line: bytes) -> Record | None:
    """The record of a line (without its line end); None where the checksum is not that of the line."""
    body = line[:-_SEAL_LENGTH]
    if line[len(body) :] != _seal(body):
        return None
    try:
        record = plain_json.loads(line.decode("utf-8", errors="surrogatepass"))
    except ValueError:
        return None
    return {name: value for name, value in record.items() if name != FIELD} if isinstance(record, dict) else None


def lines(path: Path, check: Check) -> Iterator[Line]:
    """The lines of a file, none where there is no file. A record that `check` finds malformed is a damaged one."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, data in enumerate(file, 1):
            yield _checked(_line(number, data), check)


def records(path: Path, check: Check) -> Iterator[Record]:
    """The records of a file that are as they were written."""
    return (record for line in lines(path, check) for _, record in line.records)


def _seal(body: bytes) -> bytes:
    return b',"%s":"%08x"}' % (FIELD.encode(), zlib.crc32(body))


def _line(number: int, data: bytes) -> Line:
    line = data.removesuffix(b"\n")
    if (record := unsealed(line)) is not None:
        return Line(number, ((line, record),), "whole" if data.endswith(b"\n") else "open")
    found, between = _several(line)
    if not found and not data.endswith(b"\n") and data.startswith(b"{"):
        return Line(number, (), "torn")
    lost = not found or any(len(piece) > 1 for piece in between)
    return Line(number, found, "damaged" if lost else "mended", "its checksum is another" if lost else "")


def _several(line: bytes) -> tuple[tuple[tuple[bytes, Record], ...], list[bytes]]:
    """The records in a damaged line, where a line end may have become another byte, and what is no record."""
    found: list[tuple[bytes, Record]] = []
    between: list[bytes] = []
    start = 0
    for seal in _SEAL.finditer(line):
        for begin in (start, start + 1):
            piece = line[begin : seal.end()]
            if (record := unsealed(piece)) is not None:
                found.append((piece, record))
                between.append(line[start:begin])
                start = seal.end()
                break
        else:
            between.append(line[start : seal.end()])
            start = seal.end()
    return tuple(found), [*between, line[start:]]


def _checked(line: Line, check: Check) -> Line:
    kept, why = [], line.why
    for piece, record in line.records:
        try:
            check(record)
        except Malformed as error:
            why = str(error)
        else:
            kept.append((piece, record))
    return line if len(kept) == len(line.records) else Line(line.number, tuple(kept), "damaged", why)
