"""Several runs in one table: settings that differ, first scores, differences from the baseline."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import NoneType
from typing import Any

from longdoc.plain_json import plain_keys
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Align, Column, Delta, Entry, Score, Table
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.cell import Cell
from pipelines.statistics.intervals import Difference, Interval

SCORES = 4  # columns of scores where the user has not chosen any
TASK = "task"  # the setting of cells of several tasks: each is compared within its own
ERROR = 160  # characters of an error in the notes
FAULTS = ("no_", "missing_", "extra_")  # prefixes of scores that are better if lower


def summary(
    title: str,
    runs: Sequence[Cell],
    primary_metric: str,
    baseline: str | None = None,
    axes: Iterable[str] = (),
    scores: Sequence[str] | None = None,
    warnings: Sequence[str] = (),
) -> Table:
    """The table of several runs. `scores` are shown with their intervals and differences.

    Without `scores` the primary metric is shown so, and a few more scores as plain numbers.
    """
    names = score_names(runs, primary_metric)
    shown_scores = list(scores) if scores else names[:SCORES]
    scores_with_intervals = shown_scores if scores else [name for name in shown_scores if name == primary_metric]
    varying_settings, fixed_settings = split_settings(runs, axes)
    columns = [*_name_columns(runs, varying_settings), *_counts(runs)]
    for name in shown_scores:
        optional, has_interval = name != primary_metric, name in scores_with_intervals
        columns.append(Column(name, _score_cell(runs, name, has_interval, shown_scores[0]), "right", optional))
        if has_interval and any(name in run.differences or run.same_as is not None for run in runs):
            columns.append(Column(f"Δ {name}", partial(delta_entry, name, runs, baseline), "right", optional))
    columns += _expenses(runs)
    lines = tuple(_notes(runs, shown_scores, scores_with_intervals, names, baseline, warnings))
    return Table(", ".join([title, *fixed_settings]), tuple(columns), runs, lines)


def score_names(runs: Sequence[Cell], primary_metric: str) -> list[str]:
    """The names of all scores, the primary metric first, shares of malformed outputs and single classes last."""
    names = dict.fromkeys(name for run in runs for name in run.scores)
    return sorted(names, key=lambda name: (name != primary_metric, less_is_better(name), "[" in name))


def less_is_better(score: str) -> bool:
    """Whether a lower score is better, as it counts faults."""
    return score.startswith(FAULTS)


def split_settings(runs: Sequence[Cell], axes: Iterable[str] = ()) -> tuple[list[str], list[str]]:
    """The names of the settings that differ between the runs, and the settings that all share (`k=5`)."""
    names = dict.fromkeys([*axes, *(name for run in runs for name in run.settings)])
    values = {name: {_setting(run, name) for run in runs} for name in names}
    varying_settings = [name for name in names if len(values[name]) > 1]
    fixed_settings = [f"{name}={value}" for name in names if len(values[name]) == 1 for value in values[name]]
    return varying_settings, [setting for setting in fixed_settings if not setting.endswith(f"={numbers.MISSING}")]


def flat_rows(runs: Sequence[Cell], primary_metric: str, axes: Iterable[str]) -> list[dict[str, Any]]:
    """One mapping per run, all with the same keys: settings, scores with intervals and differences, counts, error."""
    settings = dict.fromkeys([*axes, *(name for run in runs for name in run.settings)])
    scores = score_names(runs, primary_metric)
    scores_with_intervals = [name for name in scores if any(name in run.scores.intervals for run in runs)]
    scores_with_differences = [name for name in scores if any(name in run.differences for run in runs)]
    rows = []
    for run in runs:
        row: dict[str, Any] = {"name": run.name} | {name: run.settings.get(name) for name in settings}
        row["recipe"] = run.recipe
        for name in scores:
            row[name] = run.scores.get(name)
            if name in scores_with_intervals:
                row |= _interval_fields(name, run.scores.intervals.get(name))
            if name in scores_with_differences:
                row |= _difference_fields(name, run.differences.get(name))
        row["same_as"] = run.same_as
        counts = (
            "counts.examples", "counts.documents", "counts.requests", "counts.tokens_in", "counts.tokens_out",
            "counts.tokens_shown", "counts.words_shown", "counts.cost", "error", "folder",
        )  # fmt: skip
        rows.append(row | {"failures": len(run.failures)} | plain_keys(run, counts))
    return rows


def _name_columns(runs: Sequence[Cell], varying_settings: Sequence[str]) -> list[Column]:
    """The columns that identify the runs: settings, else names, with recipes outside an ablation."""
    if varying_settings:
        alignments: list[Align] = ["right" if _is_numeric(runs, name) else "left" for name in varying_settings]
        return [
            Column(name, partial(_setting, name=name), alignment)
            for name, alignment in zip(varying_settings, alignments, strict=True)
        ]
    columns = [Column("run", lambda run: numbers.line(run.name))]
    if len({run.recipe for run in runs}) > 1 and not any(run.settings for run in runs):
        columns.append(Column("recipe", lambda run: numbers.line(run.recipe)))
    return columns


def _counts(runs: Sequence[Cell]) -> list[Column]:
    """The column of the numbers of examples, if runs of one task differ in them; else none."""
    finished_runs = [run for run in runs if run.error is None]
    tasks = {run.settings.get(TASK) for run in finished_runs}
    if len({(run.settings.get(TASK), run.counts.examples) for run in finished_runs}) == len(tasks):
        return []
    return [Column("n", lambda run: _count(run, run.counts.examples), "right")]


def _count(run: Cell, value: float) -> str:
    return numbers.MISSING if run.error is not None else numbers.count(value)


def _expenses(runs: Sequence[Cell]) -> list[Column]:
    """The columns of tokens, words and cost, as far as some run has them."""

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


def _interval_fields(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high, units = (interval.low, interval.high, interval.units) if interval else (None,) * 3
    return {f"{name}_low": low, f"{name}_high": high, f"{name}_units": units}


def _difference_fields(score: str, difference: Difference | None) -> dict[str, float | None]:
    name = f"{score}_difference"
    value, p, p_holm, interval = (
        (difference.value, difference.p, difference.p_holm, difference.interval) if difference else (None,) * 4
    )
    return {name: value} | _interval_fields(name, interval) | {f"{score}_p": p, f"{score}_p_holm": p_holm}


def _is_numeric(runs: Sequence[Cell], name: str) -> bool:
    return all(isinstance(run.settings.get(name), (int, float, NoneType)) for run in runs)


def _setting(run: Cell, name: str) -> str:
    return numbers.setting(run.settings.get(name))


def score_entry(runs: Sequence[Cell], name: str, has_bounds: bool = True) -> Callable[[Cell], Score | None]:
    """A function that returns a run's score with its rank among the runs, None if it has none."""
    printed_scores = {round(run.scores[name], 2) for run in runs if name in run.scores}
    ordered_scores = sorted(printed_scores, reverse=not less_is_better(name))
    ranks = {value: rank for rank, value in enumerate(ordered_scores, 1)} if len(ordered_scores) > 1 else {}

    def entry(run: Cell) -> Score | None:
        return run.scores.entry(name, ranks.get(round(run.scores.get(name, 0.0), 2), 0), has_bounds)

    return entry


def _score_cell(runs: Sequence[Cell], name: str, has_bounds: bool, first_score: str) -> Callable[[Cell], Entry]:
    entry = score_entry(runs, name, has_bounds)
    return lambda run: entry(run) or ("failed" if run.error is not None and name == first_score else numbers.MISSING)


def delta(run: Cell, name: str) -> Delta | None:
    """The difference of a score from the baseline's; None if it was not compared."""
    difference = run.differences.get(name)
    return None if difference is None else Delta.of(difference)


def delta_entry(name: str, runs: Sequence[Cell], baseline: str | None, run: Cell) -> Entry:
    """The cell of a difference: the difference, the run that this one repeats, "baseline" or a dash."""
    if (difference := delta(run, name)) is not None:
        return difference
    if name in run.scores and run.same_as is not None:
        return numbers.line(f"{notes.SAME_MARK}{run.same_as}")
    return "baseline" if _comparison_name(run, runs) == _baseline(runs, baseline) else numbers.MISSING


def _comparison_name(run: Cell, runs: Sequence[Cell]) -> str:
    """A run's name; if there are several tasks, its settings but the task, which identify every task's baseline."""
    if len({str(run.settings.get(TASK)) for run in runs}) < 2:
        return run.name
    return ", ".join(f"{name}={numbers.setting(value)}" for name, value in run.settings.items() if name != TASK)


def _baseline(runs: Sequence[Cell], baseline: str | None) -> str:
    """The baseline's name, or the settings of every task's baseline."""
    return next((_comparison_name(run, runs) for run in runs if run.name == baseline), baseline or "")


def cell_interval_notes(runs: Iterable[Cell], names: Sequence[str]) -> list[str]:
    """Notes on the intervals of these scores: their method, few units, and which are missing."""
    runs = list(runs)
    intervals = [run.scores.intervals[name] for run in runs for name in names if name in run.scores.intervals]
    return [
        *interval_notes.method_notes(intervals),
        *interval_notes.missing_interval_notes([run.scores.no_interval for run in runs], names),
    ]


def _notes(
    runs: Sequence[Cell],
    shown_scores: Sequence[str],
    scores_with_intervals: Sequence[str],
    names: Sequence[str],
    baseline: str | None,
    warnings: Sequence[str],
) -> Iterable[str]:
    yield from cell_interval_notes(runs, scores_with_intervals)
    differences = [run.differences[name] for run in runs for name in shown_scores if name in run.differences]
    if differences:
        correction = (
            ", after Holm's correction" if any(difference.p_holm is not None for difference in differences) else ""
        )
        yield f"Δ: less the baseline, {numbers.line(_baseline(runs, baseline))}; p two-sided{correction}"
    yield from notes.same_runs(run.same_as for run in runs)
    for name in shown_scores:
        signatures = dict.fromkeys(run.scores.signatures[name] for run in runs if name in run.scores.signatures)
        if signatures:
            yield f"{name}: {numbers.line(' or '.join(signatures))}"
    if len(shown_scores) < len(names):
        yield f"not shown: {', '.join(name for name in names if name not in shown_scores)}"
    not_computed = dict.fromkeys(pair for run in runs for pair in run.scores.not_computed.items())
    yield from (numbers.line(f"{name}: not computed: {reason}") for name, reason in not_computed)
    for run in runs:
        if run.error is not None:
            yield f"failed: {numbers.line(run.name)}: {numbers.shortened(numbers.line(run.error), ERROR)}"
    yield from (f"warning: {numbers.line(warning)}" for warning in warnings)
