"""Which outputs refuse to answer."""

import json
from pathlib import Path

import pytest

from models.refusals import is_refusal_label, refuses
from tests.turns import for_each


@for_each(
    "output",
    [
        "",
        " \n",
        "Unanswerable",
        "unanswerable.",
        "The letter does not say when the ship left.",
        "The logbook doesn't explicitly mention gulls. It does mention terns.",
        "The name of the captain is not given in the passages.",
        "Unfortunately, the cargo isn't specified.",
        "There is no specific or direct information on the crew.",
        "No mention of a storm is in the text.",
        "The date cannot be determined from these pages.",
        "It is not possible to answer this.",
        "I don't know.",
        "Not enough information.",
        "Its owner is not disclosed",
    ],
)
def test_empty_outputs_and_statements_that_there_is_no_answer_are_refusals(output: str) -> None:
    assert refuses(output)


@pytest.mark.parametrize(
    "output",
    [
        "In May.",
        "The captain did not sail.",
        "No.",
        "Three gulls. The letter does not say of which kind.",
        "It rose from 4 to 6\nThe log does not mention why.",
        "There was no storm.",
        "He knows nothing of it.",
        "x" * 5000 + " is not given",
    ],
)
def test_answers_that_deny_something_or_add_what_is_missing_are_not_refusals(output: str) -> None:
    assert not refuses(output)


def test_exactly_the_references_of_published_unanswerable_questions_are_refusals(realdata: Path) -> None:
    refused = {}
    for path in sorted((realdata / "lara").glob("*.jsonl")):
        answers = [json.loads(line)["answer"] for line in path.read_text(encoding="utf-8").splitlines()]
        refused[path.stem.rpartition("_")[2]] = (sum(map(refuses, answers)), len(answers))
    assert refused == {"location": (0, 68), "reasoning": (0, 56), "comp": (0, 41), "hallu": (54, 54)}


def test_a_reference_is_a_refusal_label_only_as_a_whole() -> None:
    assert all(map(is_refusal_label, ("Not mentioned", "unanswerable", "(D) Not mentioned", "")))
    assert not is_refusal_label("He learned that it doesn’t contain secrets and treasures")
    assert not is_refusal_label("Vienna")
