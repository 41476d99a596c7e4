"""BABILong's rows: `{input, question, target}` (Kuratov et al. 2024): facts of a bAbI task spread over pages of books.

Which task they are of decides how they are scored: a field `task` ("qa1") says it, else the file's name, such as
`qa1_8k.jsonl` or `qa1/0k.json`. Without either, the labels of a target are those of the first task that has it; of yes
and no three tasks have other labels, so that such rows need a task.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "BABILong's rows (input, question, target)"
_TASK = re.compile(r"(?<![a-z0-9])qa([1-9]|1[0-9]|20)(?![0-9])")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is BABILong's."""
    return isinstance(fields.get("input"), str) and {"question", "target"} <= fields.keys()


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours of one text share it. Raises `UserError` for a row that lacks a task it needs."""
    documents = SharedDocuments()
    name = task_name(table.name) or (task_name(table.base.name) if table.base else "")
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        document = documents.document(row.string("input"), row.location)
        yield Example(row.string("id") or f"{split}-{row.number}", document, **question(row, name))


def question(row: Row, name: str) -> dict[str, Any]:
    """Query, references and task of a row: `task`, else `name`. Raises `UserError` where it needs one and has none."""
    task, target = row.string("task") or name, row.string("target").strip()
    if not target:
        raise row.refusal("the row needs a target")
    if not task and target.lower() in ("yes", "no"):
        raise UserError(
            f"{row.location}: qa6, qa9 and qa10 answer yes or no, and have other labels: give rows a field task "
            '("qa6"), or the file a name with it (qa6.jsonl)'
        )
    return {
        "query": row.string("question").strip(),
        "references": (target,),
        "meta": {"task": task} if task else {},
    }


def task_name(file_name: str) -> str:
    """The task that a file's or folder's name contains, "" where there is none."""
    match = _TASK.search(file_name.lower())
    return match[0] if match else ""
