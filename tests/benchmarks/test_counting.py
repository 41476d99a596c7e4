"""The rules of counting questions, and of their reader."""

import pytest

from benchmarks.counting import CONDITIONS, condition_row
from benchmarks.counting_questions import DIFFERENT, CountingReader, answer_to, book_questions, script_questions
from models.prompts import Part, Prompt
from models.requests import Generate

SCRIPT = "\n".join(
    f"{speaker}\nLine {i} of BERTA's.\n" for i, speaker in enumerate(["ANNA", "BERTA", "CARL"] * 40 + ["ANNA"])
)
BOOK = "\n".join(f"then came Anna, and Berta with Carl {i}, while Anna slept" for i in range(200))


def test_questions_and_answers_are_counted_in_the_text() -> None:
    questions = [*script_questions("s", SCRIPT), *book_questions("b", BOOK)]
    assert [(total, example.references) for total, example in questions] == [
        ("sum", ("41",)), ("distinct", ("3",)), ("first", ("BERTA",)), ("sum", ("200",)), ("first", ("Berta",)),
    ]  # fmt: skip
    assert questions[0][1].query.startswith("How often does ANNA speak?")


def test_the_reader_answers_from_the_prompt_and_lists_items_where_it_is_asked_to() -> None:
    for _, example in [*script_questions("s", SCRIPT), *book_questions("b", BOOK)]:
        prompt = Prompt((Part("query", example.query), Part("document", example.document.text, 0, 9)))
        assert CountingReader().reply([Generate(prompt, 100)])[0].value == example.references[0]
    assert answer_to(DIFFERENT, (), SCRIPT, True) == "ANNA\nBERTA\nCARL"
    assert answer_to(DIFFERENT, (), "nobody", True) == "none"


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: condition.name)
def test_counts_over_parts_are_exact_and_counts_over_a_selection_are_not(condition) -> None:
    questions = {"sum": [], "distinct": [], "first": []}
    for total, example in [*script_questions("s", SCRIPT * 40), *book_questions("b", BOOK * 10)]:
        questions[total].append(example)
    cells = condition_row(condition, questions)
    assert (cells[1] == "2 of 2") == condition.is_counted
