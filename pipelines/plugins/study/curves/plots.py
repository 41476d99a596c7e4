"""The plot of curves as PNG, SVG or PDF, each with the band of its intervals. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.display import numbers
from pipelines.display.plot_style import COLOURS, GREY, MARKERS, axes, words
from pipelines.plugins.study.curves.axis import positive
from pipelines.plugins.study.curves.curve_set import Curve, CurveSet

MAX_NAME = 36  # characters of a name in the legend
SIZE = (6.4, 3.6)  # inches
BAND = 0.15  # opacity
LEGEND_LINE = 0.18  # inches of a name in the legend
MAX_CROSSOVERS = 4  # that are drawn; more hide the curves
MAX_FLAT_LABELS = 6  # of the x axis; more are turned to fit


def write(curves: CurveSet, path: Path) -> None:
    """Write the plot: a line with its band for each system, a vertical line for each crossover. Raises `UserError`."""
    if not any(curve.points for curve in curves.curves):
        raise UserError("no system has a score: nothing to plot")
    width, height = SIZE
    with axes(path, (width, max(height, LEGEND_LINE * len(curves.curves))), f"{curves.task}: {curves.metric}") as ax:
        ax.grid(axis="y")
        _x_axis(ax, curves)
        ax.set_ylabel(words(curves.metric))
        positions = curves.middles if curves.axis == "place" else positive(curves.middles)
        handles = [_draw(ax, number, curve, positions) for number, curve in enumerate(curves.curves)]
        names = [words(numbers.shortened(numbers.line(curve.system), MAX_NAME)) for curve in curves.curves]
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
    ax.tick_params(axis="x", labelrotation=30 if len(curves.middles) > MAX_FLAT_LABELS else 0)
    ax.set_xlabel(words(f"length of the document ({curves.unit})"))


def _draw(ax: Any, number: int, curve: Curve, positions: Sequence[float]) -> Any:
    """Draw a curve and its band; returns the line."""
    colour = _colour(number)
    points = list(curve.points.values())
    xs = [positions[point.bin] for point in points]
    bands = [(positions[p.bin], p.interval.low, p.interval.high) for p in points if p.interval is not None]
    if bands:
        band_xs, lows, highs = zip(*bands, strict=True)
        ax.fill_between(band_xs, lows, highs, color=colour, alpha=BAND, linewidth=0)
        ax.vlines(band_xs, lows, highs, color=colour, linewidth=0.9, alpha=0.5)
    marker = MARKERS[number % len(MARKERS)]
    return ax.plot(xs, [point.score for point in points], color=colour, marker=marker, zorder=3)[0]


def _draw_crossovers(ax: Any, curves: CurveSet) -> None:
    if len(curves.crossovers) > MAX_CROSSOVERS:
        return
    colours = {curve.system: _colour(number) for number, curve in enumerate(curves.curves)}
    for row in curves.crossovers:
        if row.crossover is not None and row.crossover.value is not None:
            ax.axvline(row.crossover.value, color=colours[row.system], linestyle=":", linewidth=1.0)


def _colour(number: int) -> str:
    """The colour of a system by its number; grey where the colours do not suffice."""
    return COLOURS[number] if number < len(COLOURS) else GREY
