"""LongBench's rows: `{input, context, answers, length, dataset, language, all_classes, _id}` (Bai et al. 2024).

`input` is the question, empty or null for summaries; copies in Parquet name it `question`. All `answers` are accepted.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "LongBench's rows (input or question, context, answers, dataset, all_classes, _id)"
META_FIELDS = ("dataset", "language", "length")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LongBench's."""
    has_question = "input" in fields or "question" in fields
    return has_question and isinstance(fields.get("context"), str) and {"answers", "all_classes"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one document share it."""
    documents = SharedDocuments()
    for row in table.rows():
        fields = row.fields
        query = parsing.string(fields.get("input", fields.get("question")), row.location, "input")
        if has_query and not query.strip():
            raise row.refusal("the row needs a question in 'input'")
        if not isinstance(fields.get("context"), str):
            raise row.refusal("the row needs a text 'context'")
        yield Example(
            id=row.string("_id") or f"{split}-{row.number}",
            document=documents.document(fields["context"], row.location),
            query=query,
            references=row.strings("answers"),
            options=row.strings("all_classes"),
            meta={key: fields[key] for key in META_FIELDS if fields.get(key) is not None},
        )
