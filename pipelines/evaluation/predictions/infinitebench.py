"""∞Bench's files of predictions: `{id, prediction, ground_truth}`, one row an example (Zhang et al. 2024)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

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
    return PredictionFile([_given(row) for row in rows], path.parent.name, task.dataset.counts.get(task.split))


def _given(row: Row) -> GivenPrediction:
    name = str(row.fields.get("id", row.number - 1))
    references = _fields.strings(row.fields["ground_truth"], row.where, "ground_truth")
    example = Example(name, Document(name, ""), references=references)  # the files do not say which book it is
    return GivenPrediction(example, _fields.string(row.fields["prediction"], row.where, "prediction"))
