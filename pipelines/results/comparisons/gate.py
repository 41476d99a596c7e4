"""A condition on a comparison, for continuous integration: "f1 < baseline - 1", "f1 < 40".

The grammar: SCORE, `<` or `>`, and a number, or `baseline` with `+` or `-` a number. The baseline is the first of the
two systems, the score the second's. A condition holds if the whole interval fulfils it, does not hold if no part does,
and is in doubt otherwise or without an interval. An interval of few units is too narrow, and decides only together with
the exact p of a difference. Nothing is evaluated as code.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from longdoc.errors import UserError, unknown
from pipelines.display import numbers
from pipelines.statistics.intervals import Difference, Interval

Verdict = Literal["holds", "does not hold", "in doubt"]
_CONDITION = re.compile(r"\s*(?P<score>[^<>]+?)\s*(?P<sign>[<>])\s*(?P<bound>[^<>=]+?)\s*")
_BOUND = re.compile(r"(?:(?P<baseline>baseline)\s*(?:(?P<operator>[+-])\s*)?)?(?P<number>[+-]?\d+(?:\.\d+)?)?")
EXAMPLE = '"f1 < baseline - 1" or "f1 < 40"'


@dataclass(frozen=True, slots=True)
class Condition:
    """A score below (`sign` "<") or above `bound`; `relative`: the bound is for the difference from the baseline."""

    text: str
    score: str
    sign: Literal["<", ">"]
    bound: float
    relative: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """The verdict on a condition: `value` is the difference or the score (`quantity`), with its bounds.

    The bounds are None without an interval, or if it is too narrow.
    """

    condition: str
    quantity: Literal["b - a", "b"]
    verdict: Verdict
    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        bounds = ", no reliable interval"  # none, or one of too few units or of a single document
        if self.low is not None and self.high is not None:
            bounds = f" {numbers.interval(self.low, self.high)}"
        value = numbers.score(self.value) if self.quantity == "b" else numbers.difference(self.value)
        return f"{self.condition}: {self.verdict} ({self.quantity}: {value}{bounds})"


def condition(text: str) -> Condition:
    """Parse a condition. Raises `UserError` if the text is not one."""
    match = _CONDITION.fullmatch(text)
    bound = _BOUND.fullmatch(match["bound"]) if match else None
    if match is None or bound is None or not _is_complete(bound):
        raise UserError(
            f"{text!r} is not a condition: expected SCORE, < or >, then a number or baseline - NUMBER, as in {EXAMPLE}"
        )
    number = float(bound["number"] or 0)
    if not isfinite(number):
        raise UserError(f"the number in {text!r} is too large")
    sign: Literal["<", ">"] = "<" if match["sign"] == "<" else ">"
    return Condition(
        text.strip(), match["score"], sign, -number if bound["operator"] == "-" else number, bool(bound["baseline"])
    )


def _is_complete(bound: re.Match[str]) -> bool:
    """Whether a bound is a number, `baseline`, or both with one sign between them."""
    if bound["baseline"] is None:
        return bound["number"] is not None
    if bound["operator"] is None:
        return bound["number"] is None
    return bound["number"] is not None and bound["number"][0].isdigit()


def gates(
    conditions: Sequence[str],
    scores: Mapping[str, float],
    differences: Mapping[str, Difference],
    interval_of: Callable[[str], Interval | None],
) -> list[Gate]:
    """The verdicts on the conditions. Raises `UserError` for a score that the systems do not have.

    `scores` are the second system's, `interval_of` gives their intervals. One without a difference is equal in both.
    """
    return [_gate(condition(text), scores, differences, interval_of) for text in conditions]


def _gate(
    condition: Condition,
    scores: Mapping[str, float],
    differences: Mapping[str, Difference],
    interval_of: Callable[[str], Interval | None],
) -> Gate:
    if condition.score not in scores:
        raise unknown("score of both", condition.score, scores)
    if not condition.relative:
        return verdict(condition, scores[condition.score], _bounds(interval_of(condition.score)))
    difference = differences.get(condition.score)
    if difference is None:
        return verdict(condition, 0.0, (0.0, 0.0))
    return verdict(condition, difference.value, _bounds(difference.interval, difference.p))


def _bounds(interval: Interval | None, p: float = 1.0) -> tuple[float, float] | None:
    if interval is None or (interval.few and p > 1 - interval.level):
        return None
    return interval.low, interval.high


def verdict(condition: Condition, value: float, bounds: tuple[float, float] | None) -> Gate:
    """The verdict on a condition, from the interval of a value."""
    quantity: Literal["b - a", "b"] = "b - a" if condition.relative else "b"
    if bounds is None:
        return Gate(condition.text, quantity, "in doubt", value)
    low, high = bounds
    is_below = condition.sign == "<"
    holds = high < condition.bound if is_below else low > condition.bound
    is_refuted = low >= condition.bound if is_below else high <= condition.bound
    outcome: Verdict = "holds" if holds else "does not hold" if is_refuted else "in doubt"
    return Gate(condition.text, quantity, outcome, value, low, high)
