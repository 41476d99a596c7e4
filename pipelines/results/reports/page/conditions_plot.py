"""The plot of ways as an inline SVG of a page: it needs no script, and takes the page's colours, light or dark.

The places are computed here, in pixels; `templates/conditions_plot.html` draws them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipelines.display import numbers
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.conditions.lines import X_TITLE, Line, Point, is_logarithmic

SIZES = {"wide": (860, 380), "narrow": (360, 300)}  # pixels; a narrow window shows the second
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 26, 44
STYLES = 8  # colours of the page's style sheet
DASHES = {"whole": "7 4", "closed book": "2 3"}
OTHER_DASHES = "5 2 1 2"
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-4 -4h8v8h-8z", "M0 -5L5 4H-5z", "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
    "M0 5L5 -4H-5z", "M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z", "M-5 -3L0 0L-5 3zM5 -3L0 0L5 3z",
    "M-5 -2h10v4h-10z",
)  # fmt: skip
PAD = 0.06  # of the axis, at both ends
LABELLED = 48  # pixels between the labels of the x axis
ASIDE_LIMIT = 3  # pixels by which lines are shifted, so that their intervals do not overlap


@dataclass(frozen=True, slots=True)
class Style:
    """How a line is drawn: the classes of its colour, its own class, its dashes, the path of its marks, if it has any."""

    name: str
    kind: str
    shape: str
    dashes: str
    mark: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A point: its place, its words, the ends of its interval, None where it has none."""

    x: float
    y: float
    words: str
    ends: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Picture:
    """The plot in one size: its axes, their labels with their places, and of each line style, path and marks.

    Where tokens are unknown there are no `x_title`, no labels and no marks, and paths of levels alone.
    """

    kind: str
    width: int
    height: int
    right: int
    foot: int
    x_title: str
    x_labels: Sequence[tuple[float, str]]
    y_labels: Sequence[tuple[float, str]]
    lines: Sequence[tuple[Style, str, Sequence[Mark]]]
    left: int = LEFT


@dataclass(frozen=True, slots=True)
class Plot:
    """The plot in its sizes, the title of its y axis, its legend, and the same in words."""

    pictures: Sequence[Picture]
    y_title: str
    legend: Sequence[Style]
    description: str


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to pixels: `low` and `high` are the ends of the axis."""

    low: float
    high: float
    start: float
    end: float
    of: Callable[[float], float] = float

    def __call__(self, value: float) -> float:
        share = (self.of(value) - self.of(self.low)) / ((self.of(self.high) - self.of(self.low)) or 1.0)
        return round(self.start + share * (self.end - self.start), 1)


def plot(table: ConditionTable) -> Plot | None:
    """The plot with its legend; None where no way has a score."""
    lines = table.lines()
    if not lines:
        return None
    words = "; ".join(_words(point) for line in lines for point in line.points)
    description = f"{table.y_title} against {X_TITLE}. {words}."
    styles = [_style(line, number) for number, line in enumerate(lines)]
    return Plot([_picture(lines, styles, name) for name in SIZES], table.y_title, styles, description)


def _style(line: Line, number: int) -> Style:
    return Style(
        line.name,
        f"series s{number % STYLES}",
        "level" if line.is_level else "line",
        DASHES.get(line.kind, OTHER_DASHES) if line.is_level else "",
        MARKS[number % len(MARKS)],
        any(point.x is not None for point in line.points),
    )


def _picture(lines: Sequence[Line], styles: Sequence[Style], name: str) -> Picture:
    width, height = SIZES[name]
    right, foot = width - RIGHT, height - BOTTOM
    points = [point for line in lines for point in line.points]
    values = [value for point in points for value in (point.y, point.low, point.high) if value is not None]
    low, high = _padded(min(values), max(values))
    y = _Scale(max(low, 0.0), min(high, 100.0), foot, TOP)
    x = _x_scale(lines, [point.x for point in points if point.x], right)
    drawn, aside = [], 0.0
    for style, line in zip(styles, lines, strict=True):
        drawn.append((style, _path(line, x, y, right, aside), [] if x is None else _marks(line, x, y, aside)))
        aside += 0.0 if line.is_level else ASIDE_LIMIT
    x_labels = [] if x is None else _x_labels(x)
    y_labels = [(y(value), f"{value:g}") for value in _ticks(y.low, y.high, 5)]
    return Picture(name, width, height, right, foot, X_TITLE if x else "", x_labels, y_labels, drawn)


def _x_scale(lines: Sequence[Line], xs: Sequence[float], right: int) -> _Scale | None:
    """None where no way says how many tokens it took."""
    if not xs:
        return None
    if is_logarithmic(lines):
        ratio = (max(xs) / min(xs)) ** PAD
        return _Scale(min(xs) / ratio, max(xs) * ratio, LEFT, right, math.log)
    low, high = _padded(min(xs), max(xs))
    return _Scale(max(low, 0.0), high, LEFT, right)


def _padded(low: float, high: float) -> tuple[float, float]:
    budget = (high - low or abs(high) or 1.0) * PAD
    return low - budget, high + budget


def _x_labels(x: _Scale) -> list[tuple[float, str]]:
    """The ticks of the x axis that have room for their labels."""
    labels: list[tuple[float, str]] = []
    for value in _x_ticks(x):
        if not labels or x(value) - labels[-1][0] >= LABELLED:
            labels.append((x(value), numbers.count(value)))
    return labels


def _ticks(low: float, high: float, wanted_count: int) -> list[float]:
    rough = (high - low or 1.0) / wanted_count
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round((first + n) * step, 9) for n in range(math.floor(high / step + 1e-9) - first + 1)]


def _x_ticks(x: _Scale) -> list[float]:
    if x.of is float:
        return _ticks(x.low, x.high, 5)
    decades = range(math.floor(math.log10(x.low)), math.ceil(math.log10(x.high)) + 1)
    values = [factor * 10.0**decade for decade in decades for factor in (1, 2, 5)]
    return [value for value in values if x.low <= value <= x.high]


def _path(line: Line, x: _Scale | None, y: _Scale, right: int, aside: float) -> str:
    if line.is_level:
        return f"M{LEFT} {y(line.points[0].y)}H{right}"
    return "" if x is None else "M" + "L".join(f"{x(p.x or 0) + aside:.1f} {y(p.y)}" for p in line.points)


def _marks(line: Line, x: _Scale, y: _Scale, aside: float) -> list[Mark]:
    marks = []
    for point in line.points:
        if point.x is not None:
            ends = None if point.low is None or point.high is None else (y(point.low), y(point.high))
            marks.append(Mark(x(point.x) + aside, y(point.y), _words(point), ends))
    return marks


def _words(point: Point) -> str:
    bounds = "" if point.low is None or point.high is None else f" {numbers.interval(point.low, point.high)}"
    location = "" if point.x is None else f" at {numbers.count(point.x)} tokens"
    return f"{point.name}: {numbers.score(point.y)}{bounds}{location}"
