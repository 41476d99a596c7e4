"""The interval of a score, its record in a file, how many units it needs, and the difference of two systems' scores."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from longdoc import checked_json
from longdoc.messages import counted

Unit = Literal["example", "document"]  # what a bootstrap resamples
MINIMUM = 5  # units below which there is no interval
ENOUGH_LIMIT = 10  # units below which an interval is marked as too narrow; both bounds by `benchmarks.coverage`
FEW_MARK = "*"  # marks an interval of few units
NO_INTERVAL = ": no interval; at least"  # in every note on scores without one


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of one score, 0–100, at `level`, over `units` examples or documents, as `unit` says."""

    low: float
    high: float
    level: float
    resamples: int
    unit: Unit
    units: int

    @property
    def few(self) -> bool:
        """Whether it has so few units that it is too narrow; such intervals are marked in print."""
        return self.units < ENOUGH_LIMIT

    def __str__(self) -> str:
        """The bounds to two decimals, with a star for few units: `[8.12, 10.40]*`."""
        return f"[{self.low:z.2f}, {self.high:z.2f}]{FEW_MARK * self.few}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of a score between a run and a baseline on the same examples: `value` is run minus baseline.

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


FIELDS: Mapping[str, checked_json.Test] = {
    **dict.fromkeys(("low", "high", "level"), checked_json.number),
    **dict.fromkeys(("resamples", "units"), checked_json.count),
    "unit": lambda value: value in ("example", "document"),
}


def is_interval(record: Any) -> bool:
    """Whether a value read from a file is the record of an interval."""
    return isinstance(record, Mapping) and all(name in record and fits(record[name]) for name, fits in FIELDS.items())


def interval_of(record: Mapping[str, Any]) -> Interval:
    """An interval from its record in `scores.json`."""
    return Interval(**{field.name: record[field.name] for field in fields(Interval)})


def too_few_units(units: int, unit: Unit) -> str:
    """The note that a score has too few units for an interval; empty where it has enough."""
    return "" if units >= MINIMUM else f"{counted(units, unit)}{NO_INTERVAL} {MINIMUM} are needed"
