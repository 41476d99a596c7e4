"""The interval of a score, its record in a file, and how many units a score needs to have one."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from longdoc import record_checks
from longdoc.plurals import counted

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
        """Whether it is of so few units that it is too narrow, and is marked where it is printed."""
        return self.units < ENOUGH_LIMIT

    def __str__(self) -> str:
        """The bounds to two decimals, with a star where they are of few units: `[8.12, 10.40]`."""
        return f"[{self.low:z.2f}, {self.high:z.2f}]{FEW_MARK * self.few}"


FIELDS: Mapping[str, record_checks.Test] = {
    **dict.fromkeys(("low", "high", "level"), record_checks.number),
    **dict.fromkeys(("resamples", "units"), record_checks.count),
    "unit": lambda value: value in ("example", "document"),
}


def is_interval(record: Any) -> bool:
    """Whether a value that was read from a file is an interval."""
    return isinstance(record, Mapping) and all(name in record and fits(record[name]) for name, fits in FIELDS.items())


def interval_of(record: Mapping[str, Any]) -> Interval:
    """An interval from its record in `scores.json`."""
    return Interval(**{field.name: record[field.name] for field in fields(Interval)})


def too_few_units(units: int, unit: Unit) -> str:
    """Why a score of so many units has no interval; empty where it has one."""
    return "" if units >= MINIMUM else f"{counted(units, unit)}{NO_INTERVAL} {MINIMUM} are needed"
