"""Another metric on the hard questions alone: QuALITY's EM-H (Pang et al. 2022; Shaham et al. 2022, section 3).

A question is hard where its data say so (`example.meta["difficult"]`, QuALITY's own field).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.metrics import Row
from pipelines.metrics.shared.wrapped_metric import OfMetric
from pipelines.records import Example

HARD = "is_hard"


@dataclass(frozen=True)
class Hard(OfMetric):
    """The scores of `metric` over the examples whose `meta["difficult"]` is true; the keys end in "_hard".

    There is no score where no example is marked so, as for bare lists of predictions and references.
    """

    needs_example = True

    metric: Any = "exact_match"

    ending = "_hard"
    rule = "subset:difficult"

    @property
    def target(self) -> str:  # type: ignore[override]
        """The target of `metric`."""
        return self._inner.target

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The statistics of `metric`, and whether the example is hard."""
        return {**self._inner.statistics(prediction, example), HARD: float(bool(example.meta.get("difficult")))}

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows in a form that can be averaged: hard rows as `metric` sums them, others as zeros."""
        metric_rows = [{name: value for name, value in row.items() if name != HARD} for row in rows]
        return [
            {**{name: value * row[HARD] for name, value in summable_row.items()}, HARD: row[HARD]}
            for row, summable_row in zip(rows, self._inner.summable(metric_rows), strict=True)
        ]

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of `metric` over the hard rows; in a mean row, `is_hard` is the share of hard rows."""
        hard_rows = [
            {name: value / row[HARD] for name, value in row.items() if name != HARD} for row in rows if row[HARD]
        ]
        return {f"{name}{self.ending}": value for name, value in self._inner.aggregate(hard_rows).items()}
