"""SQuALITY's own rows: a story, five questions about it, four answers to each (Wang et al., 2022, version 1.3).

JSON Lines, one story each: `document`, `metadata` `{passage_id}`, `questions` `[{question_text, question_number,
responses: [{response_text}]}]`. The first question of a story asks for its plot. Every response is a reference. The
release has no ids of questions, and those of ZeroSCROLLS' published rows are not known here: an id is the split, the
story's place in the file and the question's in the story.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.tables import Table
from pipelines.sources.warnings import Warnings

ACCEPTS = "SQuALITY's stories (document, questions with question_text and responses)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is a story with its questions."""
    questions = fields.get("questions")
    return isinstance(fields.get("document"), str) and isinstance(questions, list) and _are_questions(questions)


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per question."""
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal("a story needs document and questions with question_text")
        metadata = row.fields.get("metadata")
        passage = metadata.get("passage_id") if isinstance(metadata, Mapping) else None
        meta = {} if passage is None else {"passage_id": str(passage)}
        document = parsing.document(row.fields["document"], row.location, meta=meta)
        for number, question in enumerate(row.fields["questions"], 1):
            yield Example(
                id=f"{split}-{row.number}-{number}",
                document=document,
                query=parsing.clean(question["question_text"].strip()),
                references=_responses(question, f"{row.location}, question {number}"),
            )


def _are_questions(questions: list[Any]) -> bool:
    """Whether all are questions with text."""
    texts = [question.get("question_text") if isinstance(question, Mapping) else None for question in questions]
    return bool(texts) and all(isinstance(text, str) and text.strip() for text in texts)


def _responses(question: Mapping[str, Any], location: str) -> tuple[str, ...]:
    responses = question.get("responses") or []
    if not isinstance(responses, list) or not all(isinstance(response, Mapping) for response in responses):
        raise UserError(f"{location}: responses must be a list of objects with response_text")
    return parsing.strings([response.get("response_text") for response in responses], location, "response_text")
