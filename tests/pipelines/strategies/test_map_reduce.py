"""A tree of outputs: chunks, groups that fit, one answer."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.strategies import get
from tests.pipelines.strategies.made import drive, job


def first_and_last(request: Any) -> str:
    """The first and the last word of the prompt's passages."""
    words = " ".join(part.text for part in request.prompt.passages).split()
    return f"{words[0]} {words[-1]}"


def test_outputs_are_joined_into_further_requests() -> None:
    outcome, rounds = drive(get("map_reduce"), job("a b c", "d e f", "g h i"), first_and_last)
    assert rounds == [["who? | a b c", "who? | d e f", "who? | g h i"], ["who? | a c\nd f\ng i"]]
    assert (outcome.prediction, outcome.notes) == ("a i", {"tree": "3, 1"})


def test_groups_are_as_large_as_the_prompt_allows_until_one_is_left() -> None:
    texts = [f"{letter} x {letter.upper()}" for letter in "abcdefg"]
    outcome, rounds = drive(get("map_reduce"), job(*texts, limit=8), first_and_last)  # 2 words of prompt, 2 a text
    assert rounds[1:] == [
        ["who? | a A\nb B\nc C", "who? | d D\ne E\nf F"],
        ["who? | a C\nd F\ng G"],
    ]
    assert (outcome.prediction, outcome.notes) == ("a G", {"tree": "7, 2, 1"})


def test_two_outputs_that_do_not_fit_are_joined_nevertheless_so_that_the_tree_ends() -> None:
    outcome, rounds = drive(get("map_reduce"), job("a b", "c d", "e f", limit=3), first_and_last)
    assert rounds[1:] == [["who? | a b\nc d"], ["who? | a d\ne f"]]
    assert (outcome.prediction, outcome.notes) == ("a f", {"tree": "3, 1, 1"})


def test_chunks_are_in_document_order_and_blank_outputs_are_dropped() -> None:
    backward_job = job("a", "b", "c", selected=[2, 1, 0])
    _, rounds = drive(get("map_reduce"), backward_job, lambda request: " " if "b" in request.prompt.text else "x")
    assert rounds == [["who? | a", "who? | b", "who? | c"], ["who? | x\nx"]]
    assert drive(get("map_reduce"), backward_job, lambda request: "")[0].prediction == ""


def test_one_chunk_takes_one_request_and_no_chunk_none() -> None:
    outcome, rounds = drive(get("map_reduce"), job("a b"), first_and_last)
    assert (outcome.prediction, len(rounds), outcome.notes) == ("a b", 1, {"tree": "1"})
    outcome, rounds = drive(get("map_reduce"), job("a", selected=[]), first_and_last)
    assert (outcome.prediction, rounds) == ("", [[]])


def test_map_reduce_gives_no_training_examples() -> None:
    with pytest.raises(UserError, match="train with strategy='stuff'"):
        get("map_reduce").training_examples(job("a"))  # type: ignore[attr-defined]
