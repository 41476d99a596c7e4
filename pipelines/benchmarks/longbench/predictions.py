"""LongBench's files of predictions, `pred/MODEL/DATASET.jsonl`: `{pred, answers, all_classes, length}` (Bai et al.
2024), one row an example, in the order of the data.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "LongBench's predictions (pred, answers, all_classes)"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LongBench's."""
    return {"pred", "answers", "all_classes"} <= fields.keys()


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row; rows have no ids, so they get their numbers, and are joined to data by their order.

    Raises `UserError` for a file that is named as another task's, as it would be scored by the wrong metric.
    """
    name = f"longbench/{path.name.partition('.')[0]}"
    if name != task.name and any(name == other.name for other in tasks.group("longbench")):
        raise UserError(f"{path} is named as the predictions for {name}: longdoc score {name} {path}")
    file = PredictionFile(
        [_prediction_of(row) for row in rows],
        path.absolute().parent.name,
        task.dataset.counts.get(task.split),
        by_order=True,
    )
    if file.expected is not None and len(file.given) > file.expected:
        file.warnings.append(
            f"{path.name} has {len(file.given):,} predictions where {task.name} has {file.expected:,} examples: "
            "those of LongBench-E, or of several runs"
        )
        file.expected = None
    return file


def _prediction_of(row: Row) -> GivenPrediction:
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    example = Example(
        str(row.number),
        Document("", ""),  # the files do not say which document it is
        references=row.strings("answers"),
        options=row.strings("all_classes"),
    )
    return GivenPrediction(example, *predictions.output(row.fields["pred"], row.location, "pred"))
