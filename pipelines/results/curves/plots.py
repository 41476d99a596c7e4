"""The plot of curves as PNG, SVG or PDF, each with the band of its intervals. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.display import numbers
from pipelines.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.results.curves.axis import positive
from pipelines.results.curves.curve_set import Curve, CurveSet

LABEL = 36  # characters of a name in the legend
SIZE = (6.4, 3.6)  # inches
BAND = 0.15  # opacity
LEGEND_LINE = 0.18  # inches of a name in the legend
MOST_CROSSOVERS = 4  # that are drawn; more hide the curves
FLAT = 6  # labels of the x axis up to which they are not turned


def write(curves: CurveSet, path: Path) -> None:
    """A line for each system, and a vertical line with its interval for each crossover. Raises `UserError`."""
    if not any(curve.points for curve in curves.curves):
        raise UserError("no system has a score: nothing to plot")
    width, height = SIZE
    with axes(path, (width, max(height, LEGEND_LINE * len(curves.curves))), f"{curves.task}: {curves.metric}") as ax:
        ax.grid(axis="y")
        _x_axis(ax, curves)
        ax.set_ylabel(words(curves.metric))
        places = curves.middles if curves.axis == "place" else positive(curves.middles)
        handles = [_draw(ax, number, curve, places) for number, curve in enumerate(curves.curves)]
        names = [words(numbers.shortened(numbers.line(curve.system), LABEL)) for curve in curves.curves]
        _draw_crossovers(ax, curves)
        ax.figure.legend(handles, names, loc="outside right upper")


def _x_axis(ax: Any, curves: CurveSet) -> None:
    if curves.axis == "place":
        ax.set_xlim(0, 1)
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
        ax.set_xlabel("place of the evidence in the document")
        return
    if len(curves.middles) > 1:
        ax.set_xscale("log")
    ax.set_xticks(positive(curves.middles), [numbers.count(middle) for middle in curves.middles])
    ax.minorticks_off()
    ax.tick_params(axis="x", labelrotation=30 if len(curves.middles) > FLAT else 0)
    ax.set_xlabel(words(f"length of the document ({curves.unit})"))


def _draw(ax: Any, number: int, curve: Curve, places: Sequence[float]) -> Any:
    colour = COLOURS[number] if number < len(COLOURS) else GREY
    points = list(curve.points.values())
    xs = [places[point.bin] for point in points]
    bounded = [point for point in points if point.interval is not None]
    if bounded:
        bounded_xs = [places[point.bin] for point in bounded]
        lows, highs = zip(*((p.interval.low, p.interval.high) for p in bounded if p.interval), strict=True)
        ax.fill_between(bounded_xs, lows, highs, color=colour, alpha=BAND, linewidth=0)
        ax.vlines(bounded_xs, lows, highs, color=colour, linewidth=0.9, alpha=0.5)
    marker = MARKERS[number % len(MARKERS)]
    return ax.plot(xs, [point.score for point in points], color=colour, marker=marker, zorder=3)[0]


def _draw_crossovers(ax: Any, curves: CurveSet) -> None:
    if len(curves.crossovers) > MOST_CROSSOVERS:
        return
    numbers_of = {curve.system: number for number, curve in enumerate(curves.curves)}
    for row in curves.crossovers:
        number = numbers_of[row.system]
        colour = COLOURS[number] if number < len(COLOURS) else GREY
        if row.crossover is not None and row.crossover.value is not None:
            ax.axvline(row.crossover.value, color=colour, linestyle=":", linewidth=1.0)
