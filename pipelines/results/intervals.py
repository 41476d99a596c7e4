"""The interval of a score, and what is said below scores that have none, or one of few units."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from longdoc import record_checks
from longdoc.plurals import counted
from pipelines.results.display import numbers

Unit = Literal["example", "document"]  # what a bootstrap resamples
LEAST = 5  # units below which there is no interval
ENOUGH = 10  # units below which an interval is marked as too narrow; both bounds by `benchmarks.coverage`
NO_INTERVAL = ": no interval; at least"  # in every note on scores without one
BOUNDS = "[low, high]"  # how the note on intervals begins


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
        return self.units < ENOUGH

    def __str__(self) -> str:
        """The bounds, marked where they are of few units."""
        return numbers.interval(self.low, self.high, self.few)


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


def too_few(units: int, unit: Unit) -> str:
    """Why a score of so many units has no interval; empty where it has one."""
    return "" if units >= LEAST else f"{counted(units, unit)}{NO_INTERVAL} {LEAST} are needed"


def few_of(unit: Unit) -> str:
    """What to know of an interval of few units."""
    return f"fewer than {ENOUGH} {unit}s: such an interval is too narrow"


def few(unit: Unit) -> str:
    """The footnote on marked intervals."""
    return f"{numbers.FEW} {few_of(unit)}"


def how_made(found: Iterable[Interval]) -> list[str]:
    """How intervals were made, and the footnote on marked ones."""
    every = list(found)
    by_level: dict[float, list[Interval]] = {}
    for one in every:
        by_level.setdefault(one.level, []).append(one)
    lines = [_made_at(level, of_level) for level, of_level in by_level.items()]
    marked = sorted({one.unit for one in every if one.few})
    if len(marked) > 1:
        return [*lines, f"{numbers.FEW} fewer than {ENOUGH} documents or examples: such an interval is too narrow"]
    return [*lines, *map(few, marked)]


def _made_at(level: float, intervals: Sequence[Interval]) -> str:
    """How the intervals of one level were made. A score that some resamples do not have has fewer of them."""
    counts = sorted({interval.resamples for interval in intervals})
    resamples = " to ".join(f"{count:,}" for count in (counts if len(counts) == 1 else (counts[0], counts[-1])))
    units = {interval.unit for interval in intervals}
    unit = "document, of a single document by example" if len(units) > 1 else units.pop()
    return f"{BOUNDS}: {100 * level:g}% bootstrap interval, {resamples} resamples by {unit}"


def without_interval(reasons: Iterable[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    """Why scores have no interval, with their names unless it is so for all of `names`. `reasons` are by score."""
    return joined(((name, of_run[name]) for of_run in reasons for name in names if name in of_run), names)


def joined(reasons: Iterable[tuple[str, str]], names: Sequence[str] = ()) -> list[str]:
    """A line for each reason, with the names that it holds for; without where these are all of `names`."""
    held_for: dict[str, dict[str, None]] = {}
    for name, reason in reasons:
        held_for.setdefault(reason, {})[name] = None
    return [reason if len(held) == len(names) else f"{', '.join(held)}: {reason}" for reason, held in held_for.items()]
