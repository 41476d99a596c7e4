"""LongBench Pro's rows (caskcsg/LongBench-Pro): `{id, context, question_nonthinking, question_thinking, answer, …}`.

The query is the question for models that answer at once. What the groups of its tables need is in the metadata.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "LongBench Pro's rows (id, context, question_nonthinking, answer, secondary_task)"
META_FIELDS = ("language", "token_length", "primary_task", "secondary_task", "contextual_requirement", "difficulty")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LongBench Pro's."""
    return isinstance(fields.get("context"), str) and {
        "id", "question_nonthinking", "answer", "secondary_task",
    } <= fields.keys()  # fmt: skip


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one text share it. All answers are references."""
    documents = SharedDocuments()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        references = row.strings("answer")
        if not references:
            raise row.refusal("the row needs an answer")
        yield Example(
            row.string("id"),
            documents.document(row.string("context"), row.location),
            row.string("question_nonthinking"),
            references,
            meta={name: row.string(name) for name in META_FIELDS if row.fields.get(name) is not None},
        )
