"""Graphwalks' rows: `{prompt, answer_nodes, prompt_chars, problem_type}` (OpenAI 2025), a prompt with rules, examples,
the edges of a graph and an operation on it. Older rows have `answer` in place of `answer_nodes`.

All nodes are to be named; where there are none, nothing is the right answer. The document is the last run of lines
"a -> b", and the query what follows it: the line after one that ends with a colon, where there is such. A prompt
without edges is all document.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.records import NO_ANSWER, Example
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.prompt_rows import PromptSpans, parts, stated_spans
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "Graphwalks' rows (prompt, answer_nodes, problem_type)"
_EDGES = re.compile(r"^\S+ -> \S+(?:\n\S+ -> \S+)*", re.MULTILINE)
_OPERATION = re.compile(r"\s*(?:[^\n]*:[ \t]*\n\s*)?([^\n]*\S)?")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is Graphwalks'."""
    return isinstance(fields.get("prompt"), str) and "problem_type" in fields and bool(_answer_field(fields))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; neighbours with one graph share it. The references are the nodes, or `NO_ANSWER`."""
    documents = SharedDocuments()
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        yield _example(row, split, documents)


def _example(row: Row, split: str, documents: SharedDocuments) -> Example:
    text = row.string("prompt")
    fields = parts(row, text, stated_spans(row, text) or spans_of(text), documents)
    fields["meta"] |= {"problem_type": row.string("problem_type")}
    nodes = row.strings(_answer_field(row.fields))
    return Example(row.string("id") or f"{split}-{row.number}", references=nodes or NO_ANSWER, **fields)


def spans_of(text: str) -> PromptSpans:
    """Where a prompt has its graph and its operation."""
    edges = None
    for edges in _EDGES.finditer(text):  # noqa: B007  (the last one)
        pass
    if edges is None:
        return PromptSpans.all_document(text)
    operation = _OPERATION.match(text, edges.end())
    end = edges.end()
    query = operation.span(1) if operation and operation[1] else (end, end)
    return PromptSpans(edges.span(), query)


def _answer_field(fields: Mapping[str, Any]) -> str:
    return next((name for name in ("answer_nodes", "answer") if name in fields), "")
