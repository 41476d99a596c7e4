"""Notes below scores: how their intervals were computed, which are of few units, and why some have none."""

from collections.abc import Iterable, Mapping, Sequence

from pipelines.display.numbers import FEW_MARK
from pipelines.statistics.intervals import ENOUGH_LIMIT, Interval, Unit

ONE_DOCUMENT = "there is only one document: intervals are over its examples, and say nothing about other documents"
BOUNDS = "[low, high]"  # how the note on intervals begins


def few_units(unit: Unit) -> str:
    """The warning about an interval of few units."""
    return f"fewer than {ENOUGH_LIMIT} {unit}s: such an interval is too narrow"


def few_units_footnote(unit: Unit) -> str:
    """The footnote on marked intervals."""
    return f"{FEW_MARK} {few_units(unit)}"


def brief_note(intervals: Sequence[Interval]) -> list[str]:
    """The one-line note on the brackets beside scores; empty without intervals."""
    if not intervals:
        return []
    note = f"{BOUNDS}: {100 * intervals[0].level:g}% interval"
    few = next((interval for interval in intervals if interval.few), None)
    return [f"{note}; {FEW_MARK} too narrow: fewer than {ENOUGH_LIMIT} {few.unit}s" if few else note]


def method_notes(intervals: Iterable[Interval]) -> list[str]:
    """A note on the method for each level of intervals, and the footnote on those of few units."""
    by_level: dict[float, list[Interval]] = {}
    marked_units: set[Unit] = set()
    for interval in intervals:
        by_level.setdefault(interval.level, []).append(interval)
        if interval.few:
            marked_units.add(interval.unit)
    lines = [_method_note(level, level_intervals) for level, level_intervals in by_level.items()]
    marked = sorted(marked_units)
    if len(marked) > 1:
        return [*lines, f"{FEW_MARK} fewer than {ENOUGH_LIMIT} documents or examples: such an interval is too narrow"]
    return [*lines, *map(few_units_footnote, marked)]


def _method_note(level: float, intervals: Sequence[Interval]) -> str:
    """The note on the method of intervals of one level; some scores cannot be computed on all resamples."""
    counts = sorted({interval.resamples for interval in intervals})
    resamples = " to ".join(f"{count:,}" for count in (counts if len(counts) == 1 else (counts[0], counts[-1])))
    units = {interval.unit for interval in intervals}
    unit = "document, of a single document by example" if len(units) > 1 else units.pop()
    return f"{BOUNDS}: {100 * level:g}% bootstrap interval, {resamples} resamples by {unit}"


def missing_interval_notes(reasons: Iterable[Mapping[str, str]], names: Sequence[str]) -> list[str]:
    """Why scores have no interval, with their names unless it holds for all of `names`. `reasons` are by score."""
    return grouped_reasons(((name, reason[name]) for reason in reasons for name in names if name in reason), names)


def grouped_reasons(reasons: Iterable[tuple[str, str]], names: Sequence[str] = ()) -> list[str]:
    """A line for each reason, with the names that it holds for unless these are all of `names`."""
    names_by_reason: dict[str, dict[str, None]] = {}
    for name, reason in reasons:
        names_by_reason.setdefault(reason, {})[name] = None
    return [
        reason if len(reason_names) == len(names) else f"{', '.join(reason_names)}: {reason}"
        for reason, reason_names in names_by_reason.items()
    ]
