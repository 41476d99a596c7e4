"""The lines of the plot of ways: score against prompt tokens, a line for each retriever, its points the budgets."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.results.conditions.condition import Condition, ConditionTable, Kind
from pipelines.results.conditions.condition_tables import partial

LOGARITHMIC = 8.0  # the ratio of the most to the fewest tokens from which their axis is logarithmic


@dataclass(frozen=True, slots=True)
class Point:
    """A way in the plot: `x` its prompt tokens per example, None where it does not say; `y` its score."""

    name: str
    amount: str
    x: float | None
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one retriever by tokens, or the one point of a way without a budget, a level to compare with."""

    name: str
    kind: Kind
    points: Sequence[Point]

    @property
    def is_level(self) -> bool:
        """Whether it is drawn across the whole plot: whole document, closed book, and ways whose tokens are unknown."""
        return self.kind in ("whole", "closed book") or any(point.x is None for point in self.points)


def lines(table: ConditionTable) -> list[Line]:
    """The lines, in the order of the ways; over what all cover where that differs from what each covers."""
    shared = partial(table) and table.common_examples > 0
    groups: dict[tuple[Kind, str], list[Point]] = {}
    for condition in table.finished:
        if (point := _point(condition, table.primary_metric, shared)) is not None:
            groups.setdefault((condition.kind, condition.line or condition.name), []).append(point)
    lines = []
    for (kind, name), points in groups.items():
        if all(point.x is not None for point in points):
            points.sort(key=lambda point: point.x or 0.0)
            lines.append(Line(name, kind, points))
        else:
            lines += [Line(point.name, kind, [point]) for point in points]
    return lines


def _point(condition: Condition, score: str, shared: bool) -> Point | None:
    value = (condition.common if shared else condition.scores).get(score)
    if value is None:
        return None
    bounds = None if shared else condition.intervals.get(score)
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    return Point(condition.name, condition.amount, condition.tokens_mean or None, value, low, high)


def y_title(table: ConditionTable) -> str:
    """What the plot's y axis shows."""
    shared = partial(table) and table.common_examples > 0
    return f"{table.primary_metric}, of what all ways answered" if shared else table.primary_metric


X_TITLE = "prompt tokens per example"


def is_logarithmic(lines: Sequence[Line]) -> bool:
    """Whether tokens span so much that their axis grows by factors."""
    values = [point.x for line in lines for point in line.points if point.x]
    return len(values) > 1 and max(values) >= LOGARITHMIC * min(values)
