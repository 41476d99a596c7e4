"""What `budget` means."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.engine.planning.budget import Budget


@pytest.mark.parametrize(
    ("typed", "amount", "unit"),
    [
        ("300 words", 300, "words"), (" 300words ", 300, "words"), ("1 word", 1, "words"),
        ("2000 tokens", 2000, "tokens"), ("1token", 1, "tokens"),
    ],
)  # fmt: skip
def test_a_budget_is_of_words_or_of_tokens(typed: str, amount: int, unit: Any) -> None:
    assert Budget.of(typed) == Budget(amount, unit)
    assert Budget.of(str(Budget(amount, unit))) == Budget(amount, unit)


@pytest.mark.parametrize("typed", [300, "300", " 300 "])
def test_a_bare_number_is_asked_for_its_unit(typed: Any) -> None:
    with pytest.raises(UserError, match=r'^budget=300 has no unit: give "300 words" or "300 tokens"$'):
        Budget.of(typed)


@pytest.mark.parametrize(
    "typed",
    [-3, 1.5, 300.0, True, "", "words", "0 words", "300 letters", "3 00 words", "1e3 words", ["300 words"], "auto"],
)
def test_anything_else_is_refused(typed: Any) -> None:
    with pytest.raises(UserError, match='budget must be like "300 words" or "2000 tokens", got'):
        Budget.of(typed)
