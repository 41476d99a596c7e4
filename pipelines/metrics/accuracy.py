"""Accuracy of a classification: the share of examples whose prediction is the label of the reference."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class Accuracy(Metric):
    """The share of right labels, 0–100; the key is "accuracy".

    Labels are compared in lower case with single spaces; any of several references counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "accuracy|compared:lower case, single spaces|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the prediction is a reference, else 0."""
        return {"accuracy": 100.0 * (accepted_answer(prediction, example.references) == normal(prediction))}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "accuracy")


def normal(label: str) -> str:
    """A label in the form in which labels are compared: lower case, single spaces, stripped."""
    return " ".join(label.lower().split())


def accepted_answer(prediction: str, references: Sequence[str]) -> str:
    """The reference that the prediction is compared with, normalized: the predicted one, else the first."""
    normal_references = [normal(reference) for reference in references]
    return normal(prediction) if normal(prediction) in normal_references else normal_references[0]
