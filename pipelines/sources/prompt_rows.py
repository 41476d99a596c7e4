"""Rows that have a whole prompt, which is split into a document and a question.

The fields `document_start_index`, `document_end_index`, `query_start_index` and `query_end_index` (ZeroSCROLLS' names;
code points, ends exclusive), which our builders write, say where the two are; without them, the form of the prompt
shows it. `evidence` are spans of the prompt within its document.
"""

from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Document, Span
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row

EDGES = ("document_start_index", "document_end_index", "query_start_index", "query_end_index")


@dataclass(frozen=True, slots=True)
class PromptSpans:
    """The spans of a prompt's document and, after it, its question; an empty span at the end if it has none."""

    document: Span
    query: Span

    @classmethod
    def all_document(cls, text: str) -> "PromptSpans":
        """The spans of a prompt that is not split: all of it is the document."""
        start, end = trimmed(text, 0, len(text))
        return cls((start, end), (end, end))


def stated_spans(row: Row, text: str) -> PromptSpans | None:
    """The spans in a row's fields; None if it has no such fields. Raises `UserError` for impossible positions."""
    positions: list[Any] = [row.fields.get(name) for name in EDGES]
    if all(position is None for position in positions):
        return None
    if any(type(position) is not int for position in positions):
        raise UserError(f"{row.location}: {', '.join(EDGES)} must be whole numbers, got {positions}")
    start, end, query_start, query_end = positions
    if not 0 <= start < end <= query_start <= query_end <= len(text):
        raise UserError(
            f"{row.location}: the document ({start} to {end}) and after it the query ({query_start} to {query_end}) "
            f"are not within the prompt's {len(text):,} characters: fix the positions, or leave them out"
        )
    return PromptSpans((start, end), (query_start, query_end))


def parts(row: Row, text: str, spans: PromptSpans, documents: SharedDocuments, ending: str = "") -> dict[str, Any]:
    """Document, query, evidence and metadata of an example: the prompt is exactly before + document + after.

    `ending` is what follows the prompt's text in another field of the row.
    """
    (start, end), (query_start, query_end) = spans.document, spans.query
    document: Document = documents.document(text[start:end], row.location)
    return {
        "document": document,
        "query": text[query_start:query_end],
        "evidence": _evidence(row, spans),
        "meta": {
            "before": text[:start],
            "after": text[end:] + ending,
            "query_in_after": [query_start - end, query_end - end],
        },
    }


def trimmed(text: str, start: int, end: int) -> Span:
    """A span without the white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _evidence(row: Row, spans: PromptSpans) -> tuple[Span, ...]:
    """The spans of the evidence, counted from the document's start. Raises `UserError` for one beyond it."""
    values, (start, end) = row.fields.get("evidence") or [], spans.document
    if not isinstance(values, (list, tuple)):
        raise UserError(f"{row.location}: evidence must be a list of [start, end], got {values!r}")
    pairs = [tuple(value) if isinstance(value, (list, tuple)) else () for value in values]
    for pair in pairs:
        is_pair = len(pair) == 2 and all(type(position) is int for position in pair)
        if not is_pair or not start <= pair[0] < pair[1] <= end:
            raise UserError(
                f"{row.location}: evidence must be [start, end] in the document ({start} to {end}), got {list(pair)}"
            )
    return tuple((first - start, last - start) for first, last in pairs)
