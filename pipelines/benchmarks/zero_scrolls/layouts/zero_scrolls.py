"""ZeroSCROLLS' rows: a whole prompt with the positions of document and query in it (Shaham et al. 2023, section 3.2).

`{id, pid, input, output, document_start_index, document_end_index, query_start_index, query_end_index,
truncation_seperator}` (their spelling), with `inner_docs_start_indices` where the document consists of several.
Positions are code points of `input`, ends exclusive; a query that ends where it starts is absent. Rows of one `id` are
one example with several accepted outputs, and `output` may be null.

In the published rows the span of the query includes its header, and an example's query is what follows it: a first
line that ends with a colon, after a blank line, is a header. Without a query both positions are where the header of
the response starts.

What is needed to rebuild the prompt is in `meta`: `before` + document + `after` is the input to the letter;
`query_in_before` or `query_in_after` is where the row has its query (header included), [start, end] in either, and
`header` what of that is header; `truncation` is the notice to insert where a document was cut; `inner` the starts of
the inner documents in the document.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from pipelines.benchmarks.scrolls.choices import choices
from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments, instances
from pipelines.sources.prompt_rows import EDGES
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "ZeroSCROLLS' rows (id, pid, input, output, document_start_index, document_end_index, query_start_index …)"
_HEADER = re.compile(r"[^\n]*:[ \t]*\n(?=\s*\S)")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ZeroSCROLLS'."""
    return {"id", "input", *EDGES[:2]} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per id, in the order of first occurrence. Raises `UserError` for impossible positions."""
    documents = SharedDocuments()
    for name, row, instance in instances(table):
        positions = _Positions.from_row(row)
        query = positions.text[slice(*positions.query)].removeprefix(positions.header)
        yield Example(
            id=name,
            document=documents.document(positions.text[slice(*positions.document)], row.location),
            query=query,
            references=tuple(instance.references),
            options=choices(query),
            meta={"pid": instance.pids, **positions.around(), "inner": positions.inner},
        )


@dataclass(frozen=True, slots=True)
class _Positions:
    """An input, the spans of its document and its query, and where the inner documents start in the document."""

    text: str
    truncation: str
    document: tuple[int, int]
    query: tuple[int, int]
    inner: list[int]

    @classmethod
    def from_row(cls, row: Row) -> "_Positions":
        """Read them from a row. Raises `UserError` for impossible positions."""
        text = row.string("input")
        edges: list[Any] = [row.fields.get(field) for field in EDGES]
        if any(type(edge) is not int for edge in edges):
            raise UserError(f"{row.location}: {', '.join(EDGES)} must be whole numbers, got {edges}")
        start, end, query_start, query_end = edges
        if not 0 <= start <= end <= len(text):
            raise UserError(
                f"{row.location}: the document's span {start} to {end} is not within the input's "
                f"{len(text):,} characters"
            )
        if query_start == query_end <= len(text):
            query_start = query_end = max(query_start, end)
        elif not (0 <= query_start < query_end <= start or end <= query_start < query_end <= len(text)):
            raise UserError(
                f"{row.location}: the query's {query_start} to {query_end} are not before or after the document "
                f"({start} to {end}) and within the input's {len(text):,}"
            )
        truncation = row.string("truncation_seperator")
        return cls(text, truncation, (start, end), (query_start, query_end), _inner(row, start, end))

    @property
    def header(self) -> str:
        """The first line of the query's span if it is a header, with its line end; else nothing."""
        query_start, query_end = self.query
        blank = query_start == 0 or self.text.endswith("\n\n", 0, query_start)
        match = _HEADER.match(self.text, query_start, query_end) if blank else None
        return match[0] if match else ""

    def around(self) -> dict[str, Any]:
        """All of the prompt but the document, and where the query is in it."""
        (start, end), (query_start, query_end) = self.document, self.query
        name, offset = ("query_in_before", 0) if query_end <= start else ("query_in_after", end)
        return {
            "before": self.text[:start],
            "after": self.text[end:],
            "truncation": self.truncation,
            name: [query_start - offset, query_end - offset],
            **({"header": self.header} if self.header else {}),
        }


def _inner(row: Row, start: int, end: int) -> list[int]:
    """The starts of the inner documents, counted from the start of the document."""
    starts = row.fields.get("inner_docs_start_indices") or []
    are_positions = isinstance(starts, list) and all(type(position) is int for position in starts)
    if not are_positions or sorted(set(starts)) != starts or any(not start <= position < end for position in starts):
        raise UserError(
            f"{row.location}: inner_docs_start_indices must be rising positions within the document ({start} to {end})"
        )
    return [position - start for position in starts]
