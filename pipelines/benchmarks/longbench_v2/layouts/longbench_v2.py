"""LongBench v2's rows: `{_id, domain, sub_domain, difficulty, length, question, choice_A … choice_D, answer, context}`
(Bai et al. 2025). White space around texts is left out, as its code does.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

LETTERS = "ABCD"
CHOICES = tuple(f"choice_{letter}" for letter in LETTERS)
ACCEPTS = "LongBench v2's rows (_id, question, choice_A to choice_D, answer, context, difficulty, length)"
META_FIELDS = ("difficulty", "length", "domain", "sub_domain")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LongBench v2's."""
    return isinstance(fields.get("context"), str) and {"_id", "question", "answer", *CHOICES} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one document share it. The reference is the letter of the right choice."""
    documents = SharedDocuments()
    for row in table.rows():
        fields = row.fields
        if not recognizes(fields):
            raise row.refusal(f"expected {ACCEPTS}")
        yield Example(
            id=row.string("_id") or f"{split}-{row.number}",
            document=documents.document(fields["context"].strip(), row.location),
            query=_text(row, "question"),
            references=(right_letter(row),),
            options=tuple(_text(row, name) for name in CHOICES),
            meta=meta_fields(row) | {"options_text": "\n".join(f"({name[-1]}) {_text(row, name)}" for name in CHOICES)},
        )


def right_letter(row: Row) -> str:
    """The letter of the right choice. Raises `UserError` for any other answer."""
    answer = _text(row, "answer")
    if answer not in tuple(LETTERS):
        raise UserError(f"{row.location}: the answer must be a letter A to D, got {answer!r}")
    return answer


def meta_fields(row: Row) -> dict[str, str]:
    """The groups of a row's question: its difficulty, length and domains."""
    return {name: row.string(name) for name in META_FIELDS if row.fields.get(name) is not None}


def _text(row: Row, name: str) -> str:
    return row.string(name).strip()
