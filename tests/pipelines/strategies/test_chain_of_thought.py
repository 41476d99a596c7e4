from typing import Any

import pytest

from longdoc.errors import UserError
from models import Generate
from pipelines import strategies
from pipelines.strategies.chain_of_thought import ChainOfThought
from tests.pipelines.strategies.made import drive, job


def reader(request: Generate) -> str:
    return " It was dawn.\n" if "|" in request.prompt.text else "dawn"  # type: ignore[union-attr]


def test_the_second_request_shows_the_reasoning_and_no_document() -> None:
    strategy = ChainOfThought(conclusion="{query} Thoughts: {document} So?")
    outcome, rounds = drive(strategy, job("One.", "Two."), reader)
    assert rounds == [["who? | One.\nTwo."], ["who? Thoughts: It was dawn. So?"]]
    assert (outcome.prediction, outcome.notes) == ("dawn", {"reasoning": "It was dawn."})


def test_the_reasoning_is_as_long_as_it_may_be_and_the_answer_as_long_as_the_run_s() -> None:
    lengths: list[int] = []

    def record_length(request: Any) -> str:
        lengths.append(request.max_new_tokens)
        return "x"

    drive(ChainOfThought(reasoning_tokens=99), job("One."), record_length)
    assert lengths == [99, 5]
    assert ChainOfThought(reasoning_tokens=99).longest_output(5) == 99
    assert ChainOfThought(reasoning_tokens=2).longest_output(5) == 5
    assert strategies.get("chain_of_thought").longest_output(128) == 1024
    assert strategies.get("stuff").longest_output(128) == 128


def test_by_default_the_reasoning_is_eight_times_the_answer() -> None:
    lengths: list[int] = []

    def record_length(request: Any) -> str:
        lengths.append(request.max_new_tokens)
        return "x"

    drive(ChainOfThought(), job("One."), record_length)
    assert lengths == [40, 5]


def test_without_reasoning_there_is_no_second_request() -> None:
    outcome, rounds = drive(ChainOfThought(), job("One."), lambda request: " \n")
    assert (len(rounds), outcome.prediction, outcome.notes) == (1, "", {"reasoning": ""})


def test_a_text_that_looks_like_a_template_is_reasoning_like_any_other() -> None:
    _, rounds = drive(ChainOfThought(conclusion="{document}"), job("One."), lambda request: "{query} {x}")
    assert rounds[1] == ["{query} {x}"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reasoning_tokens": 0}, "reasoning_tokens must be at least 1"),
        ({"conclusion": "{query}"}, "must contain {document} exactly once"),
        ({"conclusion": "{document} {thoughts}"}, "unknown part of a prompt template 'thoughts'"),
    ],
)
def test_invalid_fields_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        ChainOfThought(**fields)


def test_chain_of_thought_cannot_be_trained_on() -> None:
    with pytest.raises(UserError, match="train with strategy='stuff'"):
        ChainOfThought().training_examples(job("One."))
