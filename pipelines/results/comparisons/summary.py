"""Several runs in one table: the settings that tell them apart, the first scores, the difference from the baseline."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import NoneType
from typing import Any

from longdoc.plain_values import plain_keys
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Align, Column, Delta, Entry, Score, Table
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.cell import Cell
from pipelines.statistics.difference import Difference
from pipelines.statistics.intervals import Interval

SCORES = 4  # columns of scores where the user has not chosen any
TASK = "task"  # the setting of cells of several tasks: each is compared within its own
ERROR = 160  # characters of an error in the notes
FAULTS = ("no_", "missing_", "extra_")  # prefixes of scores of which less is better


def summary(
    title: str,
    runs: Sequence[Cell],
    primary_metric: str,
    baseline: str | None = None,
    axes: Iterable[str] = (),
    scores: Sequence[str] | None = None,
    warnings: Sequence[str] = (),
) -> Table:
    """The table of several runs. `scores` names those to show, each with its interval and its difference.

    Without them the primary metric is shown so, and a few more scores as plain numbers.
    """
    names = score_names(runs, primary_metric)
    shown_names = list(scores) if scores else names[:SCORES]
    bounded_names = shown_names if scores else [name for name in shown_names if name == primary_metric]
    varying_names, fixed_settings = split_settings(runs, axes)
    columns = [*_name_columns(runs, varying_names), *_counts(runs)]
    for name in shown_names:
        optional, bounds = name != primary_metric, name in bounded_names
        columns.append(Column(name, _score_cell(runs, name, bounds, shown_names[0]), "right", optional))
        if bounds and any(name in run.differences or run.same_as is not None for run in runs):
            columns.append(Column(f"Δ {name}", partial(_delta, name, runs, baseline), "right", optional))
    columns += _expenses(runs)
    notes = tuple(_notes(runs, shown_names, bounded_names, names, baseline, warnings))
    return Table(", ".join([title, *fixed_settings]), tuple(columns), runs, notes)


def score_names(runs: Sequence[Cell], primary_metric: str) -> list[str]:
    """The names of all scores, the primary metric first, shares of malformed outputs and single classes last."""
    names = dict.fromkeys(name for run in runs for name in run.scores)
    return sorted(names, key=lambda name: (name != primary_metric, less_is_better(name), "[" in name))


def less_is_better(score: str) -> bool:
    """Whether a score counts faults."""
    return score.startswith(FAULTS)


def split_settings(runs: Sequence[Cell], axes: Iterable[str] = ()) -> tuple[list[str], list[str]]:
    """The names of the settings that differ between the runs, and the settings that all share, as `k=5`."""
    names = dict.fromkeys([*axes, *(name for run in runs for name in run.settings)])
    values = {name: {_setting(run, name) for run in runs} for name in names}
    varying_names = [name for name in names if len(values[name]) > 1]
    fixed_settings = [f"{name}={value}" for name in names if len(values[name]) == 1 for value in values[name]]
    return varying_names, [text for text in fixed_settings if not text.endswith(f"={numbers.MISSING}")]


def flat_rows(runs: Sequence[Cell], primary_metric: str, axes: Iterable[str]) -> list[dict[str, Any]]:
    """One mapping per run, all with the same keys: settings, scores with intervals and differences, counts, error."""
    settings = dict.fromkeys([*axes, *(name for run in runs for name in run.settings)])
    scores = score_names(runs, primary_metric)
    bounded_names = [name for name in scores if any(name in run.scores.intervals for run in runs)]
    compared_names = [name for name in scores if any(name in run.differences for run in runs)]
    rows = []
    for run in runs:
        row: dict[str, Any] = {"name": run.name} | {name: run.settings.get(name) for name in settings}
        row["recipe"] = run.recipe
        for name in scores:
            row[name] = run.scores.get(name)
            if name in bounded_names:
                row |= _bounds(name, run.scores.intervals.get(name))
            if name in compared_names:
                row |= _compared(name, run.differences.get(name))
        row["same_as"] = run.same_as
        counts = (
            "counts.examples", "counts.documents", "counts.requests", "counts.tokens_in", "counts.tokens_out",
            "counts.tokens_shown", "counts.words_shown", "counts.cost", "error", "folder",
        )  # fmt: skip
        rows.append(row | {"failures": len(run.failures)} | plain_keys(run, counts))
    return rows


def _name_columns(runs: Sequence[Cell], varying_names: Sequence[str]) -> list[Column]:
    """The columns that identify the runs: settings, else names, with recipes outside an ablation."""
    if varying_names:
        sides: list[Align] = ["right" if _is_numeric(runs, name) else "left" for name in varying_names]
        return [
            Column(name, partial(_setting, name=name), side) for name, side in zip(varying_names, sides, strict=True)
        ]
    columns = [Column("run", lambda run: numbers.line(run.name))]
    if len({run.recipe for run in runs}) > 1 and not any(run.settings for run in runs):
        columns.append(Column("recipe", lambda run: numbers.line(run.recipe)))
    return columns


def _counts(runs: Sequence[Cell]) -> list[Column]:
    """The numbers of examples where runs of a task have other ones: their scores are of other examples."""
    finished_runs = [run for run in runs if run.error is None]
    tasks = {run.settings.get(TASK) for run in finished_runs}
    if len({(run.settings.get(TASK), run.counts.examples) for run in finished_runs}) == len(tasks):
        return []
    return [Column("n", lambda run: _count(run, run.counts.examples), "right")]


def _count(run: Cell, value: float) -> str:
    return numbers.MISSING if run.error is not None else numbers.count(value)


def _expenses(runs: Sequence[Cell]) -> list[Column]:
    def column(name: str, cell: Callable[[Cell], str]) -> Column:
        return Column(name, cell, "right", optional=True)

    columns = []
    if any(run.counts.tokens_shown for run in runs):
        columns.append(column("tokens shown", lambda run: _count(run, run.counts.tokens_shown)))
    if any(run.counts.words_shown is not None for run in runs):
        columns.append(column("words shown", lambda run: numbers.count(run.counts.words_shown)))
    if any(run.counts.cost is not None for run in runs):
        columns.append(column("cost", lambda run: numbers.money(run.counts.cost)))
    return columns


def _bounds(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high, units = (interval.low, interval.high, interval.units) if interval else (None,) * 3
    return {f"{name}_low": low, f"{name}_high": high, f"{name}_units": units}


def _compared(score: str, difference: Difference | None) -> dict[str, float | None]:
    name = f"{score}_difference"
    value, p, holm, bounds = (
        (difference.value, difference.p, difference.p_holm, difference.interval) if difference else (None,) * 4
    )
    return {name: value} | _bounds(name, bounds) | {f"{score}_p": p, f"{score}_p_holm": holm}


def _is_numeric(runs: Sequence[Cell], name: str) -> bool:
    return all(isinstance(run.settings.get(name), (int, float, NoneType)) for run in runs)


def _setting(run: Cell, name: str) -> str:
    return numbers.setting(run.settings.get(name))


def score_entry(runs: Sequence[Cell], name: str, has_bounds: bool = True) -> Callable[[Cell], Score | None]:
    """What gives a score of one of the runs, ranked among them as printed; None where a run lacks it."""
    printed_values = {round(run.scores[name], 2) for run in runs if name in run.scores}
    ordered_values = sorted(printed_values, reverse=not less_is_better(name))
    ranks = {value: rank for rank, value in enumerate(ordered_values, 1)} if len(ordered_values) > 1 else {}

    def entry(run: Cell) -> Score | None:
        return run.scores.entry(name, ranks.get(round(run.scores.get(name, 0.0), 2), 0), has_bounds)

    return entry


def _score_cell(runs: Sequence[Cell], name: str, has_bounds: bool, leading_name: str) -> Callable[[Cell], Entry]:
    entry = score_entry(runs, name, has_bounds)
    return lambda run: entry(run) or ("failed" if run.error is not None and name == leading_name else numbers.MISSING)


def delta(run: Cell, name: str) -> Delta | None:
    """The difference of a score from the baseline's, its p after Holm's correction where there is one."""
    difference = run.differences.get(name)
    return None if difference is None else Delta.of(difference)


def _delta(name: str, runs: Sequence[Cell], baseline: str | None, run: Cell) -> Entry:
    if (difference := delta(run, name)) is not None:
        return difference
    if name in run.scores and run.same_as is not None:
        return numbers.line(f"{notes.SAME_MARK}{run.same_as}")
    return "baseline" if _comparison_name(run, runs) == _baseline(runs, baseline) else numbers.MISSING


def _comparison_name(run: Cell, runs: Sequence[Cell]) -> str:
    """A run's name; where several tasks are compared, its settings but the task, which every task's baseline has."""
    if len({str(run.settings.get(TASK)) for run in runs}) < 2:
        return run.name
    return ", ".join(f"{name}={numbers.setting(value)}" for name, value in run.settings.items() if name != TASK)


def _baseline(runs: Sequence[Cell], baseline: str | None) -> str:
    """The baseline's name, or the settings of every task's baseline."""
    return next((_comparison_name(run, runs) for run in runs if run.name == baseline), baseline or "")


def cell_interval_notes(runs: Iterable[Cell], names: Sequence[str]) -> list[str]:
    """What to know of the intervals of these scores: how they were made, which are of few units, which are missing."""
    runs = list(runs)
    intervals = [run.scores.intervals[name] for run in runs for name in names if name in run.scores.intervals]
    return [
        *interval_notes.method_notes(intervals),
        *interval_notes.missing_interval_notes([run.scores.no_interval for run in runs], names),
    ]


def _notes(
    runs: Sequence[Cell],
    shown_names: Sequence[str],
    bounded_names: Sequence[str],
    names: Sequence[str],
    baseline: str | None,
    warnings: Sequence[str],
) -> Iterable[str]:
    yield from cell_interval_notes(runs, bounded_names)
    differences = [run.differences[name] for run in runs for name in shown_names if name in run.differences]
    if differences:
        holm = ", after Holm's correction" if any(difference.p_holm is not None for difference in differences) else ""
        yield f"Δ: less the baseline, {numbers.line(_baseline(runs, baseline))}; p two-sided{holm}"
    yield from notes.same_runs(run.same_as for run in runs)
    for name in shown_names:
        signatures = dict.fromkeys(run.scores.signatures[name] for run in runs if name in run.scores.signatures)
        if signatures:
            yield f"{name}: {numbers.line(' or '.join(signatures))}"
    if len(shown_names) < len(names):
        yield f"not shown: {', '.join(name for name in names if name not in shown_names)}"
    missing = dict.fromkeys(pair for run in runs for pair in run.scores.not_computed.items())
    yield from (numbers.line(f"{name}: not computed: {reason}") for name, reason in missing)
    for run in runs:
        if run.error is not None:
            yield f"failed: {numbers.line(run.name)}: {numbers.shortened(numbers.line(run.error), ERROR)}"
    yield from (f"warning: {numbers.line(warning)}" for warning in warnings)
