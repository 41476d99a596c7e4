"""The page's tables of scores, of one run or of several side by side, and the signatures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.display import numbers
from pipelines.display.interval_notes import few_units_footnote, missing_interval_notes
from pipelines.display.table import Score
from pipelines.display.table_cells import TableCell
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.summary import ERROR, delta, score_entry
from pipelines.results.reports.content import Content, RunContent
from pipelines.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row for one of several runs. `other_settings` are all but the first one, as one text for narrow windows."""

    run: RunContent
    settings: Sequence[TableCell]
    other_settings: str
    error: str
    cells: Sequence[TableCell]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """A table of scores; `columns` are the headings of numbers. Several runs have a row each, and axes with classes."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[ScoreRow] = ()
    axes: Sequence[tuple[str, str]] = ()


def run_scores(run: RunContent) -> ScoreTable:
    """The table of a single run, which has one line per score."""
    caption = "; ".join(["Scores, 0–100", *_remarks([run])])
    return ScoreTable(caption, ["Value", _level(run.scores.intervals) or "Interval"])


def side_by_side(content: Content) -> ScoreTable:
    """One row per run: settings, each score with its interval and its difference from the baseline, the expense."""
    names = content.score_names
    counts = [name for name in EXPENSE if _is_informative(name, content.finished)]
    entries = {name: score_entry(content.runs, name) for name in names}
    rows = []
    for run in content.runs:
        cells = [_score(run, name, entries[name](run)) for name in names] + [_count(run, name) for name in counts]
        settings = [_setting(run.settings.get(name), number) for number, name in enumerate(content.axes)]
        other_settings = numbers.settings({name: run.settings.get(name) for name in list(content.axes)[1:]})
        error = "" if run.error is None else numbers.shortened(numbers.line(run.error), ERROR)
        rows.append(ScoreRow(run, settings, other_settings, error, cells))
    axes = [(name, _axis_kind(number, rows)) for number, name in enumerate(content.axes)]
    return ScoreTable(_caption(content), [*names, *counts], rows, axes)


EXPENSE: Mapping[str, tuple[Callable[[RunContent], float | None], Callable[[float], str]]] = {
    "examples": (lambda run: run.counts.examples or None, numbers.count),
    "tokens shown": (lambda run: run.counts.tokens_shown or None, numbers.count),
    "words shown": (lambda run: run.counts.words_shown, numbers.count),
    "requests": (lambda run: run.counts.requests or None, numbers.count),
    "cost": (lambda run: run.counts.cost, numbers.money),
}  # columns after the scores, by heading: value and format


def _is_informative(name: str, runs: Sequence[RunContent]) -> bool:
    """Whether a column is worth showing: its values differ between the runs, or are costs."""
    if name == "requests" and all(run.counts.requests == run.counts.examples for run in runs):
        return False
    values = [EXPENSE[name][0](run) for run in runs]
    return len(set(values)) > 1 or (name == "cost" and any(value is not None for value in values))


def signatures(content: Content) -> list[tuple[str, str]]:
    """The signature of each score, with the names of the runs if they differ."""
    rows = []
    for name in content.score_names:
        labels: dict[str, list[str]] = {}
        for run in content.finished:
            if name in run.scores.signatures:
                labels.setdefault(run.scores.signatures[name], []).append(run.label)
        for signature, runs in labels.items():
            rows.append((name if len(labels) == 1 else f"{name} ({', '.join(runs)})", signature))
    return rows


def _setting(value: Any, number: int) -> TableCell:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = numbers.setting(value)
    kind = f"axis{' more' if number else ''}{' number' if is_number else ''}"
    return TableCell(text, kind, sort="" if value is None else text)


def _axis_kind(number: int, rows: Sequence[ScoreRow]) -> str:
    """The CSS classes that the heading of an axis shares with its cells."""
    classes = {name for row in rows for name in row.settings[number].kind.split()}
    return " ".join(sorted(classes - {"axis"}))


def _score(run: RunContent, name: str, score: Score | None) -> TableCell:
    if score is None:
        return TableCell(numbers.MISSING, title=run.scores.not_computed.get(name), sort="")
    bounds = str(run.scores.intervals.get(name, ""))
    difference = delta(run, name)
    same_as = "" if run.same_as is None else numbers.line(f"{notes.SAME_MARK}{run.same_as}")
    difference_line = same_as if difference is None else str(difference).replace("-", "−")
    small = [text for text in (bounds, difference_line) if text]
    return TableCell(numbers.score(score.value), small=small, is_best=score.rank == 1, sort=repr(score.value))


def _count(run: RunContent, name: str) -> TableCell:
    value_of, formatted = EXPENSE[name]
    value = value_of(run)
    return TableCell(numbers.MISSING, sort="") if value is None else TableCell(formatted(value), sort=repr(value))


def _level(intervals: Mapping[str, Interval]) -> str:
    """The heading of intervals, `95% interval`; empty without any."""
    first = next(iter(intervals.values()), None)
    return "" if first is None else f"{100 * first.level:g}% interval"


def _caption(content: Content) -> str:
    """The caption of several runs' scores, which explains the cells."""
    interval = next((text for run in content.finished if (text := _level(run.scores.intervals))), "")
    parts = ["Scores, 0–100, the best bold"]
    parts += [f"with {interval}"] if interval else []
    if any(run.differences for run in content.finished):
        is_corrected = any(d.p_holm is not None for run in content.finished for d in run.differences.values())
        parts.append(f"difference to {content.baseline} with p" + (" after Holm’s correction" if is_corrected else ""))
    parts += notes.same_runs(run.same_as for run in content.finished)
    return "; ".join([*parts, *_remarks(content.finished)])


def _remarks(runs: Sequence[RunContent]) -> list[str]:
    """Notes on intervals of few units, and on scores without an interval."""
    names = list(dict.fromkeys(name for run in runs for name in run.scores))
    footnotes = dict.fromkeys(
        few_units_footnote(interval.unit) for run in runs for interval in run.scores.intervals.values() if interval.few
    )
    return [*footnotes, *missing_interval_notes([run.scores.no_interval for run in runs], names)]
