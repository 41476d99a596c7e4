"""What a comparison with another library is, and how its cases are counted."""

import random
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import NamedTuple

SEED = 18
Differences = Iterator[float]


class Comparison(NamedTuple):
    """Ours beside theirs on random cases.

    `cases` yields the difference of each of `n` cases: the largest of its numbers, infinity where an order or a text
    differs. Up to `tolerance` it is rounding: float32 beside float64, sums in another order.
    """

    ours: str
    theirs: str
    package: str
    tolerance: float
    cases: Callable[[random.Random, int], Differences]

    @property
    def name(self) -> str:
        return f"{self.ours} beside {self.theirs}"


class Counted(NamedTuple):
    """Cases, those over the tolerance, and the largest difference that is not."""

    cases: int
    different: int
    largest: float


def counted(comparison: Comparison, n: int, seed: int = SEED) -> Counted:
    """How many of `n` random cases differ."""
    differences = list(comparison.cases(random.Random(f"{comparison.name} {seed}"), n))
    within = [difference for difference in differences if difference <= comparison.tolerance]
    return Counted(len(differences), len(differences) - len(within), max(within, default=0.0))


def row(comparison: Comparison, n: int) -> list[str]:
    """The comparison's row of the table."""
    counts = counted(comparison, n)
    theirs = f"{comparison.theirs} ({comparison.package} {version(comparison.package)})"
    numbers = (f"{counts.cases:,}", f"{counts.different:,}", f"{counts.largest:.1g}", f"{comparison.tolerance:.0g}")
    return [comparison.ours, theirs, *numbers]
