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
from pipelines.strategies.shared.route_rule import ReadingOn, route_features


@dataclass(frozen=True, slots=True)
class Reading:
    """An output, scored: points of 0–100, whether it refuses, and the tokens of the document that it took."""

    score: float
    is_refusal: bool
    tokens: float


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A question with both answers, and with that from more passages where there is one.

    `features` are of the question and of the retrieved answer.
    """

    task: str
    document: str
    is_unanswerable: bool
    features: Mapping[str, float]
    retrieved_reading: Reading
    whole_reading: Reading
    more_reading: Reading | None = None

    @property
    def readings(self) -> dict[ReadingOn, Reading]:
        """What can be read after the retrieved answer."""
        more_readings: dict[ReadingOn, Reading] = {} if self.more_reading is None else {"more": self.more_reading}
        return {**more_readings, "whole": self.whole_reading}

    def gain(self, name: ReadingOn) -> float:
        """The points that a reading adds to the retrieved answer's."""
        return self.readings[name].score - self.retrieved_reading.score


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """What is said of tokens: those of documents by id, of the passages of one question, and of more passages.

    Without those of documents they count as equally long, of 1 token each; without the others, passages as nothing.
    """

    by_document: Mapping[str, float]
    retrieved: float | None = None
    more_passages: float | None = None

    def tokens_of(self, name: str) -> float:
        """The tokens of a document. Raises `UserError` for one that is not listed."""
        if not self.by_document:
            return 1.0
        if name not in self.by_document:
            raise UserError(f"tokens= lacks the document {name!r}: give the tokens of every document, or of none")
        return float(self.by_document[name])


@dataclass(frozen=True, slots=True)
class PredictionFiles:
    """The files of predictions of one system: from whole documents, from retrieval, and from more passages."""

    whole_path: str | Path
    retrieved_path: str | Path
    more_path: str | Path | None = None

    @property
    def paths(self) -> list[str | Path]:
        """Those that there are."""
        return [self.whole_path, self.retrieved_path, *([] if self.more_path is None else [self.more_path])]


def calibration_rows(
    task: str, paths: PredictionFiles, data: Any, metric_spec: Any, counts: TokenCounts
) -> list[CalibrationRow]:
    """The rows of the files, in the order of the file of retrieved answers.

    Questions that a file has no answer to are left out. Raises `UserError` for files that say nothing of their
    questions or documents, and where they have no question in common.
    """
    chosen_task, metric = tasks.get(task), metrics.get(metric_spec)
    metric.prepare()
    files_by_id = [_by_id(chosen_task, path, data) for path in paths.paths]
    retrieved_predictions = files_by_id[1]
    common_ids = [id for id in retrieved_predictions if all(id in predictions for predictions in files_by_id)]
    if not common_ids:
        names = " and ".join(map(str, paths.paths))
        raise UserError(f"{names} have no question in common: give files of one task")
    _check_examples([retrieved_predictions[id].example for id in common_ids], paths.retrieved_path)
    return [
        _row([predictions[id] for predictions in files_by_id], chosen_task.name, metric, counts) for id in common_ids
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


def _row(predictions: Sequence[GivenPrediction], task: str, metric: Metric, counts: TokenCounts) -> CalibrationRow:
    """The row of a question's predictions: from the whole document, retrieval, and more passages if there are any."""
    example, outputs = predictions[1].example, [str(prediction.prediction) for prediction in predictions]
    whole_reading, retrieved_reading, *more_readings = (
        Reading(points(output, example, metric), refuses(output), count)
        for output, count in zip(outputs, _tokens(predictions, counts), strict=True)
    )
    return CalibrationRow(
        task=task,
        document=example.document.id,
        is_unanswerable=all(map(refuses, example.references)),
        features=route_features(example.query, outputs[1], predictions[1].scores, predictions[1].selection_features),
        retrieved_reading=retrieved_reading,
        whole_reading=whole_reading,
        more_reading=next(iter(more_readings), None),
    )


def _tokens(predictions: Sequence[GivenPrediction], counts: TokenCounts) -> list[float]:
    """The tokens of each: what is said of them, or what all files have."""
    is_told = counts.by_document or counts.retrieved is not None or counts.more_passages is not None
    known_counts = [prediction.tokens_in for prediction in predictions if prediction.tokens_in is not None]
    if not is_told and len(known_counts) == len(predictions) and known_counts[0]:
        return list(map(float, known_counts))
    document_count = counts.tokens_of(predictions[1].example.document.id)
    return [document_count, counts.retrieved or 0.0, counts.more_passages or 0.0][: len(predictions)]


def points(output: str, example: Example, metric: Metric) -> float:
    """The first score of a metric for an output, 0–100; of a question without an answer, whether it is refused.

    References that say so in sentences are scored as texts.
    """
    if all(abstains(reference, "unicode") for reference in example.references):
        return 100.0 * refuses(output)
    return metric.first_score(output, example)
