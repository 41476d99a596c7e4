"""Finds the rows of a shard in a JSON Lines file of own rows, without reading the documents of the others.

Shards are of documents, and equal documents are one, so a shard's rows are not known by their lines alone. Two texts
with different first characters are different, though: of each line all but the document's text is parsed, and of that
the first characters. Only short documents, and those that begin alike, are parsed and compared as a whole.

Of rows outside a shard this is not checked: the text of a long document behind its first characters (its encoding,
escapes, control characters), and what only an example needs (question, answers, options, evidence). The rest of the
JSON is, there is a document in each row, and each id comes once.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from longdoc import plain_json
from longdoc.errors import UserError
from pipelines.sources import parsing, reading, tables
from pipelines.sources.own_data.row_columns import RowCounts
from pipelines.sources.tables import DerivedTable, Row

HEAD = 128  # characters at the beginning of documents by which they are told apart
_WINDOW = 12 * (HEAD + 2)  # bytes that hold them, whatever is escaped: `\ud83d\ude00` is one character
_ESCAPED_QUOTES = 64  # in a document; with more of them it is parsed faster than searched
_SPACE = " \t\r\n"
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_LIST = rb"\[\s*+(?:" + _TEXT + rb"\s*+(?:,\s*+" + _TEXT + rb"\s*+)*+)?+\]"
_FIELD = _TEXT + rb"\s*+:\s*+(?:" + _TEXT + rb"|[-+.\w]++|" + _LIST + rb")\s*+,\s*+"
_BEFORE_DOCUMENT = re.compile(rb"\s*+\{\s*+(?:" + _FIELD + rb')*?"document"\s*+:\s*+"')


class RowLine(NamedTuple):
    """A row's line, from 1, the byte it begins at, its own id (empty: none), and a hash of its document's head."""

    number: int
    offset: int
    id: str
    head: int


@dataclass(frozen=True, slots=True)
class LineTable(DerivedTable):
    """The rows of some lines of a table's only file; only these are read and parsed."""

    path: Path
    lines: Sequence[RowLine]

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `Table`. Raises `UserError` with file and line of the first damaged row."""
        with self.path.open("rb") as file:
            for line in self.lines:
                file.seek(line.offset)
                fields = _fields(file.readline())
                if fields is None:
                    for _ in self.table.rows():  # raises an error that says what is wrong, and where
                        pass
                    raise UserError(f"{self.path} was changed while it was read; start again")
                yield Row(line.number, f"{self.path.name}:{line.number}", tables.pick(fields, columns))


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a shard, and the positions of its examples among those of the whole data, in order."""

    table: LineTable
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowLines:
    """The lines of a table's only file, and the counts of its rows."""

    table: tables.Files
    path: Path
    lines: Sequence[RowLine]
    counts: RowCounts

    def part(self, number: int, count: int, limit: int | None, split: str) -> Part | None:
        """The rows of every `count`-th document from the `number`-th, counted from 1, of the first `limit` examples.

        None where a document that has to be compared is broken. Raises `UserError` for an id that occurs twice.
        """
        groups = self._groups()
        if groups is None:
            return None
        shard_of_document: dict[object, int] = {}
        ids: set[str] = set()
        own_lines: list[RowLine] = []
        positions: list[int] = []
        position = 0
        for (_, document), lines in groups.items():
            for line in lines if limit is None else lines[: limit - position]:
                parsing.check_new_id(line.id or f"{split}-{line.number}", ids)
                if shard_of_document.setdefault(document, len(shard_of_document) % count) == number - 1:
                    own_lines.append(line)
                    positions.append(position)
                position += 1
        return Part(LineTable(self.table, self.path, sorted(own_lines)), tuple(positions))

    def _groups(self) -> dict[tuple[object, object], list[RowLine]] | None:
        """The lines by hashes of their text and of its cleaned form (`parsing.clean`), in order of first occurrence.

        None if a document that has to be compared is damaged.
        """
        counts = Counter(line.head for line in self.lines)
        groups: dict[tuple[object, object], list[RowLine]] = {}
        with self.path.open("rb") as file:
            for line in self.lines:
                key: tuple[object, object] = line.head, line.head
                if counts[line.head] > 1:
                    file.seek(line.offset)
                    fields = _fields(file.readline())
                    if fields is None or not isinstance(text := fields.get("document"), str):
                        return None
                    key = parsing.identity(text), parsing.identity(parsing.clean(text))
                groups.setdefault(key, []).append(line)
        return groups


def scan(table: tables.Files) -> RowLines | None:
    """The lines of a table of own rows; None if the documents can only be found by reading all of it.

    That is so for all but one uncompressed JSON Lines file whose rows have their documents' texts, a row a line, and
    for rows that are broken elsewhere than in these texts.
    """
    path = table.paths[0]
    if len(table.paths) > 1 or not isinstance(path, Path) or path.suffix.lower() in reading.COMPRESSED:
        return None
    if tables.kind(path) not in (".jsonl", ".json"):
        return None
    lines: list[RowLine] = []
    offset, counts = 0, RowCounts()
    with path.open("rb", buffering=reading.BLOCK) as file:
        for number, line in enumerate(iter(partial(file.readline, reading.LONGEST + 1), b""), 1):
            start, offset = offset, offset + len(line)
            if line.isspace():
                continue
            parts = _parts(line) if len(line) <= reading.LONGEST else None
            if parts is None or tables.is_page(parts[0]):
                return None
            fields, head = parts
            id = parsing.string(fields.get("id"), f"{path.name}:{number}", "id")
            lines.append(RowLine(number, start, id, hash(head)))
            counts = counts.with_row(fields)
    return RowLines(table, path, lines, counts)


def _parts(line: bytes) -> tuple[Mapping[str, Any], str] | None:
    """The fields of a row, its document perhaps shortened, and the head of that; None for any other line."""
    shortened = _shortened(line)
    fields = None if shortened is None else _fields(shortened)
    if fields is None or len(fields["document"]) < HEAD or not fields["document"].strip():
        fields = _fields(line)
    text = None if fields is None else fields.get("document")
    if fields is None or not isinstance(text, str) or not text.strip():
        return None
    return fields, parsing.clean(text[:HEAD])


def _shortened(line: bytes) -> bytes | None:
    """A row's line with only the first bytes of a long document; None if it is short, or its end not found quickly."""
    match = _BEFORE_DOCUMENT.match(line)
    if not match or (end := _text_end(line, match.end())) <= match.end() + _WINDOW:
        return None
    window = line[match.end() : match.end() + _WINDOW]
    if (escape := window.rfind(b"\\", len(window) - 12)) >= 0:
        window = window[:escape].rstrip(b"\\")
    elif window[-1] >= 0x80:
        window = window.decode(errors="ignore").encode()  # without a part of a character at its end
    return line[: match.end()] + window + line[end:]


def _fields(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line; None if the line is anything else."""
    try:
        text = line.decode().strip(_SPACE)
        value, end = plain_json.first(text, 0)
    except ValueError:
        return None
    return value if isinstance(value, dict) and end == len(text) else None


def _text_end(line: bytes, start: int) -> int:
    """The position of the closing quote of the JSON string that begins at `start`; 0 if not found quickly."""
    end = start - 1
    for _ in range(_ESCAPED_QUOTES):
        end = line.find(b'"', end + 1)
        if end < 0:
            return 0
        escape = end
        while escape > start and line[escape - 1] == ord("\\"):
            escape -= 1
        if (end - escape) % 2 == 0:
            return end
    return 0
