"""MuLD's rows: `{input, output, metadata?}`, where `input` is the question, white space, and the whole document.

Nothing marks where the question ends. It is found, in this order, by:

1. Rows of one document have the same end. Neighbours that share all but their first `REACH` characters have one
   document, and their longest common suffix begins where it does, or earlier, with words that their questions end in.
2. The marks that documents start with: a byte order mark (also as the three characters that its bytes make in
   Latin-1), or an HTML tag right after the question: what comes before it is one line that ends in a "?" or has none.
3. The first "?" before white space (closing quotes may come between) on the input's first line.

A row with none of these within `REACH` characters is left out, and named in the warnings. `evidence` in
the `metadata`, as our builders write it, is spans of `input`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Example, Span
from pipelines.sources import parsing
from pipelines.sources.boundary import BOM, REACH, TAIL, Group, PendingRow
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "MuLD's rows (input, output)"
RECENT = 4  # documents that are kept, for rows that come back to one

_NO_BOUNDARY = "rows left out, because nothing tells the question from the document"
_COMMON_ENDING = "documents told from their questions by the rows' common ending alone"
_MOJIBAKE = "documents began with a byte order mark read in the wrong encoding; it was dropped"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is MuLD's: these fields and no others, since other benchmarks use the same names."""
    return {"input", "output"} <= fields.keys() <= {"input", "output", "metadata"}


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples in the order of the rows, neighbours of one document sharing it.

    Rows before damage come first, then the `UserError`. Without `has_query` the whole input is the document.
    """
    splitter = _Splitter(warnings, has_query)
    try:
        for row in table.rows():
            yield from splitter.add(_pending(row, split), _input(row))
    except UserError:
        yield from splitter.flush()
        raise
    yield from splitter.flush()


@dataclass(slots=True)
class _Splitter:
    """Groups neighbouring rows and separates their questions from their document."""

    warnings: Warnings
    has_query: bool
    group: Group | None = None
    lengths: dict[int, list[tuple[int, str]]] = field(default_factory=dict)  # hash of a tail -> (length, document id)
    recent: dict[str, Document] = field(default_factory=dict)

    def add(self, row: PendingRow, text: str) -> Iterator[Example]:
        """Add a row with its input; where it begins another document, the examples of the one before come out."""
        if self.group and self.group.add(row, text):
            return
        yield from self.flush()
        row.shared = len(text)
        self.group = Group(text, [row], self._earlier_length(text) if self.has_query else len(text))

    def flush(self) -> Iterator[Example]:
        """The examples of the waiting rows, now that no more rows of their document follow."""
        group, self.group = self.group, None
        if group is None:
            return
        length = group.document_length or self._length(group)
        if length is None:
            for row in group.rows:
                self.warnings.count(_NO_BOUNDARY, row.location)
            return
        document = self._document(group.text[len(group.text) - length :], group.rows[0].location)
        for row in group.rows:
            question = parsing.clean(BOM.sub("", group.before(row, length))).strip()
            if self.has_query and not question:
                self.warnings.count(_NO_BOUNDARY, row.location)
                continue
            evidence = _evidence(row, len(row.head) + row.shared - length, length)
            yield replace(row.example, document=document, query=question, evidence=evidence)

    def _length(self, group: Group) -> int | None:
        """The length of the document without leading white space or byte order mark."""
        length, is_certain = group.ending()
        if length is None:
            return None
        location = group.rows[0].location
        if not is_certain:
            self.warnings.count(_COMMON_ENDING, location)
        text = group.text[len(group.text) - length :]
        if mark := BOM.match(text.lstrip()):
            if len(mark[0]) > 1:
                self.warnings.count(_MOJIBAKE, location)
            return len(text.lstrip()) - mark.end()
        return length - text[:1].isspace()  # one separator; further white space belongs to the document

    def _document(self, text: str, location: str) -> Document:
        document = parsing.document(text, location)
        document = self.recent.pop(document.id, document)
        self.recent[document.id] = document
        if len(self.recent) > RECENT:
            del self.recent[next(iter(self.recent))]
        same_tail = self.lengths.setdefault(hash(text[-TAIL:]), [])
        if (len(text), document.id) not in same_tail:
            same_tail.append((len(text), document.id))
        return document

    def _earlier_length(self, text: str) -> int | None:
        """The length of an earlier document that this input ends with, if its head can be a question."""
        for length, identity in self.lengths.get(hash(text[-TAIL:]), ()):
            if 0 < len(text) - length <= REACH and parsing.identity(parsing.clean(text[-length:])) == identity:
                return length
        return None


def _pending(row: Row, split: str) -> PendingRow:
    references = row.strings("output")
    metadata = row.fields.get("metadata")
    meta = {"metadata": metadata} if metadata else {}
    name = f"{split}-{row.number}"
    return PendingRow(row.location, Example(name, parsing.NO_DOCUMENT, references=references, meta=meta))


def _input(row: Row) -> str:
    text = row.fields.get("input")
    if not isinstance(text, str):
        raise row.refusal("a row of MuLD needs a text 'input'")
    if not text.strip():
        raise UserError(f"{row.location}: the document is empty (field input): give it text, or leave the row out")
    return text


def _evidence(row: PendingRow, offset: int, length: int) -> tuple[Span, ...]:
    """The evidence in a row's metadata, whose spans are of `input`, as spans of the document, `offset` characters on.

    Raises `UserError` for a span that is not within the `length` characters of the document.
    """
    metadata = row.example.meta.get("metadata")
    spans = [] if not isinstance(metadata, Mapping) else metadata.get("evidence") or []
    document_spans = [(start - offset, end - offset) for start, end in parsing.spans(spans, row.location)]
    for start, end in document_spans:
        if not 0 <= start < end <= length:
            span = f"[{start + offset}, {end + offset}]"
            raise UserError(
                f"{row.location}: evidence {span} is not within the document, [{offset}, {offset + length}]"
            )
    return tuple(document_spans)
