"""The shares of correct, incorrect and refused predictions, by labels in a benchmark's file of predictions.

FinanceBench's authors call each answer correct, incorrect or a refusal (Islam et al. 2023, section 4); files of AA-LCR
have the verdict of a judge. With n labelled predictions, c of them correct: label_correct = 100 · c / n. An empty
prediction without a label is incorrect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from pipelines.metrics import Metric, NotComputable, Row
from pipelines.records import Example

Label = Literal["correct", "incorrect", "refused", ""]  # "": none, or none of these
NAME, CORRECT = "labels", "label_correct"
SCORES: Mapping[str, Label] = {
    CORRECT: "correct", "label_incorrect": "incorrect", "label_refused": "refused",
}  # fmt: skip


@dataclass(frozen=True)
class Labels(Metric):
    """The shares of predictions that are labelled "label_correct", "label_incorrect" and "label_refused", 0–100.

    Only files of predictions have labels (`pipelines.score_predictions`); those of one file are in `by_example`.
    `has_refusals`: whether refusing is a label of its own there; else there is no "label_refused".
    """

    scores_unanswerable = True
    needs_references = False
    bootstrap_on = "mean row"

    has_refusals: bool = True
    by_example: Mapping[str, Label] = field(default_factory=dict, init=False, compare=False)

    @property
    def signature(self) -> str:
        """The rules that decide the score, and the origin of the labels."""
        return f"{NAME}|of:the file of predictions|empty without a label:incorrect"

    def with_labels(self, labels: Mapping[str, Label]) -> "Labels":
        """A copy with the labels by example id."""
        metric = Labels(self.has_refusals)
        object.__setattr__(metric, "by_example", labels)
        return metric

    def prepare(self) -> None:
        """Raises `NotComputable` if no prediction has a label."""
        if not any(self.by_example.values()):
            raise NotComputable(
                "no prediction has a label; only some benchmarks' files of predictions have labels to score"
            )

    def statistics(self, prediction: str, example: Example) -> Row:
        """1 for the label of an example and 0 for the others, all 0 without one; "labelled" is 0 or 1."""
        label = self.by_example.get(example.id) or ("" if prediction.strip() else "incorrect")
        return {name: float(label == SCORES[name]) for name in self._names} | {"labelled": float(bool(label))}

    def left_out(self, score: str, rows: Sequence[Row]) -> Sequence[str]:
        """The reason for rows without a label, which all shares leave out."""
        return ["" if row["labelled"] else "without a label" for row in rows]

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The shares of the labelled predictions; empty where none is labelled."""
        labelled = fsum(row["labelled"] for row in rows)
        return {name: 100 * fsum(row[name] for row in rows) / labelled for name in self._names} if labelled else {}

    @property
    def _names(self) -> list[str]:
        return [name for name, label in SCORES.items() if self.has_refusals or label != "refused"]
