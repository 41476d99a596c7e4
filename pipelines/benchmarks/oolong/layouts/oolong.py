"""OOLONG's rows (Bertsch et al. 2025): `{id, context_window_text, question, answer, …}`, questions about a window.

Of the synthetic part, `answer` is a list written as text, "['spam']" or "[datetime.date(2024, 3, 5)]", whose first
item is the reference, a date as 2024-03-05, and `answer_type`, `task_group`, `task` and `context_len` are in the
metadata; of the part from transcripts it is a text, with `question_type`. Windows with their labels are not read.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "OOLONG's rows (id, context_window_text, question, answer)"
META_FIELDS = ("answer_type", "task_group", "task", "context_len", "question_type", "campaign")
_DATE = re.compile(r"\[datetime\.date\((\d{1,4}), (\d{1,2}), (\d{1,2})\)")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is OOLONG's."""
    return {"id", "context_window_text", "question", "answer"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one window share it."""
    documents = SharedDocuments()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        document = documents.document(row.string("context_window_text"), row.location)
        yield Example(
            row.string("id"),
            document,
            row.string("question"),
            (reference(row) if "answer_type" in row.fields else _text(row),),
            meta={name: row.string(name) for name in META_FIELDS if row.fields.get(name) is not None},
        )


def reference(row: Row) -> str:
    """The reference of a row of the synthetic part. Raises `UserError` for an answer in another form."""
    text = _text(row)
    try:
        if match := _DATE.match(text):
            return date(*map(int, match.groups())).isoformat()
        values = ast.literal_eval(text)  # constants only: nothing is run
        if isinstance(values, list) and values and isinstance(values[0], (str, int)):
            return str(values[0])
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        pass
    raise UserError(
        f'{row.location}: the answer must be a list, "[\'x\']" or "[datetime.date(2024, 3, 5)]", got {text[:80]!r}'
    )


def _text(row: Row) -> str:
    text = row.string("answer")
    if not text.strip():
        raise row.refusal("the row needs an answer")
    return text
