"""LiteraryQA's files of predictions: `{model, question, answers, prediction}`, in the order of books and questions.

The rows do not say which book they are about; later files also have its `title`. The wording of some questions is that
of an earlier release of the data, their answers are the same (Bonomo, Gioffré and Navigli 2025).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

FIELDS = ("question", "answers", "prediction")
ACCEPTS = f"LiteraryQA's predictions ({', '.join(FIELDS)})"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LiteraryQA's; rows with an id are anybody's."""
    return set(FIELDS) <= fields.keys() and isinstance(fields["answers"], list) and "id" not in fields


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, in the order of the data. Raises `UserError` for other rows, and rows of several models."""
    file = PredictionFile([], path.stem, task.dataset.counts.get(task.split), by_order=True)
    for row in rows:
        file.given.append(_prediction_of(row))
        model = row.string("model") or path.stem
        if len(file.given) > 1 and model != file.system:
            raise UserError(
                f"{row.location}: a prediction of {model} follows those of {file.system}: give one file for each"
            )
        file.system = model
    return file


def _prediction_of(row: Row) -> GivenPrediction:
    if not recognizes(row.fields):
        raise row.refusal(f"expected {ACCEPTS}")
    references = row.strings("answers")
    if not references:
        raise UserError(f"{row.location}: answers has no answer")
    title = row.string("title")
    example = Example(str(row.number), Document(title, "", title), row.string("question"), references)
    return GivenPrediction(example, *predictions.output(row.fields["prediction"], row.location, "prediction"))
