"""The form of a row: own rows and the task's own layouts go first, and rows of no form get a helpful message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import Example

Rows = Callable[..., list[Example]]
OWN = {"document": "Own text.", "question": "Own?", "answers": ["own"]}


@pytest.mark.parametrize(
    "more",
    [
        {"context": "Other text."},
        {"context": [["Title", ["Other text."]]], "supporting_facts": [["Title", 0]]},
        {"article": "Other text.", "highlights": "Other.", "summary": "Other."},
        {"messages": [{"role": "user", "content": "Other text.\n\nOther?"}]},
        {"paragraphs": [{"title": "T", "paragraph_text": "Other text."}], "title": "T"},
        {"entity_pages": {"title": ["T"], "wiki_context": ["Other text."]}},
        {"data": [], "text": "Other text.", "label": 1},
    ],
)
def test_own_rows_stay_own_rows_whatever_other_fields_they_have(read: Rows, more: dict[str, Any]) -> None:
    (example,) = read({**more, **OWN})
    assert (example.document.text, example.query, example.references) == ("Own text.", "Own?", ("own",))


def test_a_layout_of_the_task_goes_before_the_forms(tmp_path: Path) -> None:
    row = {"context": "A text.", "question": "Who?", "answer": "a", "evidence": "['A text.']"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    assert sources.load("qa", tasks.get("qa").dataset, tmp_path / "rows.jsonl").layout == "loogle"


def test_other_tasks_read_the_forms_too(read: Rows) -> None:
    (example,) = read({"context": "A text.", "question": "Who?", "answers": {"text": ["A"]}}, task="narrativeqa")
    assert (example.document.text, example.references) == ("A text.", ("A",))


@pytest.mark.parametrize(
    ("row", "task", "hint"),
    [
        (
            {"context": "a", "prompt": "b", "answers": ["c"]},
            "qa",
            "SQuAD's rows (context, question), but `question` is",
        ),
        ({"question": "a", "answer": "b"}, "qa", "own rows (document, question), but `document` is missing"),
        ({"document_text": "a", "question_text": "b"}, "qa", "Natural Questions' simplified rows (document_text"),
        ({"paragraphs": [], "answer": "b"}, "qa", "MuSiQue's rows (question, paragraphs), but `question` is missing"),
        (
            {"context": 1, "question": "b"},
            "qa",
            "SQuAD's rows (context, question), but `context` is of type int, not text",
        ),
        ({"article": "a", "gist": "b"}, "classify", "summarization pairs (article, highlights), but `highlights` is"),
    ],
)
def test_a_row_of_no_form_is_refused_with_the_nearest_form_and_what_is_missing(
    read: Rows, row: dict[str, Any], task: str, hint: str
) -> None:
    with pytest.raises(UserError) as error:
        read(row, task=task)
    assert f"; the closest match is {hint}" in str(error.value)
    assert "; add the field, or rename the one that has it. Accepted: own rows" in str(error.value)


def test_a_row_with_no_field_of_any_form_is_refused_with_what_is_accepted(read: Rows) -> None:
    with pytest.raises(UserError, match=r"its fields: foo\. Accepted: own rows"):
        read({"foo": 1})


def test_texts_of_json_that_look_like_lists_stay_texts_and_cells_of_csv_become_lists(
    read: Rows, tmp_path: Path
) -> None:
    (example,) = read({"context": "[1, 2]", "question": "Which?", "answers": '["1"]'})
    assert (example.document.text, example.references) == ("[1, 2]", ('["1"]',))
    (tmp_path / "a.csv").write_text('question,paragraphs,answer\nWho?,"[{""paragraph_text"": ""A text.""}]",[12]\n')
    (example,) = sources.load("qa", tasks.get("qa").dataset, tmp_path / "a.csv").examples()
    assert (example.document.text.strip(), example.references) == ("A text.", ("[12]",))


def test_a_list_that_is_a_text_of_json_is_refused_as_one(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: .* `messages` is of type str, not a list"):
        read({"messages": '[{"role": "user", "content": "A text.\\n\\nWho?"}]'})


def test_a_later_row_that_lacks_a_field_is_refused_at_its_place(read: Rows) -> None:
    row = {"context": "A text.", "question": "Who?", "answers": {"text": ["A"], "answer_start": [0]}}
    with pytest.raises(
        UserError, match=r"rows.jsonl:2: the first row is one of SQuAD's rows .* here `context` is missing"
    ):
        read(row, {**row, "context": None})


def test_a_question_that_is_malformed_is_named_by_its_number_in_the_row(read: Rows) -> None:
    row = {"context": "A text.", "questions": ["Who?", ""], "answers": [{"texts": [], "answer_starts": []}] * 2}
    with pytest.raises(UserError, match=r"rows.jsonl:1, question 2: the row needs a question"):
        read(row)


def test_rows_of_a_dataset_are_read_as_those_of_files() -> None:
    datasets = pytest.importorskip("datasets")
    row = {"context": "A text.", "question": "Who?", "answers": {"text": ["text"], "answer_start": [2]}}
    data = datasets.Dataset.from_list([row])
    (example,) = sources.load("qa", tasks.get("qa").dataset, data).examples()
    assert (example.references, example.evidence) == (("text",), ((2, 6),))
