r"""Exponential similarity of percentages: SpaceDigest in ZeroSCROLLS (Shaham et al. 2023, section 3.3).

ES(p, q) = d^(−c · |p − q|) with d = 2, c = 10 and p, q as fractions: every 10 points of difference halve the score.
An output's percentage is its first number with a percent sign right behind it ("12 %" is not one, "7.%" is 7).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

# The published `\d+\.?\d*%` finds the same, but takes cubic time on an output that repeats digits without end.
_PERCENTAGE = re.compile(r"(?<!\d)(\d++(?:\.\d*+)?)%")


@dataclass(frozen=True)
class ExponentialSimilarity(Metric):
    """Exponential similarity to the reference's percentage, 0–100; the key is "exponential_similarity".

    An output without a percentage scores 0; "no_percentage" is the share of those, 0–100. The best reference counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "exponential_similarity|d:2|c:10|percentage:first number with % attached|none:0|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The similarity, 0–100. Raises `UserError` for a reference without a percentage."""
        predicted = percentage(prediction)
        scores = [0.0 if predicted is None else 100 * 0.5 ** (abs(predicted - gold) / 10) for gold in _golds(example)]
        return {"exponential_similarity": max(scores), "no_percentage": 100.0 * (predicted is None)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "exponential_similarity") | mean(rows, "no_percentage")


def percentage(text: str) -> float | None:
    """The first percentage in a text, in points; None where there is none. 400 digits are infinitely many points."""
    match = _PERCENTAGE.search(text)
    return float(match[1]) if match else None


def _golds(example: Example) -> list[float]:
    golds = [percentage(reference) for reference in example.references]
    if None in golds:
        raise UserError(
            f"example {example.id}: the reference {example.references[golds.index(None)]!r} must have a percentage, "
            "like '45%': fix the data"
        )
    return [gold for gold in golds if gold is not None]
