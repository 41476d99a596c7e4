"""LooGLE's rows: long documents of after 2022, each with its questions, answers and evidence (Li et al. 2024).

JSON Lines `{input, title, qa_pairs, output}`: `input` is the document, `qa_pairs` a list of `{Q, A, S}` in Python's
notation (or JSON's), where `S` is the evidence, sentences of the document that need not follow one another. Of clozes,
`A` is a dictionary of mask to entity, and `S` the text without masks, which is no quotation. Where `qa_pairs` is
"none", `output` is the document's summary. Rows that are a question each have `context, question, answer, evidence`.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import gold_evidence, parsing
from pipelines.sources.instances import SharedDocuments
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

NO_PAIRS = "none"
ACCEPTS = "LooGLE's rows (input, title, qa_pairs; or context, question, answer, evidence)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a document with its questions, or a question with its document."""
    is_document = isinstance(fields.get("input"), str) and "qa_pairs" in fields
    return is_document or (
        isinstance(fields.get("context"), str) and {"question", "answer", "evidence"} <= fields.keys()
    )


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per question, or per document to summarize; neighbouring rows with one document share it.

    Raises `UserError` for rows with summaries where questions are asked, and the other way round.
    """
    documents = SharedDocuments()
    places: gold_evidence.Places | None = None
    latest_document = None
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal("a row of LooGLE needs input and qa_pairs")
        text = row.fields["input"] if "qa_pairs" in row.fields else row.fields["context"]
        document = documents.document(text, row.location)
        if not has_query:
            yield Example(f"{split}-{row.number}", document, references=_summary(row))
            continue
        if places is None or document is not latest_document:
            places, latest_document = gold_evidence.Places(document, warnings), document
        for number, pair in enumerate(_pairs(row), 1):
            location = f"{row.location}, question {number}"
            query = parsing.string(pair.get("Q"), location, "Q").strip()
            name, answer = f"{split}-{row.number}-{number}", _evaluated(pair.get("A"))
            if isinstance(answer, Mapping):
                yield Example(name, document, query, (entities(answer),))
                continue
            example = Example(name, document, query, parsing.strings(answer, location, "A"))
            yield places.located(example, gold_evidence.read(pair.get("S"), location), location)


def entities(answer: Mapping[Any, Any]) -> str:
    """The entities of a cloze by mask, as the text of a reference."""
    return json.dumps({str(mask): str(entity) for mask, entity in answer.items()}, ensure_ascii=False)


def _summary(row: Row) -> tuple[str, ...]:
    """The summary of a row's document. Raises `UserError` for a row with questions."""
    pairs = row.fields.get("qa_pairs", NO_PAIRS)
    if str(pairs).strip().lower() != NO_PAIRS:
        raise UserError(
            f"{row.location}: this row has questions, not a summary; choose a task of LooGLE that asks them"
        )
    field = "output" if "qa_pairs" in row.fields else "answer"
    return row.strings(field)


def _pairs(row: Row) -> list[Mapping[str, Any]]:
    """The questions of a row. Raises `UserError` where there are none."""
    if "qa_pairs" not in row.fields:
        return [{"Q": row.fields["question"], "A": row.fields["answer"], "S": _evaluated(row.fields["evidence"])}]
    pairs = _evaluated(row.fields["qa_pairs"])
    if not isinstance(pairs, list) or not all(isinstance(pair, Mapping) and pair.get("Q") for pair in pairs):
        problem = f"{row.location}: qa_pairs must be a list of objects with Q, A and S; got {str(pairs)[:60]!r}"
        raise UserError(problem + "; rows with summaries: loogle/longdep_summarization" * (pairs == NO_PAIRS))
    return pairs


def _evaluated(value: Any) -> Any:
    """The list or dictionary that a text in Python's notation stands for; other values are returned unchanged."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return ast.literal_eval(value.strip())  # constants only: nothing is run
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return value
    return value
