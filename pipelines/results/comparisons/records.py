"""The results of comparisons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from longdoc.plain_values import plain_fields

Unit = Literal["example", "document"]  # what a bootstrap resamples


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of one score, 0–100, at `level`, over `units` examples or documents, as `unit` says."""

    low: float
    high: float
    level: float
    resamples: int
    unit: Unit
    units: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How one score of a run differs from a baseline's over the same examples: `value` is run less baseline.

    `p` is two-sided, `p_holm` the same after Holm's correction for all runs that are compared with the baseline.
    `interval` is None where only a single example or document counts. Wins, losses and ties count examples whose score
    is higher, lower or about the same; None where no example has the score by itself.
    """

    value: float
    interval: Interval | None
    p: float
    p_holm: float | None = None
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One run among others. `settings` are its values of an ablation's axes, as typed; empty outside an ablation.

    `folder` is an ordinary run's folder. A failed cell has `error`, no scores, and perhaps no folder. `failures` maps
    example ids to error messages; `tokens_shown` is the mean number of prompt tokens per example; `cost` is None where
    the reader has no prices. `differences` are from the baseline, and empty for the baseline itself. `outputs` counts
    the model's outputs that stopped at their length limit, are empty or were refused, and their examples.
    """

    name: str
    settings: Mapping[str, Any]
    recipe: str
    folder: Path | None
    scores: Mapping[str, float] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    not_computed: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    examples: int = 0
    documents: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_shown: float = 0.0
    cost: float | None = None
    error: str | None = None
    outputs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangedExample:
    """An example whose score differs between two runs."""

    id: str
    document: str
    query: str
    before: str
    after: str
    score_before: float
    score_after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same examples: `b` less `a` in every score, and the examples most changed in `primary_metric`."""

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
    primary_metric: str
    changed: Sequence[ChangedExample]
    warnings: Sequence[str] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """One line per score, then the examples that changed most."""
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
            lines += ["", f"  most changed by {self.primary_metric}:"]
        for one in self.changed:
            lines += [
                f"  {one.id}: {one.score_before:.1f} → {one.score_after:.1f}   {_excerpt(one.query)}".rstrip(),
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
            counts = " ".join(f"{'' if count is None else count:>{columns}}" for columns, count in moved)
            scores = f"{self.scores_a[name]:6.2f} {self.scores_b[name]:6.2f} {one.value:+7.2f}"
            lines.append(f"  {name:<{width}} {scores} {edges:>16} {_p(one.p):>6} {counts}".rstrip())
        return lines

    def _footnotes(self) -> list[str]:
        first = next((one.interval for one in self.differences.values() if one.interval), None)
        method = "no intervals: a single example has none"
        if first is not None:
            resamples = f"{first.resamples:,} resamples of {first.units:,} {first.unit}s"
            method = f"{100 * first.level:g}% intervals from {resamples}; p by exchanging the runs' {first.unit}s"
        return [
            f"  {method}",
            "  up, down, same: examples whose score is higher in b, lower, or within 0.05",
        ]


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _excerpt(text: str, characters: int = 110) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"
