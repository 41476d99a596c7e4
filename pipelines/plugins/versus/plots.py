"""The plot of conditions as PNG, SVG or PDF: score against prompt tokens. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.display import numbers
from pipelines.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.plugins.versus.lines import X_TITLE, Line, Point, is_logarithmic

LABEL = 36  # characters of a name in the legend
SIZE = (6.4, 3.6)  # inches
LEVELS = {"whole": "--", "closed book": ":"}


def write(plot_lines: Sequence[Line], title: str, y_title: str, path: Path) -> None:
    """Draw a line for each retriever, and a level for the whole document and closed book. Raises `UserError`."""
    if not plot_lines:
        raise UserError("none of the ways has a score: nothing to plot")
    with axes(path, SIZE, title) as ax:
        ax.grid(axis="y")
        if is_logarithmic(plot_lines):
            ax.set_xscale("log")
        if any(point.x for line in plot_lines for point in line.points):
            ax.set_xlabel(X_TITLE)
            ax.xaxis.set_major_formatter("{x:,.0f}")
        else:
            ax.set_xticks([])
        ax.set_ylabel(words(y_title))
        handles = [_draw(ax, number, line) for number, line in enumerate(plot_lines)]
        labels = [words(numbers.shortened(numbers.line(line.name), LABEL)) for line in plot_lines]
        ax.figure.legend(handles, labels, loc="outside right upper")


def _draw(ax: Any, number: int, line: Line) -> Any:
    colour = COLOURS[number] if number < len(COLOURS) else GREY
    marker, style = MARKERS[number % len(MARKERS)], LEVELS.get(line.kind, "-")
    if line.is_level:
        handle = ax.axhline(line.points[0].y, color=colour, linestyle=style, linewidth=1.0, zorder=1)
        for point in line.points:
            if point.x is not None:
                ax.plot([point.x], [point.y], color=colour, marker=marker, zorder=3)
                _bar(ax, point.x, point.low, point.high, colour)
        return handle
    _band(ax, line.points, colour)
    xs, ys = [point.x for point in line.points], [point.y for point in line.points]
    return ax.plot(xs, ys, color=colour, marker=marker, linestyle=style, zorder=3)[0]


def _band(ax: Any, points: Sequence[Point], colour: str) -> None:
    """The intervals of a line's points: a band where there are several, a bar for one."""
    bounded = [point for point in points if point.low is not None]
    if len(bounded) == 1:
        _bar(ax, bounded[0].x, bounded[0].low, bounded[0].high, colour)
    elif bounded:
        xs, lows, highs = zip(*((point.x, point.low, point.high) for point in bounded), strict=True)
        ax.fill_between(xs, lows, highs, color=colour, alpha=0.12, linewidth=0, zorder=1)


def _bar(ax: Any, x: float | None, low: float | None, high: float | None, colour: str) -> None:
    if x is not None and low is not None:
        ax.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.5, zorder=2)
