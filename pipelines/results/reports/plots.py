"""A report as a plot: the leading figure against a setting, the tokens shown or the cost. PNG, SVG or PDF.

A line joins the runs that differ in nothing but the setting below; bands or bars are the bootstrap intervals. Where no
number varies, the runs stand below each other, each with its interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.results.comparisons.summary import settings_of
from pipelines.results.display import numbers
from pipelines.results.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.results.reports.content import Content, RunContent

EXPENSES = {"tokens": "prompt tokens an example", "cost": "cost"}
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


def write(content: Content, path: str | Path, against: str | None = None, figure: str | None = None) -> None:
    """Plot `figure`, default the leading one, against a numeric setting, "tokens" (shown) or "cost".

    Without `against`: the first numeric setting that varies, else a row a run. Failed runs are named below, no more.
    Raises `UserError` where there is nothing to plot, and without matplotlib.
    """
    name, figure = against or next(iter(numeric(content)), None), figure or content.metric
    if figure not in content.figures:
        raise unknown("figure", figure, content.figures)
    if name is None:
        _rows(content, Path(path), figure)
    else:
        _against(content, Path(path), name, figure)


def _against(content: Content, path: Path, name: str, figure: str) -> None:
    """Lines over a setting or an expense."""
    lines = _lines(content, name, figure)
    with axes(path, SIZE, _title(content)) as drawn:
        drawn.grid(axis="y")
        if name not in EXPENSES:
            _scale(drawn, sorted({point.x for points in lines.values() for point in points}))
        elif name == "tokens":
            drawn.xaxis.set_major_formatter("{x:,.0f}")
        _draw(drawn, lines, name in EXPENSES)
        drawn.set_xlabel(words(EXPENSES.get(name, name)))
        drawn.set_ylabel(words(figure))
        _remark(drawn, content, figure)


def _rows(content: Content, path: Path, figure: str) -> None:
    """A row a run, in their order: the figure, its interval, a line down from the baseline's."""
    runs = [run for run in content.finished if figure in run.scores]
    with axes(path, (SIZE[0], 1.3 + 0.26 * len(runs)), _title(content)) as drawn:
        drawn.grid(axis="x")
        for place, run in enumerate(runs):
            if bounds := run.intervals.get(figure):
                drawn.hlines(place, bounds.low, bounds.high, color=COLOURS[0], linewidth=1.4, alpha=0.7)
            if run.name == content.baseline:
                drawn.axvline(run.scores[figure], color=GREY, linewidth=1.0, linestyle="--", zorder=1)
            drawn.plot([run.scores[figure]], [place], color=COLOURS[0], marker=MARKERS[0])
        drawn.set_yticks(range(len(runs)), [words(numbers.shortened(numbers.line(run.label), LABEL)) for run in runs])
        drawn.set_ylim(len(runs) - 0.4, -0.6)
        drawn.set_xlabel(words(figure))
        _remark(drawn, content, figure)


def _title(content: Content) -> str:
    return ", ".join(part for part in (content.task, content.split, content.part) if part)


def numeric(content: Content) -> list[str]:
    """The settings that vary and are numbers in several runs."""
    varying, _ = settings_of(content.runs, content.axes)
    return [name for name in varying if len({_number(run, name) for run in content.finished} - {None}) > 1]


def _lines(content: Content, name: str, figure: str) -> dict[str, list[_Point]]:
    """The points of each line by its name, the best line first."""
    if name not in EXPENSES and name not in numeric(content):
        raise unknown("axis of a plot", name, [*numeric(content), *EXPENSES])
    varying, _ = settings_of(content.runs, content.axes)
    apart = [one for one in varying if one != name and not (name in EXPENSES and one in numeric(content))]
    lines: dict[str, list[_Point]] = {}
    for run in content.finished:
        x, y = _number(run, name), run.scores.get(figure)
        if x is None or y is None:
            continue
        bounds = run.intervals.get(figure)
        point = _Point(x, y, bounds.low if bounds else None, bounds.high if bounds else None)
        label = numbers.settings({one: run.settings.get(one) for one in apart}) if varying else numbers.line(run.name)
        lines.setdefault(label, []).append(point)
    if not lines:
        raise UserError(f"no run has both {figure} and {name}: nothing to plot")
    order = sorted(lines, key=lambda label: -max(point.y for point in lines[label]))
    return {label: sorted(lines[label], key=lambda point: point.x) for label in order}


def _number(run: RunContent, name: str) -> float | None:
    """Where a run stands on the axis below."""
    if name == "tokens":
        return run.tokens_shown or None
    value = run.cost if name == "cost" else run.settings.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _draw(drawn: Any, lines: Mapping[str, Sequence[_Point]], scattered: bool) -> None:
    """The best lines in colour, the others grey together: a legend of many names is not read."""
    room = len(COLOURS) if len(lines) <= len(COLOURS) else len(COLOURS) - 1
    named, others = dict(list(lines.items())[:room]), list(lines.values())[room:]
    banded = len(lines) <= BANDS and not scattered
    handles = []
    for place, points in enumerate(named.values()):
        if not banded and not scattered:
            points = _aside(drawn, points, place - (len(named) - 1) / 2)
        handles += drawn.plot(*_xy(points), color=COLOURS[place], marker=MARKERS[place], zorder=3)
        _bounds(drawn, points, COLOURS[place], banded and len(points) > 1)
    for points in others:
        handles[room:] = drawn.plot(*_xy(points), color=GREY, marker=".", zorder=1)
    labels = [words(numbers.shortened(label, LABEL)) for label in named]
    if len(lines) > 1:
        drawn.figure.legend(handles, [*labels, f"{len(others)} others"][: len(handles)], loc="outside right upper")


def _aside(drawn: Any, points: Sequence[_Point], steps: float) -> list[_Point]:
    """The points a little to the side, so that the bars of several lines at one value stand side by side."""
    low, high = drawn.get_xlim()
    if drawn.get_xscale() == "log":
        return [replace(point, x=point.x * (high / low) ** (steps / 100)) for point in points]
    return [replace(point, x=point.x + (high - low) * steps / 100) for point in points]


def _xy(points: Sequence[_Point]) -> tuple[list[float], list[float]]:
    return [point.x for point in points], [point.y for point in points]


def _bounds(drawn: Any, points: Sequence[_Point], colour: str, band: bool) -> None:
    """A band where every point has bounds and bands were asked for, else a bar at each that has them."""
    known = [(point.x, point.low, point.high) for point in points if point.low is not None and point.high is not None]
    if not known:
        return
    x, low, high = zip(*known, strict=True)
    if band and len(known) == len(points):
        drawn.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, zorder=2)
    else:
        drawn.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.7, zorder=2)


def _scale(drawn: Any, values: Sequence[float]) -> None:
    """The values that were run, on a logarithmic axis where they grow by factors (1, 2, 5, 10, 20)."""
    ratio = values[-1] / values[0] if values[0] > 0 else 0.0
    if len(values) > 2 and ratio >= 8:
        drawn.set_xscale("log")
        drawn.set_xlim(values[0] / ratio**MARGIN, values[-1] * ratio**MARGIN)
    elif len(values) > 1:
        room = MARGIN * (values[-1] - values[0])
        drawn.set_xlim(values[0] - room, values[-1] + room)
    if len(values) <= 10:
        drawn.set_xticks(values, [f"{value:g}" for value in values])
        drawn.minorticks_off()


def _remark(drawn: Any, content: Content, figure: str) -> None:
    """Below the plot: what the bands are, and which runs are left out."""
    found = [run.intervals[figure] for run in content.finished if figure in run.intervals]
    said = dict.fromkeys(f"{100 * one.level:g}% bootstrap intervals by {one.by}" for one in found)
    remarks = [*said]
    if failed := [numbers.line(run.name) for run in content.runs if run.error is not None]:
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        remarks.append(f"failed and left out: {', '.join(failed[:3])}{more}")
    text = "\n".join(part for remark in remarks for part in wrap(remark, 110))
    if text:
        drawn.figure.supxlabel(words(text), x=0.01, ha="left", fontsize=7, color="#555555")
