"""A plot of lines as an inline SVG of a page: it needs no script, and takes the page's colours, light or dark.

The places are computed here, in pixels; `templates/line_plot.html` draws them, and has colours and shapes.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipelines.display import numbers
from pipelines.plugins.versus.lines import Line, Point, is_logarithmic

SIZES = {"wide": (860, 380), "narrow": (360, 300)}  # pixels; a narrow window shows the second
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 26, 44
PAD = 0.06  # of the axis, at both ends
LABEL_GAP = 48  # pixels between the labels of the x axis
SHIFT = 3  # pixels by which lines are shifted, so that their intervals do not overlap


class Mark(NamedTuple):
    """A point: its place in pixels, its text, and the ends of its interval, if it has one."""

    x: float
    y: float
    words: str
    ends: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Picture:
    """The plot in one size, and in words: axes, labels with their places, the path and the marks of each line.

    Where all tokens are unknown, there are only levels: no `x_title`, no labels of the x axis, and no marks.
    """

    kind: str
    description: str
    width: int
    height: int
    right: int
    foot: int
    y_title: str
    x_title: str
    x_labels: Sequence[tuple[float, str]]
    y_labels: Sequence[tuple[float, str]]
    lines: Sequence[tuple[Line, str, Sequence[Mark]]]
    left: int = LEFT


@dataclass(frozen=True, slots=True)
class _Scale:
    """A map from values to pixels: `low` and `high` are the ends of the axis."""

    low: float
    high: float
    start: float
    end: float
    transform: Callable[[float], float] = float

    def __call__(self, value: float) -> float:
        share = (self.transform(value) - self.transform(self.low)) / (
            (self.transform(self.high) - self.transform(self.low)) or 1.0
        )
        return round(self.start + share * (self.end - self.start), 1)


def pictures(lines: Sequence[Line], y_title: str, x_title: str) -> list[Picture]:
    """The plot of lines in each size; empty without lines."""
    texts = "; ".join(_point_text(point) for line in lines for point in line.points)
    description = f"{y_title} against {x_title}. {texts}."
    return [_picture(lines, name, description, (y_title, x_title)) for name in SIZES] if lines else []


def _picture(lines: Sequence[Line], name: str, description: str, titles: tuple[str, str]) -> Picture:
    width, height = SIZES[name]
    right, foot = width - RIGHT, height - BOTTOM
    points = [point for line in lines for point in line.points]
    values = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    low, high = _padded(min(values), max(values))
    y = _Scale(max(low, 0.0), min(high, 100.0), foot, TOP)
    x = _x_scale(lines, [point.x for point in points if point.x], right)
    paths, shift = [], 0.0
    for line in lines:
        paths.append((line, _path(line, x, y, right, shift), [] if x is None else _marks(line, x, y, shift)))
        shift += 0.0 if line.is_level else SHIFT
    x_labels = [] if x is None else _x_labels(x)
    y_labels = [(y(value), f"{value:g}") for value in _ticks(y.low, y.high, 5)]
    y_title, x_title = titles
    return Picture(
        name, description, width, height, right, foot, y_title, x_title if x else "", x_labels, y_labels, paths
    )


def _x_scale(lines: Sequence[Line], xs: Sequence[float], right: int) -> _Scale | None:
    """The scale of the x axis; None where the tokens of all conditions are unknown."""
    if not xs:
        return None
    if is_logarithmic(lines):
        ratio = (max(xs) / min(xs)) ** PAD
        return _Scale(min(xs) / ratio, max(xs) * ratio, LEFT, right, math.log)
    low, high = _padded(min(xs), max(xs))
    return _Scale(max(low, 0.0), high, LEFT, right)


def _padded(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis, a little beyond the values."""
    padding = (high - low or abs(high) or 1.0) * PAD
    return low - padding, high + padding


def _x_labels(x: _Scale) -> list[tuple[float, str]]:
    """The ticks of the x axis that have room for their labels."""
    labels: list[tuple[float, str]] = []
    for value in _x_ticks(x):
        if not labels or x(value) - labels[-1][0] >= LABEL_GAP:
            labels.append((x(value), numbers.count(value)))
    return labels


def _ticks(low: float, high: float, count: int) -> list[float]:
    """About `count` round values between two ends."""
    rough = (high - low or 1.0) / count
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round((first + n) * step, 9) for n in range(math.floor(high / step + 1e-9) - first + 1)]


def _x_ticks(x: _Scale) -> list[float]:
    if x.transform is float:
        return _ticks(x.low, x.high, 5)
    decades = range(math.floor(math.log10(x.low)), math.ceil(math.log10(x.high)) + 1)
    values = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
    return [value for value in values if x.low <= value <= x.high]


def _path(line: Line, x: _Scale | None, y: _Scale, right: int, shift: float) -> str:
    if line.is_level:
        return f"M{LEFT} {y(line.points[0].y)}H{right}"
    return "" if x is None else "M" + "L".join(f"{x(p.x or 0) + shift:.1f} {y(p.y)}" for p in line.points)


def _marks(line: Line, x: _Scale, y: _Scale, shift: float) -> list[Mark]:
    marks = []
    for point in line.points:
        if point.x is not None:
            ends = None if point.low is None or point.high is None else (y(point.low), y(point.high))
            marks.append(Mark(x(point.x) + shift, y(point.y), _point_text(point), ends))
    return marks


def _point_text(point: Point) -> str:
    """A point in words: name, score, interval, tokens."""
    bounds = "" if point.low is None or point.high is None else f" {numbers.interval(point.low, point.high)}"
    location = "" if point.x is None else f" at {numbers.count(point.x)} tokens"
    return f"{point.name}: {numbers.score(point.y)}{bounds}{location}"
