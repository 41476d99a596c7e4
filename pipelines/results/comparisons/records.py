"""What comparisons give back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

By = Literal["example", "document"]  # what is drawn again and again


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of one figure, 0–100, at `level`, over `units` examples or documents."""

    low: float
    high: float
    level: float
    resamples: int
    by: By
    units: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How one figure of a run differs from a baseline's over the same examples: `value` is run less baseline.

    `p` is two-sided, `p_holm` the same after Holm's correction for all differences of a metric that stand together.
    `interval` is None where the figure is of a single example or document. Wins, losses and ties count examples whose
    figure is higher, lower or about the same; None where none has a figure.
    """

    value: float
    interval: Interval | None
    p: float
    p_holm: float | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None


@dataclass(frozen=True, slots=True)
class Changed:
    """An example whose figure changed between two runs."""

    id: str
    document: str
    query: str
    before: str
    after: str
    figure_before: float
    figure_after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same examples: `b` less `a`, figure by figure, and what changed by the metric `by_metric`."""

    task: str
    split: str
    a: str
    b: str
    recipe_a: str
    recipe_b: str
    scores_a: Mapping[str, float]
    scores_b: Mapping[str, float]
    differences: Mapping[str, Difference]
    examples: int
    documents: int
    by_metric: str
    changed: Sequence[Changed]
    warnings: Sequence[str] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"changed": [asdict(one) for one in self.changed], "warnings": list(self.warnings)}

    def __str__(self) -> str:
        """A line a figure, then the examples that changed most."""
        lines = [
            f"{self.task}, {self.split}: {self.examples:,} examples over {self.documents:,} documents",
            f"  a  {self.recipe_a}   in {self.a}",
            f"  b  {self.recipe_b}   in {self.b}",
            "",
            *self._table(),
            "",
            *self._footnotes(),
            *(f"  warning: {warning}" for warning in self.warnings),
        ]
        if self.changed:
            lines += ["", f"  most changed by {self.by_metric}:"]
        for one in self.changed:
            lines += [
                f"  {one.id}: {one.figure_before:.1f} → {one.figure_after:.1f}   {_excerpt(one.query)}".rstrip(),
                f"    a  {_excerpt(one.before)}",
                f"    b  {_excerpt(one.after)}",
            ]
        return "\n".join(lines)

    def _table(self) -> list[str]:
        width = max(map(len, self.differences))
        heads = f"{'a':>6} {'b':>6} {'b - a':>7} {'interval':>16} {'p':>6} {'up':>4} {'down':>5} {'same':>5}"
        lines = [f"  {'':<{width}} {heads}"]
        for name, one in self.differences.items():
            edges = f"[{one.interval.low:z.2f}, {one.interval.high:z.2f}]" if one.interval else "–"
            moved = zip((4, 5, 5), (one.wins, one.losses, one.ties), strict=True)
            counts = " ".join(f"{'' if count is None else count:>{places}}" for places, count in moved)
            figures = f"{self.scores_a[name]:6.2f} {self.scores_b[name]:6.2f} {one.value:+7.2f}"
            lines.append(f"  {name:<{width}} {figures} {edges:>16} {_p(one.p):>6} {counts}".rstrip())
        return lines

    def _footnotes(self) -> list[str]:
        first = next((one.interval for one in self.differences.values() if one.interval), None)
        said = "no intervals: a single example has none"
        if first is not None:
            drawn = f"{first.resamples:,} resamples of {first.units:,} {first.by}s"
            said = f"{100 * first.level:g}% intervals from {drawn}; p by exchanging the runs' {first.by}s"
        return [
            f"  {said}",
            "  up, down, same: examples whose figure is higher in b, lower, or within 0.05",
        ]


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _excerpt(text: str, characters: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"
