"""L-Eval's files of predictions: `{query, gt, MODEL_pred, evaluation}`, in the order of documents and instructions.

The model's output is under the first key that contains `_pred`, and the model's name is what stands before it. The rows
do not say which document they are about. In some files `query` also holds the worked examples that stand before the
question (An et al. 2024).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.benchmarks.leval.layouts.leval import JUDGED
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "L-Eval's predictions (query, gt, MODEL_pred)"
MARK = "_pred"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is L-Eval's."""
    return {"query", "gt"} <= fields.keys() and any(MARK in name for name in fields)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row; rows for people or a judge are left out, with a warning.

    Raises `UserError` for other rows, rows of several models, and a file that is named as another task's.
    """
    _check_name(path, task)
    file = PredictionFile([], expected=task.dataset.counts.get(task.split), by_order=True)
    key, judged_count = "", 0
    for row in rows:
        if not recognizes(row.fields):
            raise row.refusal(f"expected {ACCEPTS}")
        name = next(name for name in row.fields if MARK in name)
        if key and name != key:
            raise UserError(
                f"{row.location}: predictions under {name!r} follow those under {key!r}: give one file for each"
            )
        key = name
        if row.fields.get("evaluation") in JUDGED:
            judged_count += 1
            continue
        file.given.append(_prediction_of(row, key))
    file.system = key.partition(MARK)[0] or path.stem
    if judged_count:
        file.warnings.append(f"{judged_count:,} of the rows are for people or a judge (evaluation): they are left out")
    return file


def _check_name(path: Path, task: Task) -> None:
    """Raise `UserError` where a file is named as another of L-Eval's tasks."""
    name = f"leval/{path.name.partition('.')[0]}"
    if name != task.name and any(name == other.name for other in tasks.group("leval")):
        raise UserError(f"{path} is named as the predictions for {name}: longdoc score {name} {path}")


def _prediction_of(row: Row, key: str) -> GivenPrediction:
    references = row.strings("gt")
    if not references:
        raise UserError(f"{row.location}: gt has no answer")
    example = Example(str(row.number), Document("", ""), row.string("query").strip(), references)
    return GivenPrediction(example, *predictions.output(row.fields[key], row.location, key))
