"""Base class of metrics that change another metric's outputs or restrict its examples."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pipelines.metrics import Metric, Row, registry


@dataclass(frozen=True)
class OfMetric(Metric):
    """Base class of a metric whose scores are those of `metric` under another name.

    A subclass defines `ending`, which is added to the names, and `rule`, its part of the signature.
    """

    metric: Any = "f1"

    ending = ""
    rule = ""

    def __post_init__(self) -> None:
        metric = registry.get(self.metric)
        object.__setattr__(self, "metric", metric)  # so that a run's record has all its fields

    @property
    def bootstrap_on(self) -> Literal["mean row", "rows"]:  # type: ignore[override]
        """ "rows" if `metric` needs rows, else "mean row"."""
        return "rows" if self._inner.bootstrap_on == "rows" else "mean row"

    @property
    def scores_unanswerable(self) -> bool:  # type: ignore[override]
        """Whether `metric` scores unanswerable questions."""
        return self._inner.scores_unanswerable

    @property
    def signature(self) -> str:
        """The signature of `metric`, its name with the ending."""
        name, bar, rules = self._inner.signature.partition("|")
        return f"{name}{self.ending}|{self.rule}{bar}{rules}"

    def of_file(self) -> Metric:
        """The same, with `metric` for files of predictions."""
        return replace(self, metric=self._inner.of_file())

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """For each row, why the score of `metric` leaves it out; empty for rows that count."""
        return self._inner.left_out(score.removesuffix(self.ending), rows)

    def prepare(self) -> None:
        """Prepare `metric`. Raises `NotComputable`."""
        self._inner.prepare()

    @property
    def _inner(self) -> Metric:
        return cast(Metric, self.metric)
