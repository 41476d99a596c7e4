"""What metrics have in common that change another metric: its outputs, or the examples that count."""

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
        """The mean row is enough if it is for `metric`; its keys are not those of the scores."""
        return "rows" if self._inner.bootstrap_on == "rows" else "mean row"

    @property
    def scores_unanswerable(self) -> bool:  # type: ignore[override]
        """Whether `metric` has a rule for them."""
        return self._inner.scores_unanswerable

    @property
    def signature(self) -> str:
        """The signature of `metric`, its name with the ending."""
        name, bar, rules = self._inner.signature.partition("|")
        return f"{name}{self.ending}|{self.rule}{bar}{rules}"

    def of_file(self) -> Metric:
        """With `metric` for files of predictions."""
        return replace(self, metric=self._inner.of_file())

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """What the score of `metric` leaves out."""
        return self._inner.left_out(score.removesuffix(self.ending), rows)

    def prepare(self) -> None:
        """Prepare `metric`. Raises `NotComputable`."""
        self._inner.prepare()

    @property
    def _inner(self) -> Metric:
        return cast(Metric, self.metric)
