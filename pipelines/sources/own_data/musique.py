"""MuSiQue's own rows: questions that need two to four of twenty paragraphs (Trivedi et al., 2022).

JSON Lines: `id, question, answer, answer_aliases, answerable, paragraphs` `[{title, paragraph_text, is_supporting}]`. A
document is the paragraphs, each under its title, separated by empty lines. Evidence is the supporting paragraphs
without their titles. The reference is the answer alone, as ZeroSCROLLS scores it (its section 3.3; the release's own
scorer takes the aliases too: they are in `meta`); of an unanswerable question it is the word that ZeroSCROLLS's
instruction asks for (its table 6). Such a question has the id of the answerable one that it was made from, with
`-unanswerable` appended. `meta["inner"]` has the starts of the paragraphs, with their titles.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example, Span
from pipelines.sources import parsing
from pipelines.sources.pieces import Pieces
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "MuSiQue's rows (question, answer, paragraphs with title and paragraph_text)"
UNANSWERABLE = "unanswerable"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a question with its paragraphs."""
    paragraphs = fields.get("paragraphs")
    if not isinstance(fields.get("question"), str) or not isinstance(paragraphs, list) or not paragraphs:
        return False
    return all(
        isinstance(paragraph, Mapping) and isinstance(paragraph.get("paragraph_text"), str) for paragraph in paragraphs
    )


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row, each with its own document."""
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal("a row of MuSiQue needs question and paragraphs")
        fields = row.fields
        name = row.string("id") or f"{split}-{row.number}"
        answerable = is_answerable(row)
        text, evidence, inner = joined(row)
        aliases = parsing.strings(fields.get("answer_aliases") or [], row.location, "answer_aliases")
        yield Example(
            id=name if answerable else f"{name}-{UNANSWERABLE}",
            document=parsing.document(text, row.location),
            query=parsing.clean(fields["question"].strip()),
            references=row.strings("answer") if answerable else (UNANSWERABLE,),
            evidence=evidence,
            meta={"answerable": answerable, "inner": inner, **({"aliases": aliases} if aliases else {})},
        )


def is_answerable(row: Row) -> bool:
    """Whether a row's question has an answer. Raises `UserError` for anything but true and false."""
    answerable = row.fields.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise UserError(f"{row.location}: answerable must be true or false, got {answerable!r}")
    return answerable is not False


def joined(row: Row) -> tuple[str, tuple[Span, ...], list[int]]:
    """The document, the spans of its supporting paragraphs, and the starts of all paragraphs with their titles."""
    pieces, evidence, inner = Pieces(), [], []
    for paragraph in row.fields["paragraphs"]:
        inner.append(pieces.add(parsing.string(paragraph.get("title"), row.location, "title"), "\n\n")[0])
        span = pieces.add(paragraph["paragraph_text"], "\n")
        if paragraph.get("is_supporting"):
            evidence.append(span)
    return pieces.text, tuple(evidence), inner
