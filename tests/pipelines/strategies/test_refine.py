"""A running answer over chunks in document order."""

import pytest

from longdoc.errors import UserError
from pipelines.strategies import get
from tests.pipelines.strategies.made import drive, job


def test_each_prompt_holds_the_answer_so_far() -> None:
    outputs = iter(["one", "two", "three"])
    outcome, rounds = drive(get("refine"), job("a", "b", "c", selected=[1, 0, 2]), lambda request: next(outputs))
    assert rounds == [
        ["who? | a"],
        ["who? | Answer so far: one\nb"],
        ["who? | Answer so far: two\nc"],
    ]
    assert (outcome.prediction, outcome.notes) == ("three", {"changed_by": "1, 2, 3"})


def test_a_blank_or_equal_output_leaves_the_answer_as_it_was() -> None:
    outputs = iter(["", "one", " ", "one\n"])
    outcome, rounds = drive(get("refine"), job("a", "b", "c", "d"), lambda request: next(outputs))
    assert rounds[1:] == [["who? | b"], ["who? | Answer so far: one\nc"], ["who? | Answer so far: one\nd"]]
    assert (outcome.prediction, outcome.notes) == ("one", {"changed_by": "2"})


def test_the_answer_is_a_part_of_the_prompt_that_is_not_cut() -> None:
    generator = get("refine")(job("a", "b"))
    next(generator)
    (request,) = generator.send(["{x}"])  # type: ignore[misc]
    parts = [(part.role, part.text) for part in request.prompt.parts]
    assert parts == [("query", "who?"), ("text", " | "), ("text", "Answer so far: {x}\n"), ("document", "b")]
    assert request.prompt.spans == [(2, 3)]


def test_there_are_no_training_examples() -> None:
    with pytest.raises(UserError, match="train with strategy='stuff'"):
        get("refine").training_examples(job("a"))  # type: ignore[attr-defined]
