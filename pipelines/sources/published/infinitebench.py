"""∞Bench's rows: `{id, context, input, answer, options}` (Zhang et al. 2024). All of a row's `answer` are accepted."""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import _fields
from pipelines.sources._tables import Table
from pipelines.sources._warnings import Warnings
from pipelines.sources.published._instances import SharedDocuments

ACCEPTS = "∞Bench's rows (id, context, input, answer, options)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ∞Bench's."""
    return isinstance(fields.get("context"), str) and {"id", "input", "answer", "options"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one document share it."""
    documents = SharedDocuments()
    for row in table.rows():
        fields = row.fields
        if not recognizes(fields):
            raise UserError(f"{row.where}: not {ACCEPTS}; found {', '.join(fields)}")
        query = _fields.string(fields.get("input"), row.where, "input")
        if has_query and not query.strip():
            raise UserError(f"{row.where}: the row needs a question in 'input'; found {', '.join(fields)}")
        yield Example(
            id=str(fields["id"]),
            document=documents.document(fields["context"], row.where),
            query=query if has_query else "",
            references=_fields.strings(fields["answer"], row.where, "answer"),
            options=_fields.strings(fields["options"], row.where, "options"),
        )
