"""RULER's files of predictions, `pred/TASK.jsonl`: index, pred, outputs and more (Hsieh et al. 2024; `call_api.py`)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

FIELDS = ("index", "pred", "outputs")
ACCEPTS = f"RULER's predictions ({', '.join(FIELDS)})"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is RULER's."""
    return fields.keys() >= set(FIELDS)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row. Raises `UserError` for other rows."""
    return PredictionFile(list(map(_prediction_of, rows)), path.stem)


def _prediction_of(row: Row) -> GivenPrediction:
    references = row.strings("outputs") if recognizes(row.fields) else ()
    if not references:
        raise row.refusal(f"expected {ACCEPTS}")
    example = Example(row.string("index"), Document("", ""), references=references)
    return GivenPrediction(example, *predictions.output(row.fields["pred"], row.location, "pred"))
