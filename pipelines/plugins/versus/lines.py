"""The lines of the plot of conditions: score against prompt tokens, a line a retriever, its points the budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.plugins.versus.condition import Condition
from pipelines.results.run_folders.schema import Kind

LOGARITHMIC = 8.0  # the ratio of the most to the fewest tokens from which their axis is logarithmic


@dataclass(frozen=True, slots=True)
class Point:
    """A condition in the plot: `x` its prompt tokens per example, None where unknown; `y` its score."""

    name: str
    amount: str
    x: float | None
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """A retriever's points by tokens, or the one point of a condition without a budget, a level to compare with."""

    name: str
    kind: Kind
    points: Sequence[Point]

    @property
    def is_level(self) -> bool:
        """Whether the line crosses the plot: whole document, closed book, and conditions whose tokens are unknown."""
        return self.kind in ("whole", "closed book") or any(point.x is None for point in self.points)

    @property
    def has_tokens(self) -> bool:
        """Whether the tokens of some point are known."""
        return any(point.x is not None for point in self.points)


def lines(conditions: Sequence[Condition], metric: str, is_shared: bool) -> list[Line]:
    """The lines of a score, in the order of the conditions; with `is_shared` over the examples that all cover."""
    groups: dict[tuple[Kind, str], list[Point]] = {}
    for condition in conditions:
        if (point := _point(condition, metric, is_shared)) is not None:
            groups.setdefault((condition.kind, condition.line or condition.name), []).append(point)
    plot_lines = []
    for (kind, name), points in groups.items():
        if all(point.x is not None for point in points):
            points.sort(key=lambda point: point.x or 0.0)
            plot_lines.append(Line(name, kind, points))
        else:
            plot_lines += [Line(point.name, kind, [point]) for point in points]
    return plot_lines


def _point(condition: Condition, score: str, is_shared: bool) -> Point | None:
    value = (condition.common if is_shared else condition.scores).get(score)
    if value is None:
        return None
    bounds = None if is_shared else condition.scores.intervals.get(score)
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    return Point(condition.name, condition.amount, condition.tokens_mean or None, value, low, high)


X_TITLE = "prompt tokens per example"


def is_logarithmic(plot_lines: Sequence[Line]) -> bool:
    """Whether the range of tokens is so wide that their axis should be logarithmic."""
    tokens = [point.x for line in plot_lines for point in line.points if point.x]
    return len(tokens) > 1 and max(tokens) >= LOGARITHMIC * min(tokens)
