"""BABILong's files of predictions, `babilong_evals/MODEL/qa1_8k_….csv`: target, output, question (Kuratov et al. 2024).

The first column counts the rows. The file's name says of which task and length they are.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.benchmarks.babilong.layouts.babilong import question, task_name
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

FIELDS = ("target", "output", "question")
ACCEPTS = f"BABILong's predictions ({', '.join(FIELDS)})"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is BABILong's."""
    return fields.keys() >= set(FIELDS)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, in their order. Raises `UserError` for other rows."""
    name = task_name(path.name)
    length = predictions.named_length(path.name)
    return PredictionFile([_prediction_of(row, name) for row in rows], path.parent.name, length=length, by_order=True)


def _prediction_of(row: Row, name: str) -> GivenPrediction:
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    example = Example(str(row.number), Document("", ""), **question(row, name))
    return GivenPrediction(example, *predictions.output(row.fields["output"], row.location, "output"))
