"""∞Bench's rows: the four English tasks, rows of another release, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.records import Example

OPTIONS = ["a ship", "a ship's boat", "", "the ship"]


def row(**changes: Any) -> dict[str, Any]:
    return {"id": 0, "context": "Anna woke.", "input": "Who?", "answer": ["Anna", "She"], "options": [], **changes}


def read(folder: Path, task: str, *rows: Any) -> list[Example]:
    (folder / "data.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    return list(
        sources.load(
            f"infinitebench/{task}", tasks.get(f"infinitebench/{task}").dataset, folder / "data.jsonl"
        ).examples()
    )


def test_all_answers_are_references_and_neighbours_share_their_document(tmp_path: Path) -> None:
    one, two = read(tmp_path, "en_qa", row(), row(id=1, input="When?", answer="at dawn", options=[""]))
    assert (one.id, one.query, one.document.text, one.references) == ("0", "Who?", "Anna woke.", ("Anna", "She"))
    assert (two.references, two.options) == (("at dawn",), ())
    assert two.document is one.document


@pytest.mark.parametrize("answer", ["a ship's boat", ["a ship's boat"], ["a ship's boat", "B"]])
def test_the_right_option_s_letter_is_a_reference_behind_its_text(tmp_path: Path, answer: Any) -> None:
    (one,) = read(tmp_path, "en_mc", row(options=OPTIONS, answer=answer))
    assert (one.options, one.references, one.meta) == (tuple(OPTIONS), ("a ship's boat", "B"), {"gold": "B"})


def test_white_space_around_an_option_does_not_hide_the_right_one(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "en_mc", row(options=["9", "9 ", "a ship ", "ten"], answer=["a ship"]))
    assert one.references == ("a ship", "C")
    (one,) = read(tmp_path, "en_mc", row(options=["9", "9 ", "a ship ", "ten"], answer=["9 "]))
    assert one.references == ("9 ", "B")


@pytest.mark.parametrize("answer", [["a gull"], ["A"], ["a ship", "the ship"], []])
def test_an_answer_that_is_not_among_the_options_is_refused(tmp_path: Path, answer: Any) -> None:
    with pytest.raises(UserError, match=r"data.jsonl:1: the answer must be the text of one of the options"):
        read(tmp_path, "en_mc", row(options=OPTIONS, answer=answer))


def test_another_number_of_options_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data.jsonl:1: expected 4 options, got 3"):
        read(tmp_path, "en_mc", row(options=OPTIONS[:3], answer=["a ship"]))


def test_summaries_have_no_question_and_scripts_ask_for_the_mask(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "en_sum", row(input="", answer=["A book."]))
    assert (one.query, one.references) == ("", ("A book.",))
    script = row(context="$$MASK$$\nIt rains.", input="", answer=["ANNA", "anna"])
    (one,) = read(tmp_path, "en_dia", script)
    assert (one.query, one.references) == ("Which character is $$MASK$$?", ("ANNA", "anna"))
    assert read(tmp_path, "en_dia", {**script, "input": "Who speaks?"})[0].query == "Who speaks?"


def test_a_question_without_words_and_an_empty_context_are_refused_by_their_row(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"data.jsonl:1: the row needs a question in 'input'"):
        read(tmp_path, "en_qa", row(input=" "))
    with pytest.raises(UserError, match=r"data.jsonl:2: the document is empty"):
        read(tmp_path, "en_qa", row(), row(id=1, context=" \n"))


def test_a_file_of_an_older_release_is_refused_with_its_fields(tmp_path: Path) -> None:
    older = {"id": 0, "document": "novel.txt", "question": "Who?", "answer": ["a ship"], "options": OPTIONS}
    with pytest.raises(UserError, match=r"the row is of an older release"):
        read(tmp_path, "en_mc", older)
    with pytest.raises(
        UserError, match=r"its fields: id, novel, question, answer, options; .* Accepted: ∞Bench's rows"
    ):
        read(tmp_path, "en_mc", {"id": 0, "novel": "Anna woke.", **dict(list(older.items())[2:])})
    with pytest.raises(UserError, match=r"data.jsonl:2: expected ∞Bench's rows"):
        read(tmp_path, "en_qa", row(), {"id": 1, "context": "Anna woke.", "question": "Who?", "answer": ["Anna"]})
