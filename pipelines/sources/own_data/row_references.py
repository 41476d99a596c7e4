"""The references of a user's own row: its answers, that it has none, or that its question has no answer.

Answers are text or a list of texts, or SQuAD's `{"text": [...], "answer_start": [...]}`, or a list of such objects with
one text each; the first field of them that is not empty counts. A question has no answer where the row says so:
`unanswerable` (or SQuAD 2.0's `is_impossible`) is true, or the answers are SQuAD 2.0's, with no text and no start. A
bare empty list says nothing of the question: its row has no reference. The answer of a row that is marked may be a
refusal ("Not mentioned"): it is the reference where it is an option, since nothing else can be chosen.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from models.refusals import refuses
from pipelines.records import NO_ANSWER
from pipelines.sources import parsing

FIELDS = ("answers", "answer", "references", "output", "summary", "label", "answerKey")
MARKS = ("unanswerable", "is_impossible")
_NOT_IN_TEXT = r"\\\n\r\0\ud800-\udfff"
_PYTHON_TEXT = "|".join(rf"""{quote}(?:[^{quote}{_NOT_IN_TEXT}]|\\['"\\nrt])*{quote}""" for quote in "'\"")
_PYTHON_TEXTS = re.compile(rf"\[(?:{_PYTHON_TEXT})(?:, (?:{_PYTHON_TEXT}))*\]")  # flat, so that reading it is bounded
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no", "")  # cells of CSV files


def references_of(
    fields: Mapping[str, Any], values: Mapping[str, Any], location: str, options: Sequence[str] = ()
) -> tuple[str, ...]:
    """The references of a row whose answers are `values` by field, in the order of `FIELDS`.

    Empty where it has none, `NO_ANSWER` where its question has no answer, or its refusal that is one of the `options`.
    Raises `UserError` for malformed fields, and for a row that says both.
    """
    texts = {field: _texts(value, location, field) for field, value in values.items()}
    field = next((field for field, field_texts in texts.items() if field_texts), "")
    marks = {mark: value for mark in MARKS if (value := _mark(fields.get(mark), location, mark)) is not None}
    if not any(marks.values()):
        is_empty = not field and not marks and any(_is_empty_squad(value) for value in values.values())
        return NO_ANSWER if is_empty else texts.get(field, ())
    if field and not all(map(refuses, texts[field])):
        mark = next(name for name, value in marks.items() if value)
        raise UserError(
            f"{location}: {mark} is true, but {field} has an answer; leave out one of the two "
            "(answers that only seem right can be in plausible_answers)"
        )
    return texts[field] if field and {*texts[field]} <= {*options} else NO_ANSWER


def says_unanswerable(fields: Mapping[str, Any]) -> bool:
    """Whether a row says in any form that its question has no answer; malformed marks are ignored."""
    is_marked = any(str(fields.get(mark)).strip().lower() in _TRUE for mark in MARKS)
    return is_marked or any(_is_empty_squad(fields.get(field)) for field in FIELDS)


def _texts(value: Any, location: str, field: str) -> tuple[str, ...]:
    if isinstance(value, Mapping) and "text" in value:
        return parsing.strings(value["text"], location, f"{field}.text")
    if isinstance(value, list) and value and all(isinstance(item, Mapping) and "text" in item for item in value):
        return tuple(text for item in value for text in parsing.strings(item["text"], location, f"{field}.text"))
    return parsing.strings(value, location, field)


def _is_empty_squad(value: Any) -> bool:
    """Whether answers have SQuAD 2.0's form for an unanswerable question: empty lists of texts and starts."""
    if not isinstance(value, Mapping) or not {"text", "answer_start"} <= value.keys():
        return False
    return all(isinstance(value[name], (list, tuple)) and not value[name] for name in ("text", "answer_start"))


def _mark(value: Any, location: str, field: str) -> bool | None:
    """Whether a mark says that a question has no answer; None if it is empty."""
    if value is None:
        return None
    word = str(value).strip().lower()
    if isinstance(value, (bool, str, int)) and word in (*_TRUE, *_FALSE):
        return None if word == "" else word in _TRUE
    raise UserError(f"{location}: {field} must be true or false, got {value!r}")


def cell_value(field: str, cell: Any) -> Any:
    """The list or mapping in a cell of JSON; any other cell is returned unchanged.

    A list of texts may also be in Python's form, as pandas writes it: "['in May', 'May']". A list of numbers among the
    answers is a text: "[12]" is an answer.
    """
    if not isinstance(cell, str) or not cell.lstrip().startswith(("[", "{")):
        return cell
    try:
        value = plain_json.loads(cell)
    except plain_json.NotJSON:  # Python's list, or a text that begins with a bracket
        return list(ast.literal_eval(cell.strip())) if _PYTHON_TEXTS.fullmatch(cell.strip()) else cell
    are_numbers = isinstance(value, list) and value and all(isinstance(item, (int, float)) for item in value)
    return cell if are_numbers and field in FIELDS else value
