"""The plot of ways as an inline SVG of a page: it needs no script, and takes the page's colours, light or dark."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pipelines.display import numbers
from pipelines.display.markup import element
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.conditions.lines import X_TITLE, Line, Point, is_logarithmic

SIZES = {"wide": (860, 380), "narrow": (360, 300)}  # pixels; a narrow window shows the second
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 26, 44
STYLES = 8  # colours of the page's style sheet
DASHES = {"whole": "7 4", "closed book": "2 3"}
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-4 -4h8v8h-8z", "M0 -5L5 4H-5z", "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
    "M0 5L5 -4H-5z", "M-5 -1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z", "M-5 -3L0 0L-5 3zM5 -3L0 0L5 3z",
    "M-5 -2h10v4h-10z",
)  # fmt: skip
PAD = 0.06  # of the axis, at both ends
LABELLED = 48  # pixels between the labels of the x axis
ASIDE_LIMIT = 3  # pixels by which lines are shifted, so that their intervals do not overlap


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


def plot(table: ConditionTable) -> Element | None:
    """The figure with its legend; None where no way has a score."""
    made_lines = table.lines()
    if not made_lines:
        return None
    pictures = [_picture(table, made_lines, name, *size) for name, size in SIZES.items()]
    key = element(
        "ul", *(_key(number, line) for number, line in enumerate(made_lines)), class_="legend", aria_label="Lines"
    )
    return element(
        "figure", element("figcaption", "Score against prompt tokens"), element("div", *pictures, class_="picture"), key
    )


def _picture(table: ConditionTable, lines: Sequence[Line], name: str, width: int, height: int) -> Element:
    xs = [point.x for line in lines for point in line.points if point.x]
    ys = [value for line in lines for point in line.points for value in (point.y, point.low, point.high)]
    known_values = [value for value in ys if value is not None]
    low, high = _padded(min(known_values), max(known_values))
    y = _Scale(max(low, 0.0), min(high, 100.0), height - BOTTOM, TOP)
    x = _x_scale(lines, xs, width)
    svg = element(
        "svg", class_=name, width=str(width), height=str(height), viewBox=f"0 0 {width} {height}", role="img",
        aria_label=_described_text(table, lines),
    )  # fmt: skip
    _grid(svg, y, x, width, height, table.y_title)
    aside_value = 0.0
    for number, line in enumerate(lines):
        _line(svg, number, line, x, y, width, aside_value)
        aside_value += 0.0 if line.is_level else ASIDE_LIMIT
    return svg


def _x_scale(lines: Sequence[Line], xs: Sequence[float], width: int) -> _Scale | None:
    """None where no way says how many tokens it took."""
    if not xs:
        return None
    if is_logarithmic(lines):
        ratio = (max(xs) / min(xs)) ** PAD
        return _Scale(min(xs) / ratio, max(xs) * ratio, LEFT, width - RIGHT, math.log)
    low, high = _padded(min(xs), max(xs))
    return _Scale(max(low, 0.0), high, LEFT, width - RIGHT)


def _padded(low: float, high: float) -> tuple[float, float]:
    budget = (high - low or abs(high) or 1.0) * PAD
    return low - budget, high + budget


def _grid(svg: Element, y: _Scale, x: _Scale | None, width: int, height: int, title: str) -> None:
    right, foot = width - RIGHT, height - BOTTOM
    for value in _ticks(y.low, y.high, 5):
        y_position = y(value)
        svg.append(element("line", class_="grid", x1=str(LEFT), x2=str(right), y1=str(y_position), y2=str(y_position)))
        svg.append(element("text", f"{value:g}", x=str(LEFT - 8), y=str(y_position + 4), text_anchor="end"))
    svg.append(element("text", title, x=str(LEFT), y="14", class_="axis"))
    if x is None:
        return
    last = float(-LABELLED)
    for value in _x_ticks(x):
        if x(value) - last >= LABELLED:
            last = x(value)
            svg.append(element("text", numbers.count(value), x=str(last), y=str(foot + 18), text_anchor="middle"))
    middle = str((LEFT + right) / 2)
    svg.append(element("text", X_TITLE, x=middle, y=str(height - 6), text_anchor="middle", class_="axis"))


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


def _line(svg: Element, number: int, line: Line, x: _Scale | None, y: _Scale, width: int, aside_value: float) -> None:
    kind = f"series s{number % STYLES}"
    if line.is_level:
        location = str(y(line.points[0].y))
        path = f"M{LEFT} {location}H{width - RIGHT}"
        svg.append(element("path", class_=f"{kind} level", d=path, stroke_dasharray=DASHES.get(line.kind, "5 2 1 2")))
    elif x is not None:
        places = [x(point.x or 0) + aside_value for point in line.points]
        joints = [f"{x_position:.1f} {y(point.y)}" for x_position, point in zip(places, line.points, strict=True)]
        path = f"M{'L'.join(joints)}"
        svg.append(element("path", class_=f"{kind} line", d=path))
    for point in line.points:
        if x is not None and point.x is not None:
            _mark(svg, number, point, x(point.x) + aside_value, y)


def _mark(svg: Element, number: int, point: Point, x_position: float, y: _Scale) -> None:
    kind = f"series s{number % STYLES}"
    if point.low is not None and point.high is not None:
        ends = {"y1": str(y(point.low)), "y2": str(y(point.high))}
        svg.append(element("line", class_=f"{kind} whisker", x1=str(x_position), x2=str(x_position), **ends))
    words = element("title", _words(point))
    place = f"translate({x_position} {y(point.y)})"
    svg.append(element("path", words, class_=f"{kind} mark", d=MARKS[number % len(MARKS)], transform=place))


def _words(point: Point) -> str:
    bounds = "" if point.low is None or point.high is None else f" {numbers.interval(point.low, point.high)}"
    location = "" if point.x is None else f" at {numbers.count(point.x)} tokens"
    return f"{point.name}: {numbers.score(point.y)}{bounds}{location}"


def _key(number: int, line: Line) -> Element:
    kind = f"series s{number % STYLES}"
    level = line.is_level
    drawn_element = element(
        "path", class_=f"{kind} {'level' if level else 'line'}", d="M0 7H36",
        stroke_dasharray=DASHES.get(line.kind, "5 2 1 2") if level else None,
    )  # fmt: skip
    marked = any(point.x is not None for point in line.points)
    mark = element("path", class_=f"{kind} mark", d=MARKS[number % len(MARKS)], transform="translate(18 7)")
    size = {"width": "36", "height": "14", "viewBox": "0 0 36 14"}
    picture = element("svg", drawn_element, *([mark] if marked else []), aria_hidden="true", **size)
    return element("li", picture, f" {line.name}")


def _described_text(table: ConditionTable, lines: Sequence[Line]) -> str:
    return f"{table.y_title} against {X_TITLE}. " + "; ".join(_words(p) for line in lines for p in line.points) + "."
