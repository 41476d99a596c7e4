"""The grammar of a condition, and its verdict on an interval."""

import pytest

from longdoc.errors import UserError
from pipelines.results.comparisons.gate import Gate, condition, gates, verdict
from pipelines.statistics.intervals import Difference, Interval
from tests.turns import for_each


@pytest.mark.parametrize(
    ("text", "score", "sign", "bound", "relative"),
    [
        ("f1 < baseline - 1", "f1", "<", -1, True),
        ("f1<baseline-1.5", "f1", "<", -1.5, True),
        (" rouge-l > baseline + 2 ", "rouge-l", ">", 2, True),
        ("acc,none < baseline", "acc,none", "<", 0, True),
        ("exact match < 40", "exact match", "<", 40, False),
        ("loglik > -3.5", "loglik", ">", -3.5, False),
    ],
)
def test_a_condition_is_a_score_a_sign_and_a_bound(
    text: str, score: str, sign: str, bound: float, relative: bool
) -> None:
    parsed = condition(text)
    assert (parsed.score, parsed.sign, parsed.bound, parsed.relative) == (score, sign, bound, relative)


@for_each(
    "text",
    ["", "f1", "f1 <", "< 3", "f1 <= 3", "f1 < base", "f1 < baseline 1", "f1 < baseline - - 1", "f1 < 1 < 2",
     "f1 < baseline -", "f1 < nan", "f1 < 1e5", "f1 < __import__('os')", "f1 == 3", f"f1 < {'9' * 400}"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        condition(text)


@pytest.mark.parametrize(
    ("text", "bounds", "expected"),
    [
        ("f1 < baseline - 1", (-3.0, -1.1), "holds"),
        ("f1 < baseline - 1", (-3.0, -1.0), "in doubt"),
        ("f1 < baseline - 1", (-1.0, 2.0), "does not hold"),
        ("f1 > baseline + 1", (1.1, 2.0), "holds"),
        ("f1 > baseline + 1", (0.0, 1.0), "does not hold"),
        ("f1 > baseline + 1", None, "in doubt"),
    ],
)
def test_the_whole_interval_decides(text: str, bounds: tuple[float, float] | None, expected: str) -> None:
    assert verdict(condition(text), 0.0, bounds).verdict == expected


def test_with_six_to_nine_documents_p_has_to_agree_with_the_interval() -> None:
    def verdict_of(units: int, p: float, low: float = -90.0, high: float = -60.0) -> str:
        interval = Interval(low, high, 0.95, 2000, "document", units)
        difference = Difference(-77.0, interval, p)
        (gate,) = gates(["f1 < baseline - 1"], {"f1": 10.0}, {"f1": difference}, lambda _: interval)
        return gate.verdict

    assert verdict_of(9, 0.004) == verdict_of(6, 0.031) == "holds"
    assert verdict_of(9, 0.051) == verdict_of(9, 0.004, high=-1.0) == "in doubt"
    assert verdict_of(10, 0.051) == "holds"
    (gate,) = gates(["f1 < 40"], {"f1": 10.0}, {}, lambda _: Interval(5, 15, 0.95, 2000, "document", 9))
    assert gate.verdict == "in doubt"


def test_a_difference_has_its_sign_as_in_the_table_and_a_score_has_none() -> None:
    assert (
        str(Gate("f1 < baseline", "b - a", "in doubt", 1.5, -1, 2))
        == "f1 < baseline: in doubt (b - a: +1.50 [-1.00, 2.00])"
    )
    assert str(Gate("f1 < 40", "b", "holds", 1.5)) == "f1 < 40: holds (b: 1.50, no reliable interval)"
