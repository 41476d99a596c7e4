"""Calibration rows: questions that a system answered from retrieved passages and from the whole document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from models.refusals import refuses
from pipelines import metrics, tasks
from pipelines.evaluation import _joined_data
from pipelines.evaluation import predictions as files
from pipelines.evaluation.predictions import GivenPrediction
from pipelines.metrics import Metric
from pipelines.metrics.shared.abstaining import abstains
from pipelines.records import Example
from pipelines.strategies.shared.route_rule import route_features


@dataclass(frozen=True, slots=True)
class Reading:
    """An output, scored: points of 0–100, whether it refuses, and the tokens of the document that it took."""

    score: float
    is_refusal: bool
    tokens: float


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A question with both answers. `features` are of the question and of the retrieved answer."""

    task: str
    document: str
    is_unanswerable: bool
    features: Mapping[str, float]
    retrieved_reading: Reading
    whole_reading: Reading

    @property
    def gain(self) -> float:
        """The points that reading the whole document adds."""
        return self.whole_reading.score - self.retrieved_reading.score


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """What is said of tokens: those of documents by id, and those of the passages of one question.

    Without the former documents count as equally long, of 1 token each; without the latter, passages as nothing.
    """

    by_document: Mapping[str, float]
    retrieved: float | None = None

    def tokens_of(self, name: str) -> float:
        """The tokens of a document. Raises `UserError` for one that is not listed."""
        if not self.by_document:
            return 1.0
        if name not in self.by_document:
            raise UserError(f"tokens= lacks the document {name!r}: give the tokens of every document, or of none")
        return float(self.by_document[name])


def calibration_rows(
    task: str, whole_path: str | Path, retrieved_path: str | Path, data: Any, metric_spec: Any, counts: TokenCounts
) -> list[CalibrationRow]:
    """The rows of two files of predictions by one system, in the order of the file of retrieved answers.

    Questions that either file has no answer to are left out. Raises `UserError` for files that say nothing of their
    questions or documents, and where they have no question in common.
    """
    chosen_task, metric = tasks.get(task), metrics.get(metric_spec)
    metric.prepare()
    whole_predictions = _by_id(chosen_task, whole_path, data)
    retrieved_predictions = _by_id(chosen_task, retrieved_path, data)
    common_ids = [id for id in retrieved_predictions if id in whole_predictions]
    if not common_ids:
        raise UserError(f"{whole_path} and {retrieved_path} have no question in common: give two files of one task")
    _check_examples([retrieved_predictions[id].example for id in common_ids], retrieved_path)
    return [
        _row(whole_predictions[id], retrieved_predictions[id], chosen_task.name, metric, counts) for id in common_ids
    ]


def _by_id(task: tasks.Task, path: str | Path, data: Any) -> dict[str, GivenPrediction]:
    """The predictions that a file has, by the id of their example."""
    file = files.read(task, path)
    predictions = file.given if data is None else _joined_data.joined(file, task, data, task.split)
    return {
        prediction.example.id: prediction
        for prediction in predictions
        if prediction.prediction is not None and prediction.example.references
    }


def _check_examples(examples: Sequence[Example], path: str | Path) -> None:
    for name, values in {
        "questions": [example.query for example in examples],
        "documents": [example.document.id for example in examples],
    }.items():
        if missing := values.count(""):
            raise UserError(
                f"{path} lacks the {name} of {counted(missing, 'prediction')}: give the data too, data=PATH"
            )


def _row(
    whole_prediction: GivenPrediction, prediction: GivenPrediction, task: str, metric: Metric, counts: TokenCounts
) -> CalibrationRow:
    example = prediction.example
    outputs = str(prediction.prediction), str(whole_prediction.prediction)
    tokens = _tokens(whole_prediction, prediction, counts)
    retrieved_reading, whole_reading = (
        Reading(points(output, example, metric), refuses(output), count)
        for output, count in zip(outputs, tokens, strict=True)
    )
    return CalibrationRow(
        task=task,
        document=example.document.id,
        is_unanswerable=all(map(refuses, example.references)),
        features=route_features(example.query, outputs[0]),
        retrieved_reading=retrieved_reading,
        whole_reading=whole_reading,
    )


def _tokens(whole_prediction: GivenPrediction, prediction: GivenPrediction, counts: TokenCounts) -> tuple[float, float]:
    """The tokens of retrieval and of the whole document: what is said of them, or what both files have."""
    is_told = counts.by_document or counts.retrieved is not None
    if not is_told and prediction.tokens_in is not None and whole_prediction.tokens_in:
        return float(prediction.tokens_in), float(whole_prediction.tokens_in)
    return counts.retrieved or 0.0, counts.tokens_of(prediction.example.document.id)


def points(output: str, example: Example, metric: Metric) -> float:
    """The first score of a metric for an output, 0–100; of a question without an answer, whether it is refused.

    References that say so in sentences are scored as texts.
    """
    if all(abstains(reference, "unicode") for reference in example.references):
        return 100.0 * refuses(output)
    return metric.first_score(output, example)
