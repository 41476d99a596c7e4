"""∞Bench's files of predictions: `{id, prediction, ground_truth}`, one row an example (Zhang et al. 2024)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.evaluation import predictions
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources import _fields
from pipelines.sources._tables import Row
from pipelines.tasks import Task

ACCEPTS = "∞Bench's predictions (id, prediction, ground_truth)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is ∞Bench's."""
    return {"prediction", "ground_truth"} <= fields.keys()


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, with the labels that the file has."""
    found = list(rows)
    by_order = all(row.fields.get("id") is None for row in found)
    given = [_given(row) for row in found]
    return PredictionFile(given, path.parent.name, task.dataset.counts.get(task.split), by_order=by_order)


def _given(row: Row) -> GivenPrediction:
    name = str(row.number - 1 if row.fields.get("id") is None else row.fields["id"])
    references = _fields.strings(row.fields["ground_truth"], row.where, "ground_truth")
    example = Example(name, Document("", ""), references=references)  # the files do not say which book it is
    return GivenPrediction(example, *predictions.output(row.fields["prediction"], row.where, "prediction"))
