"""How one score differs between two systems."""

from dataclasses import dataclass

from pipelines.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Difference:
    """How one score of a run differs from a baseline's over the same examples: `value` is run less baseline.

    `p` is two-sided, `p_holm` the same after Holm's correction for all runs that are compared with the baseline.
    `interval` is None where fewer than five examples or documents count, as `no_interval` says. Wins, losses and ties
    count examples whose score is higher, lower or about the same; None where no example has the score by itself.
    """

    value: float
    interval: Interval | None
    p: float
    p_holm: float | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    no_interval: str = ""
