"""LooGLE's rows: long documents of after 2022, each with its questions, answers and evidence (Li et al., 2023).

JSON Lines `{input, title, qa_pairs, output}`: `input` is the document, `qa_pairs` a list of `{Q, A, S}` in Python's
notation (or JSON's), where `S` is the evidence, sentences of the document that need not follow one another. Rows that
are a question each have `context, question, answer, evidence`. Rows for summaries (`qa_pairs` "none") are refused.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import _fields, _gold
from pipelines.sources._tables import Row, Table
from pipelines.sources._warnings import Warnings
from pipelines.sources.published._instances import SharedDocuments

ACCEPTS = "LooGLE's rows (input, title, qa_pairs; or context, question, answer, evidence)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a document with its questions, or a question with its document."""
    whole = isinstance(fields.get("input"), str) and "qa_pairs" in fields
    return whole or (isinstance(fields.get("context"), str) and {"question", "answer", "evidence"} <= fields.keys())


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per question, in the order of the rows; neighbouring rows with one document share it."""
    documents = SharedDocuments()
    places: _gold.Places | None = None
    known = None
    for row in table.rows():
        if not recognizes(row.fields):
            raise UserError(f"{row.where}: a row of LooGLE needs input and qa_pairs; found {', '.join(row.fields)}")
        text = row.fields["input"] if "qa_pairs" in row.fields else row.fields["context"]
        document = documents.document(text, row.where)
        if places is None or document is not known:
            places, known = _gold.Places(document, warnings), document
        for number, pair in enumerate(_pairs(row), 1):
            where = f"{row.where}, question {number}"
            example = Example(
                id=f"{split}-{row.number}-{number}",
                document=document,
                query=_fields.string(pair.get("Q"), where, "Q").strip(),
                references=_fields.strings(pair.get("A"), where, "A"),
            )
            yield places.located(example, _gold.read(pair.get("S"), where), where)


def _pairs(row: Row) -> list[Mapping[str, Any]]:
    """The questions of a row. Raises `UserError` where there are none."""
    if "qa_pairs" not in row.fields:
        return [{"Q": row.fields["question"], "A": row.fields["answer"], "S": _value(row.fields["evidence"])}]
    pairs = _value(row.fields["qa_pairs"])
    if not isinstance(pairs, list) or not all(isinstance(one, Mapping) and one.get("Q") for one in pairs):
        raise UserError(f"{row.where}: qa_pairs must be a list of objects with Q, A and S; got {str(pairs)[:60]!r}")
    return pairs


def _value(given: Any) -> Any:
    """A list that is written as text, in the notation of Python, as that list; other values as they are."""
    if isinstance(given, str) and given.lstrip().startswith("["):
        try:
            return ast.literal_eval(given.strip())  # constants only: nothing is run
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return given
    return given
