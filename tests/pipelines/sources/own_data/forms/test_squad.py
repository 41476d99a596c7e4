"""SQuAD's rows and files, with the fields that the hub and the releases have."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import NO_ANSWER, Example

Rows = Callable[..., list[Example]]
TEXT = "Die Miete – «kalt» – beträgt 900 euros. Anna pays 900 euros a month from May on."
FIRST, SECOND = TEXT.index("900"), TEXT.rindex("900")
ROW: dict[str, Any] = {
    "id": "5733be284776f41900661182",
    "title": "Lease",
    "context": TEXT,
    "question": "How much does Anna pay?",
    "answers": {
        "text": ["900 euros", "900 euros a month", "900 euros"],
        "answer_start": [SECOND, SECOND, SECOND],
    },
}


def evidence_texts(example: Example) -> list[str]:
    return [example.document.text[start:end] for start, end in example.evidence]


def test_a_row_is_a_question_with_its_context_and_the_places_of_answers_are_the_evidence(read: Rows) -> None:
    (example,) = read(ROW)
    assert (example.id, example.query, example.document.title) == (ROW["id"], ROW["question"], "Lease")
    assert example.document.text == TEXT
    assert example.references == ("900 euros", "900 euros a month", "900 euros")
    assert example.evidence == ((SECOND, SECOND + 9),)


def test_of_several_people_s_places_the_one_that_most_overlap_is_the_evidence(read: Rows) -> None:
    answers = {"text": ["900 euros", "900 euros a month", "900"], "answer_start": [FIRST, SECOND, SECOND]}
    (example,) = read({**ROW, "answers": answers})
    assert example.evidence == ((SECOND, SECOND + 17),)


def test_empty_answers_are_those_of_a_question_without_an_answer(read: Rows) -> None:
    (example,) = read({**ROW, "answers": {"text": [], "answer_start": []}})
    assert (example.references, example.evidence) == (NO_ANSWER, ())


def test_an_answer_that_is_not_at_its_start_is_counted_and_is_no_evidence(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    wrong = {**ROW, "id": "b", "answers": {"text": ["900 euros"], "answer_start": [SECOND + 3]}}
    beyond = {**ROW, "id": "c", "answers": {"text": ["900 euros"], "answer_start": [-1]}}
    path.write_text("".join(json.dumps(row) + "\n" for row in (ROW, wrong, beyond)))
    data = sources.load("qa", tasks.get("qa").dataset, path)
    assert [evidence_texts(example) for example in data.examples()] == [["900 euros"], [], []]
    assert data.warnings == [
        "answers that are not at their answer_start, so they are not used as evidence: 2 of 3 (a.jsonl:2, a.jsonl:3)"
    ]


def test_an_evidence_field_is_used_before_answer_starts_and_without_both_there_is_none(read: Rows) -> None:
    first, second = read(
        {**ROW, "document": TEXT, "evidence": [[0, 9]]}, {**ROW, "document": TEXT, "id": "b", "answers": ["900 euros"]}
    )
    assert (evidence_texts(first), evidence_texts(second)) == (["Die Miete"], [])


def test_answers_may_be_a_list_of_objects_and_a_text_with_one_start(read: Rows) -> None:
    one, several = read(
        {**ROW, "answers": {"text": "900 euros", "answer_start": FIRST}},
        {**ROW, "id": "b", "answers": [{"text": "900 euros", "answer_start": FIRST}, {"text": "EUR 900"}]},
    )
    assert (one.references, one.evidence) == (("900 euros",), ((FIRST, FIRST + 9),))
    assert (several.references, several.evidence) == (("900 euros", "EUR 900"), ((FIRST, FIRST + 9),))


def test_unequal_numbers_of_texts_and_starts_are_refused(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: answers has 2 texts and 1 in answer_start; give each text"):
        read({**ROW, "answers": {"text": ["900 euros", "900"], "answer_start": [FIRST]}})


def test_a_csv_file_has_its_answers_as_json_and_python_s_notation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"

    def write(answers: str) -> list[Example]:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([list(ROW), [*list(ROW.values())[:-1], answers]])
        return list(sources.load("qa", tasks.get("qa").dataset, path).examples())

    (example,) = write(json.dumps(ROW["answers"]))
    assert (example.references[0], evidence_texts(example)) == ("900 euros", ["900 euros"])
    with pytest.raises(
        UserError, match=r"rows.csv:2: `answers` is a list or mapping in Python's notation, not in JSON"
    ):
        write("{'text': array(['900 euros'], dtype=object), 'answer_start': array([68])}")


QUESTIONS = [
    {"id": "a", "question": "How much?", "answers": [{"text": "900 euros", "answer_start": FIRST}]},
    {
        "id": "b",
        "question": "Who is the mayor?",
        "is_impossible": True,
        "answers": [],
        "plausible_answers": [{"text": "Anna", "answer_start": TEXT.index("Anna")}],
    },
    {"question": "In a test split?", "answers": []},
]
ARTICLE = {"title": "Lease", "paragraphs": [{"context": TEXT, "qas": QUESTIONS}]}


@pytest.mark.parametrize("content", [{"version": "v2.0", "data": [ARTICLE]}, ARTICLE, [ARTICLE]])
def test_a_file_has_a_row_for_each_question_of_each_paragraph(tmp_path: Path, content: Any) -> None:
    (tmp_path / "dev-v2.0.json").write_text(json.dumps(content, indent=1))
    first, second, third = sources.load("qa", tasks.get("qa").dataset, tmp_path / "dev-v2.0.json").examples()
    assert [first.id, second.id, third.id] == ["a", "b", "test-1-3"]
    assert [example.references for example in (first, second, third)] == [("900 euros",), NO_ANSWER, ()]
    assert (evidence_texts(first), evidence_texts(second), first.document.title) == (["900 euros"], [], "Lease")
    assert first.document is third.document


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"data": [{"context": "a"}]}, r"item 1 of `data` has no list `paragraphs`, as SQuAD's files have"),
        (
            {"data": [{"paragraphs": [{"qas": []}]}]},
            r"item 1 of `data`: paragraph 1 needs `context`, a text, and `qas`",
        ),
        ({"title": "x", "paragraphs": [{"context": "a"}]}, r"a.json:1: paragraph 1 needs `context`, a text, and `qas`"),
    ],
)
def test_a_file_without_what_is_needed_is_refused_at_its_place(tmp_path: Path, content: Any, message: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=message):
        list(sources.load("qa", tasks.get("qa").dataset, tmp_path / "a.json").examples())


@pytest.mark.parametrize(
    "choices",
    [
        {"article": TEXT, "options": ["900", "800"], "gold_label": 1},
        {"article": TEXT, "options": ["900", "800"], "answer": 0},
        {"context": TEXT, "answers": ["900", "800"], "label": 1},
    ],
)
def test_an_option_s_number_is_refused_as_it_may_count_from_0_or_1(read: Rows, choices: dict[str, Any]) -> None:
    _, options, field = choices
    with pytest.raises(UserError, match=f"rows.jsonl:1: `{field}` is the number of one of `{options}`, .* `answer`"):
        read({**choices, "question": "How much?"})


@pytest.mark.parametrize("field", ["passage", "article", "text"])
def test_the_text_may_be_in_a_field_of_another_name(read: Rows, field: str) -> None:
    (example,) = read({field: TEXT, "query": "How much?", "options": ["900", "800"], "answer": "A"})
    assert (example.document.text, example.query) == (TEXT, "How much?")
    assert (example.options, example.references) == (("900", "800"), ("900",))
