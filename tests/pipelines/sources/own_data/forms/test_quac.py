"""QuAC's rows: dialogues, and its word for questions without an answer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import NO_ANSWER, Example

Rows = Callable[..., list[Example]]
SECTION = "Anna – «née» Berg – sang in Oslo in 1990. She moved to Rome."
CONTEXT = f"{SECTION} CANNOTANSWER"
OSLO, NONE = SECTION.index("in Oslo"), len(SECTION) + 1
ROW: dict[str, Any] = {
    "dialogue_id": "C_1",
    "wikipedia_page_title": "Anna Berg",
    "background": "Anna Berg is a singer.",
    "section_title": "Early years",
    "context": CONTEXT,
    "turn_ids": ["C_1_q#0", "C_1_q#1", "C_1_q#2"],
    "questions": ["Where did she sing?", "Did she marry?", "When?"],
    "followups": [0, 2, 1],
    "yesnos": [2, 1, 2],
    "answers": {
        "texts": [["in Oslo", "CANNOTANSWER", "Oslo"], ["CANNOTANSWER", "She moved to Rome."], ["1990"]],
        "answer_starts": [[OSLO, NONE, OSLO + 3], [NONE, SECTION.index("She")], [SECTION.index("1990")]],
    },
    "orig_answers": {"texts": ["in Oslo", "CANNOTANSWER", "1990"], "answer_starts": [OSLO, NONE, 30]},
}


def check(examples: list[Example]) -> None:
    """The three questions, by QuAC's rule for answers of several people."""
    assert [example.id for example in examples] == ["C_1_q#0", "C_1_q#1", "C_1_q#2"]
    assert {example.document.text for example in examples} == {SECTION}
    assert [example.references for example in examples] == [("in Oslo", "Oslo"), NO_ANSWER, ("1990",)]
    assert [[SECTION[start:end] for start, end in one.evidence] for one in examples] == [["in Oslo"], [], ["1990"]]


def test_a_row_of_the_hub_is_a_question_for_each_turn(read: Rows) -> None:
    examples = read(ROW)
    check(examples)
    assert examples[0].document.title == "Anna Berg, Early years"
    assert [example.query for example in examples] == ROW["questions"]


def test_answers_may_be_a_list_of_objects_and_rows_without_turn_ids_get_ids(read: Rows) -> None:
    columns = ROW["answers"]
    pairs = zip(columns["texts"], columns["answer_starts"], strict=True)
    objects = [{"texts": texts, "answer_starts": starts} for texts, starts in pairs]
    check(read({**ROW, "answers": objects}))
    without_ids = read({name: value for name, value in ROW.items() if name != "turn_ids"})
    assert [example.id for example in without_ids] == ["test-1-1", "test-1-2", "test-1-3"]


def test_the_release_s_file_gives_the_same_questions(tmp_path: Path) -> None:
    columns = ROW["answers"]
    questions = [
        {
            "id": name,
            "question": question,
            "answers": [{"text": t, "answer_start": s} for t, s in zip(*both, strict=True)],
        }
        for name, question, *both in zip(ROW["turn_ids"], ROW["questions"], *columns.values(), strict=True)
    ]
    section = {"title": "Anna Berg", "paragraphs": [{"id": "C_1", "context": CONTEXT, "qas": questions}]}
    (tmp_path / "val_v0.2.json").write_text(json.dumps({"data": [section]}))
    check(list(sources.load("qa", tasks.get("qa").dataset, tmp_path / "val_v0.2.json").examples()))


def test_questions_without_their_own_answers_are_refused(read: Rows) -> None:
    with pytest.raises(UserError, match=r"rows.jsonl:1: `questions` has 4 and `answers` 3; give each its own"):
        read({**ROW, "questions": [*ROW["questions"], "Why?"]})
