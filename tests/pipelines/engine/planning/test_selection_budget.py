"""What `select` and `fill` mean."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.engine.planning.selection_budget import SelectionBudget, selection_budget


@pytest.mark.parametrize(
    ("given", "amount", "unit"),
    [
        (300, 300, "words"), ("300", 300, "words"), (" 300 words ", 300, "words"), ("1 word", 1, "words"),
        ("300 tokens", 300, "tokens"), ("300tokens", 300, "tokens"), ("1 token", 1, "tokens"),
    ],
)  # fmt: skip
def test_a_number_is_of_words_and_may_be_of_tokens(given: Any, amount: int, unit: Any) -> None:
    assert selection_budget(given, None) == SelectionBudget(amount, unit, "cut")


@pytest.mark.parametrize("given", [0, -3, 1.5, 300.0, True, "", "words", "300 letters", "3 00", "1e3", [300]])
def test_what_is_no_number_of_words_or_tokens_is_refused(given: Any) -> None:
    with pytest.raises(UserError, match="select must be a number of words"):
        selection_budget(given, None)


def test_fill_is_one_of_three_and_needs_select() -> None:
    assert [selection_budget(9, fill) for fill in ("cut", "skip", "stop")] == [
        SelectionBudget(9, "words", "cut"), SelectionBudget(9, "words", "skip"), SelectionBudget(9, "words", "stop"),
    ]  # fmt: skip
    assert selection_budget(None, None) is None
    with pytest.raises(UserError, match='fill must be "cut", "skip" or "stop", got \'all\''):
        selection_budget(9, "all")
    with pytest.raises(UserError, match="give select=300 too, or leave fill out"):
        selection_budget(None, "skip")


def test_it_is_recorded_by_field() -> None:
    assert selection_budget("9 tokens", "stop").record() == {  # type: ignore[union-attr]
        "amount": 9, "unit": "tokens", "fill": "stop",
    }  # fmt: skip
