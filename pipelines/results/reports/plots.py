"""A report as a plot: the primary metric against a setting, the prompt tokens or the cost. PNG, SVG or PDF.

A line joins the runs that differ only in the setting of the x axis; bands or bars are the bootstrap intervals. If no
numeric setting varies, each run is a row with its interval.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from longdoc.errors import UserError, listed, unknown
from pipelines.display import interval_notes, numbers
from pipelines.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.results.comparisons import notes
from pipelines.results.comparisons.summary import split_settings
from pipelines.results.reports.content import Content, RunContent

EXPENSES = {"tokens": "prompt tokens per example", "cost": "cost"}
BANDS = 3  # more lines than these have bars: bands over one another cannot be read
LABEL = 36  # characters of a name in the legend
MARGIN = 0.06  # of the axis, at both ends
SIZE = (6.0, 3.6)  # inches


@dataclass(frozen=True, slots=True)
class _Point:
    x: float
    y: float
    low: float | None
    high: float | None


def write(content: Content, path: str | Path, against: str | None = None, score: str | None = None) -> None:
    """Plot `score`, by default the primary metric, against a numeric setting, "tokens" (prompt tokens) or "cost".

    Without `against`: the first numeric setting that varies, else one row per run. Failed runs are only named below.
    Raises `UserError` if there is nothing to plot, and without matplotlib.
    """
    name, score = against or next(iter(numeric(content)), None), score or content.primary_metric
    if score not in content.score_names:
        raise unknown("score", score, content.score_names)
    if name is None:
        _rows(content, Path(path), score)
    else:
        _against(content, Path(path), name, score)


def _against(content: Content, path: Path, name: str, score: str) -> None:
    """Plot lines over a setting or an expense."""
    lines = _lines(content, name, score)
    with axes(path, SIZE, _title(content)) as ax:
        ax.grid(axis="y")
        if name not in EXPENSES:
            _scale(ax, sorted({point.x for points in lines.values() for point in points}))
        elif name == "tokens":
            ax.xaxis.set_major_formatter("{x:,.0f}")
        _draw(ax, lines, name in EXPENSES)
        ax.set_xlabel(words(EXPENSES.get(name, name)))
        ax.set_ylabel(words(score))
        _remark(ax, content, score)


def _rows(content: Content, path: Path, score: str) -> None:
    """Plot a row for each run: score and interval; a vertical line marks the baseline's score."""
    runs = [run for run in content.finished if score in run.scores]
    with axes(path, (SIZE[0], 1.3 + 0.26 * len(runs)), _title(content)) as ax:
        ax.grid(axis="x")
        for row, run in enumerate(runs):
            if bounds := run.scores.intervals.get(score):
                ax.hlines(row, bounds.low, bounds.high, color=COLOURS[0], linewidth=1.4, alpha=0.7)
            if run.name == content.baseline:
                ax.axvline(run.scores[score], color=GREY, linewidth=1.0, linestyle="--", zorder=1)
            ax.plot([run.scores[score]], [row], color=COLOURS[0], marker=MARKERS[0])
        ax.set_yticks(range(len(runs)), [words(numbers.shortened(numbers.line(run.label), LABEL)) for run in runs])
        ax.set_ylim(len(runs) - 0.4, -0.6)
        ax.set_xlabel(words(score))
        _remark(ax, content, score)


def _title(content: Content) -> str:
    return ", ".join(part for part in (content.task, content.split, content.part) if part)


def numeric(content: Content) -> list[str]:
    """The names of settings that have different numeric values in the runs; not budgets of words and of tokens both."""
    varying_settings, _ = split_settings(content.runs, content.axes)
    units = {str(budget).split()[-1] for run in content.finished if (budget := run.settings.get("budget"))}
    return [
        name
        for name in varying_settings
        if len({_number(run, name) for run in content.finished} - {None}) > 1 and (name != "budget" or len(units) == 1)
    ]


def _lines(content: Content, name: str, score: str) -> dict[str, list[_Point]]:
    """The points of each line by its name, the best line first."""
    if name not in EXPENSES and name not in numeric(content):
        raise unknown("axis of a plot", name, [*numeric(content), *EXPENSES])
    varying_settings, _ = split_settings(content.runs, content.axes)
    line_settings = [
        setting
        for setting in varying_settings
        if setting != name and not (name in EXPENSES and setting in numeric(content))
    ]
    lines: dict[str, list[_Point]] = {}
    for run in content.finished:
        x, y = _number(run, name), run.scores.get(score)
        if x is None or y is None:
            continue
        bounds = run.scores.intervals.get(score)
        point = _Point(x, y, bounds.low if bounds else None, bounds.high if bounds else None)
        label = (
            numbers.settings({setting: run.settings.get(setting) for setting in line_settings})
            if varying_settings
            else numbers.line(run.name)
        )
        lines.setdefault(label, []).append(point)
    if not lines:
        raise UserError(f"no run has both {score} and {name}: nothing to plot")
    order = sorted(lines, key=lambda label: -max(point.y for point in lines[label]))
    return {label: sorted(lines[label], key=lambda point: point.x) for label in order}


def _number(run: RunContent, name: str) -> float | None:
    """The x value of a run; None if it has none."""
    if name == "tokens":
        return run.counts.tokens_shown or None
    value = run.counts.cost if name == "cost" else run.settings.get(name)
    if name == "budget" and isinstance(value, str) and (number := re.match(r"\s*(\d+)", value)):
        return float(number[1])  # of "300 words"
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _draw(ax: Any, lines: Mapping[str, Sequence[_Point]], scattered: bool) -> None:
    """Draw the best lines in colour, and the others in grey under one name, to keep the legend short."""
    coloured_count = len(COLOURS) if len(lines) <= len(COLOURS) else len(COLOURS) - 1
    coloured_lines, grey_lines = dict(list(lines.items())[:coloured_count]), list(lines.values())[coloured_count:]
    has_bands = len(lines) <= BANDS and not scattered
    handles = []
    for number, points in enumerate(coloured_lines.values()):
        if not has_bands and not scattered:
            points = _shifted_points(ax, points, number - (len(coloured_lines) - 1) / 2)
        handles += ax.plot(*_xy(points), color=COLOURS[number], marker=MARKERS[number], zorder=3)
        _bounds(ax, points, COLOURS[number], has_bands and len(points) > 1)
    for points in grey_lines:
        handles[coloured_count:] = ax.plot(*_xy(points), color=GREY, marker=".", zorder=1)
    labels = [words(numbers.shortened(label, LABEL)) for label in coloured_lines]
    if len(lines) > 1:
        ax.figure.legend(handles, [*labels, f"{len(grey_lines)} others"][: len(handles)], loc="outside right upper")


def _shifted_points(ax: Any, points: Sequence[_Point], steps: float) -> list[_Point]:
    """The points shifted sideways a little, so that the bars of several lines do not overlap."""
    low, high = ax.get_xlim()
    if ax.get_xscale() == "log":
        return [replace(point, x=point.x * (high / low) ** (steps / 100)) for point in points]
    return [replace(point, x=point.x + (high - low) * steps / 100) for point in points]


def _xy(points: Sequence[_Point]) -> tuple[list[float], list[float]]:
    return [point.x for point in points], [point.y for point in points]


def _bounds(ax: Any, points: Sequence[_Point], colour: str, band: bool) -> None:
    """Draw a band if `band` and all points have intervals, else a bar at each point that has one."""
    bounds = [(point.x, point.low, point.high) for point in points if point.low is not None and point.high is not None]
    if not bounds:
        return
    x, low, high = zip(*bounds, strict=True)
    if band and len(bounds) == len(points):
        ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, zorder=2)
    else:
        ax.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.7, zorder=2)


def _scale(ax: Any, values: Sequence[float]) -> None:
    """Put ticks at the values that were run, on a logarithmic axis if they grow by factors (1, 2, 5, 10, 20)."""
    ratio = values[-1] / values[0] if values[0] > 0 else 0.0
    if len(values) > 2 and ratio >= 8:
        ax.set_xscale("log")
        ax.set_xlim(values[0] / ratio**MARGIN, values[-1] * ratio**MARGIN)
    elif len(values) > 1:
        padding = MARGIN * (values[-1] - values[0])
        ax.set_xlim(values[0] - padding, values[-1] + padding)
    if len(values) <= 10:
        ax.set_xticks(values, [f"{value:g}" for value in values])
        ax.minorticks_off()


def _remark(ax: Any, content: Content, score: str) -> None:
    """Write below the plot what the bands are, and which runs are left out."""
    intervals = [run.scores.intervals[score] for run in content.finished if score in run.scores.intervals]
    remarks = list(
        dict.fromkeys(f"{100 * interval.level:g}% bootstrap intervals by {interval.unit}" for interval in intervals)
    )
    remarks += dict.fromkeys(interval_notes.few_units(interval.unit) for interval in intervals if interval.few)
    remarks += interval_notes.missing_interval_notes([run.scores.no_interval for run in content.finished], [score])
    duplicates = [numbers.line(f"{run.name} {notes.SAME_MARK}{run.same_as}") for run in content.finished if run.same_as]
    if duplicates:
        remarks.append(f"the same requests and outputs: {'; '.join(duplicates)}")
    if failed := [numbers.line(run.name) for run in content.runs if run.error is not None]:
        remarks.append(f"failed and left out: {listed(failed, 3)}")
    text = "\n".join(part for remark in remarks for part in wrap(remark, 110))
    if text:
        ax.figure.supxlabel(words(text), x=0.01, ha="left", fontsize=7, color="#555555")
