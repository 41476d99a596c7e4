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


@pytest.mark.parametrize(
    ("given", "share"), [("auto", 0.1), ("auto:5%", 0.05), (" auto:0.5% ", 0.005), ("auto:99%", 0.99)]
)
def test_auto_says_what_share_of_the_evidence_may_stay_beyond(given: str, share: float) -> None:
    budget = selection_budget(given, None)
    assert budget is not None
    assert budget.beyond == pytest.approx(share)
    assert str(budget) == ("auto:10%" if given == "auto" else given.strip())
    assert budget.record()["beyond"] == pytest.approx(share)


@pytest.mark.parametrize("given", ["auto:100%", "auto:5", "auto 5%", "automatic", "auto:-1%"])
def test_what_is_no_share_is_refused(given: str) -> None:
    with pytest.raises(UserError, match='or "auto"'):
        selection_budget(given, None)


def test_nothing_beyond_is_no_selection_and_auto_is_filled_in_no_way() -> None:
    with pytest.raises(UserError, match="over 0 %"):
        selection_budget("auto:0%", None)
    with pytest.raises(UserError, match="leave fill out"):
        selection_budget("auto", "skip")


def test_a_number_is_recorded_as_before() -> None:
    assert "beyond" not in SelectionBudget(300).record()
