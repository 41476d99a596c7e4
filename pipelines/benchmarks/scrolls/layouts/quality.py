"""QuALITY's rows: an article, questions with four options each (Pang et al., 2022).

Its own files are JSON Lines named by their splits (`QuALITY.v1.0.1.htmlstripped.dev`), a row an article and a writer of
questions: `article`, `questions` `[{question, options, gold_label, difficult}]`, labels counted from 1. On the hub a
row is a question: `article, question, options, answer, hard`, labels counted from 0. Rows of one question with
`gold_label` are read as well. A label 0, or one that equals the number of options, shows how the labels of the data are
counted. The reference is the text of the gold option (as in SCROLLS), `gold` its letter (as in ZeroSCROLLS),
`difficult` whether readers under time pressure failed. `options_text` has four options as SCROLLS' inputs list them.
Ids are the questions' own (`question_unique_id`, as in both benchmarks' published rows), or the place in the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from pipelines.benchmarks.scrolls import choices
from pipelines.records import Example
from pipelines.sources import parsing
from pipelines.sources.tables import Row, Table
from pipelines.sources.warnings import Warnings

BY_DOCUMENT = True
ACCEPTS = "QuALITY's articles (article, questions with options and gold_label) or rows (article, question, options)"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FIRST_LABELS = {"gold_label": 1, "answer": 0}  # the label of the first option, where the labels do not show it


@dataclass(frozen=True, slots=True)
class _Question:
    id: str
    location: str
    question: str
    options: tuple[str, ...]
    label: int | None
    field: str
    meta: Mapping[str, Any]


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is an article with questions, or a question with its article and options."""
    has_questions = isinstance(fields.get("questions"), list) or isinstance(fields.get("options"), list)
    return isinstance(fields.get("article"), str) and has_questions


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """Examples grouped by article, in the order of first occurrence. Two passes: the first keeps no articles."""
    questions_by_article: dict[str, list[_Question]] = {}
    for row in table.rows():
        questions_by_article.setdefault(_key(row), []).extend(_questions(row, split))
    first = _first_label([question for questions in questions_by_article.values() for question in questions], warnings)
    for row in table.rows():
        if questions := questions_by_article.pop(_key(row), None):
            title = row.string("title")
            document = parsing.document(row.fields["article"], row.location, title)
            for question in questions:
                gold, meta = _gold(question, first)
                references = () if gold is None else (question.options[gold],)
                yield Example(question.id, document, question.question, references, question.options, meta=meta)


def _key(row: Row) -> str:
    """The identity of a row's article. Raises `UserError` for a row of another layout."""
    if not recognizes(row.fields):
        raise row.refusal("a row of QuALITY needs article and questions or options")
    return parsing.identity(row.fields["article"])


def _questions(row: Row, split: str) -> Iterator[_Question]:
    """The questions of an article; the row itself where it is a question."""
    questions = row.fields.get("questions")
    if questions is None:
        yield _question(row.fields, f"{split}-{row.number}", row.location)
        return
    for number, fields in enumerate(questions, 1):
        location = f"{row.location}, question {number}"
        if not isinstance(fields, Mapping):
            raise UserError(f"{location}: expected an object with question and options, got {type(fields).__name__}")
        yield _question(fields, f"{split}-{row.number}-{number}", location)


def _question(fields: Mapping[str, Any], name: str, location: str) -> _Question:
    question, options = parsing.string(fields.get("question"), location, "question").strip(), fields.get("options")
    if not question or not isinstance(options, list) or not 2 <= len(options) <= len(LETTERS):
        raise UserError(
            f"{location}: expected a question and two or more options; found {', '.join(fields) or 'nothing'}"
        )
    field = next((label_field for label_field in _FIRST_LABELS if fields.get(label_field) is not None), "gold_label")
    label = fields.get(field)
    if label is not None and (type(label) is not int or not 0 <= label <= len(options)):
        raise UserError(f"{location}: {field} must be the number of one of {len(options)} options, got {label!r}")
    hard = fields.get("difficult", fields.get("hard"))
    meta: dict[str, Any] = {} if hard is None else {"difficult": int(bool(hard))}
    texts = tuple(parsing.string(option, location, "options") for option in options)
    if len(texts) == 4:
        meta["options_text"] = choices.listed([" ".join(text.split()) for text in texts])
    name = parsing.string(fields.get("question_unique_id"), location, "question_unique_id") or name
    return _Question(name, location, question, texts, label, field, meta)


def _first_label(questions: Sequence[_Question], warnings: Warnings) -> int:
    """The label of the first option in these data."""
    labelled = [question for question in questions if question.label is not None]
    if any(question.label == 0 for question in labelled):
        return 0
    if any(question.label == len(question.options) for question in labelled):
        return 1
    first = _FIRST_LABELS[labelled[0].field] if labelled else 1
    if labelled:
        warnings.add(
            f"no label tells whether labels count from 0 or 1: {labelled[0].field} is read as counting from {first}"
        )
    return first


def _gold(question: _Question, first: int) -> tuple[int | None, Mapping[str, Any]]:
    """The index of the gold option, None without a label; and the example's meta."""
    if question.label is None:
        return None, question.meta
    gold = question.label - first
    if not 0 <= gold < len(question.options):
        last = first + len(question.options) - 1
        raise UserError(
            f"{question.location}: {question.field} must be from {first} to {last}, since other rows count from "
            f"{first}; got {question.label}"
        )
    return gold, {**question.meta, "gold": LETTERS[gold]}
