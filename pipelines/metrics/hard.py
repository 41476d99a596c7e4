"""Another metric on the hard questions alone: QuALITY's EM-H (Pang et al. 2022; Shaham et al. 2022, section 3).

A question is hard where its data say so (`example.meta["difficult"]`, QuALITY's own field).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from pipelines.metrics import Metric, Row, registry
from pipelines.records import Example

HARD = "is_hard"


@dataclass(frozen=True)
class Hard(Metric):
    """The scores of `metric` over the examples whose `meta["difficult"]` is true; the keys end in "_hard".

    There is no score where no example is marked so, as for bare lists of predictions and references.
    """

    needs_example = True

    metric: Any = "exact_match"

    def __post_init__(self) -> None:
        metric = registry.get(self.metric)
        object.__setattr__(self, "metric", metric)  # so that a run's record has all its fields

    @property
    def target(self) -> str:  # type: ignore[override]
        """What `metric` measures."""
        return self._inner.target

    @property
    def bootstrap_on(self) -> Literal["mean row", "rows"]:  # type: ignore[override]
        """The mean row is enough if it is for `metric`."""
        return "rows" if self._inner.bootstrap_on == "rows" else "mean row"

    @property
    def signature(self) -> str:
        """The signature of `metric`, its name with "_hard"."""
        name, bar, rules = self._inner.signature.partition("|")
        return f"{name}_hard|subset:difficult{bar}{rules}"

    def prepare(self) -> None:
        """Prepare `metric`. Raises `NotComputable`."""
        self._inner.prepare()

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The statistics of `metric`, and whether the example is hard."""
        return {**self._inner.statistics(prediction, example), HARD: float(bool(example.meta.get("difficult")))}

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The hard rows as `metric` can sum them, the others as zeros."""
        apart = [{name: value for name, value in row.items() if name != HARD} for row in rows]
        return [
            {**{name: value * row[HARD] for name, value in one.items()}, HARD: row[HARD]}
            for row, one in zip(rows, self._inner.summable(apart), strict=True)
        ]

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of `metric` over the hard rows; in a mean row, `is_hard` is the share of hard rows."""
        kept = [{name: value / row[HARD] for name, value in row.items() if name != HARD} for row in rows if row[HARD]]
        return {f"{name}_hard": value for name, value in self._inner.aggregate(kept).items()}

    @property
    def _inner(self) -> Metric:
        return cast(Metric, self.metric)
