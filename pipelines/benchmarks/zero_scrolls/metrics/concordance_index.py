"""Concordance index of orders: BookSumSort in ZeroSCROLLS (Shaham et al. 2023, section 3.3).

The share of the n(n − 1)/2 pairs of numbers that the output has in the reference's order; a random order has half. All
characters but digits, commas and white space are taken out of the output first, and commas separate like white space.
An output that is then not a permutation of the reference's numbers scores 0.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

_OTHER = re.compile(r"[^0-9\s,]")


@dataclass(frozen=True)
class ConcordanceIndex(Metric):
    """The share of pairs in the right order, 0–100; the key is "concordance_index".

    "no_permutation" is the share of outputs that are not a permutation of the reference, 0–100. The best reference
    counts; the order of a single number is right.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "concordance_index|kept:digits, commas, white space|no permutation:0|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The concordance index, 0–100. Raises `UserError` unless a reference lists different numbers."""
        predicted = order(prediction)
        golds = [_gold(reference, example.id) for reference in example.references]
        fitting = [gold for gold in golds if len(predicted) == len(gold) and set(predicted) == set(gold)]
        return {
            "concordance_index": max((concordance(predicted, gold) for gold in fitting), default=0.0),
            "no_permutation": 100.0 * (not fitting),
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "concordance_index") | mean(rows, "no_permutation")


def order(text: str) -> list[str]:
    """The numbers of a text without leading zeros; as strings, since a model may output thousands of digits."""
    return [number.lstrip("0") or "0" for number in _OTHER.sub("", text).replace(",", " ").split()]


def concordance(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """The share of pairs in the right order, 0–100, of two permutations of the same numbers."""
    positions = {number: position for position, number in enumerate(gold)}
    pairs = list(combinations([positions[number] for number in predicted], 2))
    return 100 * sum(number < other for number, other in pairs) / len(pairs) if pairs else 100.0


def _gold(reference: str, name: str) -> list[str]:
    """The numbers of a reference in order. Raises `UserError` where there are none, or two equal ones."""
    numbers = order(reference)
    if not numbers or len(set(numbers)) < len(numbers):
        raise UserError(
            f"example {name}: the reference {reference!r} must list different numbers, like '3, 1, 2': fix the data"
        )
    return numbers
