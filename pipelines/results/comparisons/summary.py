"""Several runs in one table: the settings that tell them apart, the leading figures, the difference to the baseline."""

# ruff: noqa: D102 (the protocol names what the records themselves describe)
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Protocol

from pipelines.results.comparisons.records import Difference, Interval
from pipelines.results.display import numbers
from pipelines.results.display.table import Entry, Gap, Score, Table

FIGURES = 4  # in a table that nobody chose the figures of
ERROR = 160  # characters of an error in the notes
BOUNDS = "[low, high]"  # how the note on intervals begins
FAULTS = ("no_", "missing_", "extra_")  # how figures begin of which less is better


class Line(Protocol):
    """What is known of a run: a cell of an ablation, or a run of a report."""

    @property
    def name(self) -> str: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...
    @property
    def recipe(self) -> str: ...
    @property
    def folder(self) -> Path | None: ...
    @property
    def scores(self) -> Mapping[str, float]: ...
    @property
    def signatures(self) -> Mapping[str, str]: ...
    @property
    def not_computed(self) -> Mapping[str, str]: ...
    @property
    def intervals(self) -> Mapping[str, Interval]: ...
    @property
    def differences(self) -> Mapping[str, Difference]: ...
    @property
    def examples(self) -> int: ...
    @property
    def documents(self) -> int: ...
    @property
    def requests(self) -> int: ...
    @property
    def tokens_in(self) -> int: ...
    @property
    def tokens_out(self) -> int: ...
    @property
    def tokens_shown(self) -> float: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def failures(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    entries: Sequence[Entry]
    right: bool = False
    spare: bool = False


def summary(
    title: str,
    lines: Sequence[Line],
    metric: str,
    baseline: str | None = None,
    axes: Iterable[str] = (),
    figures: Sequence[str] | None = None,
    warnings: Sequence[str] = (),
) -> Table:
    """The table of several runs. `figures` are those to show, each with its interval and its difference.

    Without them the leading figure is shown so, and a few more as plain numbers.
    """
    known = figures_of(lines, metric)
    shown = list(figures) if figures else known[:FIGURES]
    full = shown if figures else [name for name in shown if name == metric]
    varying, fixed = settings_of(lines, axes)
    columns = _named(lines, varying)
    for name in shown:
        columns.append(_Column(name, _scores(lines, name, name in full, shown[0]), right=True, spare=name != metric))
        if name in full and any(name in line.differences for line in lines):
            columns.append(_Column(f"Δ {name}", _gaps(lines, name, baseline), right=True, spare=name != metric))
    columns += _expenses(lines)
    return Table(
        ", ".join([title, *fixed]),
        tuple(column.name for column in columns),
        tuple(zip(*(column.entries for column in columns), strict=True)),
        tuple(_notes(lines, shown, known, baseline, warnings)),
        frozenset(place for place, column in enumerate(columns) if column.right),
        frozenset(place for place, column in enumerate(columns) if column.spare),
    )


def figures_of(lines: Sequence[Line], metric: str) -> list[str]:
    """The names of all figures, the leading one first, shares of malformed outputs and single classes last."""
    names = dict.fromkeys(name for line in lines for name in line.scores)
    return sorted(names, key=lambda name: (name != metric, less_is_better(name), "[" in name))


def less_is_better(figure: str) -> bool:
    """Whether a figure counts faults."""
    return figure.startswith(FAULTS)


def settings_of(lines: Sequence[Line], axes: Iterable[str] = ()) -> tuple[list[str], list[str]]:
    """The settings that tell the runs apart, and what all have in common as `k=5`."""
    names = dict.fromkeys([*axes, *(name for line in lines for name in line.settings)])
    values = {name: {_setting(line, name) for line in lines} for name in names}
    varying = [name for name in names if len(values[name]) > 1]
    fixed = [f"{name}={value}" for name in names if len(values[name]) == 1 for value in values[name]]
    return varying, [one for one in fixed if not one.endswith(f"={numbers.NOTHING}")]


def flat(lines: Sequence[Line], metric: str, axes: Iterable[str]) -> list[dict[str, Any]]:
    """One mapping a run with the same keys in each: settings, figures with bounds and differences, counts, error."""
    settings = dict.fromkeys([*axes, *(name for line in lines for name in line.settings)])
    figures = figures_of(lines, metric)
    bounded = [name for name in figures if any(name in line.intervals for line in lines)]
    compared = [name for name in figures if any(name in line.differences for line in lines)]
    rows = []
    for line in lines:
        row: dict[str, Any] = {"name": line.name} | {name: line.settings.get(name) for name in settings}
        row["recipe"] = line.recipe
        for name in figures:
            row[name] = line.scores.get(name)
            if name in bounded:
                row |= _bounds(name, line.intervals.get(name))
            if name in compared:
                row |= _compared(name, line.differences.get(name))
        counts = ("examples", "documents", "requests", "tokens_in", "tokens_out", "tokens_shown", "cost", "error")
        rows.append(row | {"failures": len(line.failures)} | {name: getattr(line, name) for name in counts}
                    | {"folder": None if line.folder is None else str(line.folder)})  # fmt: skip
    return rows


def _named(lines: Sequence[Line], varying: Sequence[str]) -> list[_Column]:
    """What tells the runs apart: settings, else names, with the recipes of runs that no axes made."""
    if varying:
        return [_Column(name, [_setting(line, name) for line in lines], _numbers(lines, name)) for name in varying]
    columns = [_Column("run", [numbers.line(line.name) for line in lines])]
    if len({line.recipe for line in lines}) > 1 and not any(line.settings for line in lines):
        columns.append(_Column("recipe", [numbers.line(line.recipe) for line in lines]))
    return columns


def _expenses(lines: Sequence[Line]) -> list[_Column]:
    columns = []
    if any(line.tokens_shown for line in lines):
        shown = [numbers.NOTHING if line.error is not None else numbers.count(line.tokens_shown) for line in lines]
        columns.append(_Column("tokens shown", shown, right=True, spare=True))
    if any(line.cost is not None for line in lines):
        columns.append(_Column("cost", [numbers.money(line.cost) for line in lines], right=True, spare=True))
    return columns


def _bounds(name: str, found: Interval | None) -> dict[str, float | None]:
    low, high = (found.low, found.high) if found else (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _compared(figure: str, found: Difference | None) -> dict[str, float | None]:
    name = f"{figure}_difference"
    value, p, holm, bounds = (found.value, found.p, found.p_holm, found.interval) if found else (None,) * 4
    return {name: value} | _bounds(name, bounds) | {f"{figure}_p": p, f"{figure}_p_holm": holm}


def _numbers(lines: Sequence[Line], name: str) -> bool:
    return all(isinstance(line.settings.get(name), (int, float, NoneType)) for line in lines)


def _setting(line: Line, name: str) -> str:
    return numbers.setting(line.settings.get(name))


def scores_of(lines: Sequence[Line], name: str, bounded: bool = True) -> list[Score | None]:
    """A figure of each run, ranked as printed; None where a run lacks it."""
    printed = [round(line.scores[name], 2) for line in lines if name in line.scores]
    order = sorted(set(printed), reverse=not less_is_better(name))
    ranks = {value: place for place, value in enumerate(order, 1)} if len(order) > 1 else {}
    entries: list[Score | None] = []
    for line in lines:
        value, found = line.scores.get(name), line.intervals.get(name) if bounded else None
        low, high = (found.low, found.high) if found else (None, None)
        entries.append(None if value is None else Score(value, low, high, ranks.get(round(value, 2), 0)))
    return entries


def _scores(lines: Sequence[Line], name: str, bounded: bool, leading: str) -> list[Entry]:
    found = zip(lines, scores_of(lines, name, bounded), strict=True)
    return [one or ("failed" if line.error is not None and name == leading else numbers.NOTHING) for line, one in found]


def gap(line: Line, name: str) -> Gap | None:
    """The difference of a figure to the baseline's, its p after Holm's correction where there is one."""
    found = line.differences.get(name)
    return None if found is None else Gap(found.value, found.p if found.p_holm is None else found.p_holm)


def _gaps(lines: Sequence[Line], name: str, baseline: str | None) -> list[Entry]:
    entries: list[Entry] = []
    for line in lines:
        found = gap(line, name)
        if found is not None:
            entries.append(found)
        else:
            entries.append("baseline" if line.name == baseline else numbers.NOTHING)
    return entries


def _notes(
    lines: Sequence[Line], shown: Sequence[str], known: Sequence[str], baseline: str | None, warnings: Sequence[str]
) -> Iterable[str]:
    found = [line.intervals[name] for line in lines for name in shown if name in line.intervals]
    yield from dict.fromkeys(
        f"{BOUNDS}: {100 * one.level:g}% bootstrap interval, {one.resamples:,} resamples by {one.by}" for one in found
    )
    gaps = [line.differences[name] for line in lines for name in shown if name in line.differences]
    if gaps:
        holm = ", after Holm's correction" if any(gap.p_holm is not None for gap in gaps) else ""
        yield f"Δ: less the baseline, {numbers.line(baseline or '')}; p two-sided{holm}"
    for name in shown:
        said = dict.fromkeys(line.signatures[name] for line in lines if name in line.signatures)
        if said:
            yield f"{name}: {numbers.line(' or '.join(said))}"
    if len(shown) < len(known):
        yield f"not shown: {', '.join(name for name in known if name not in shown)}"
    lacking = dict.fromkeys(pair for line in lines for pair in line.not_computed.items())
    yield from (numbers.line(f"{name}: not computed: {reason}") for name, reason in lacking)
    for line in lines:
        if line.error is not None:
            yield f"failed: {numbers.line(line.name)}: {numbers.shortened(numbers.line(line.error), ERROR)}"
    yield from (f"warning: {numbers.line(warning)}" for warning in warnings)
