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
    Wins, losses and ties count examples; None where the metric has no figure for a single example.
    """

    value: float
    interval: Interval
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
        return asdict(self)
