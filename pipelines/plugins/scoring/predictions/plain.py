"""The layout for any task: rows `{id, prediction}`, as in a run's own `predictions.jsonl`.

Rows may have `references` of their own; where they have none, the benchmark's data must be given. Without ids, the
order of the rows says whose they are. A `confidence` is a number, higher for surer predictions. An empty prediction is
a refusal to answer, as in SQuAD 2.0's files; in a run's rows, which have `requests`, it is a reply that failed.
"""

from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "rows with id and prediction"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row has a prediction, or an error in its place."""
    return "prediction" in fields or ("id" in fields and "error" in fields)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """The predictions, one of each row. Raises `UserError` where some rows have an id and others have none."""
    listed = list(rows)
    if not all(recognizes(row.fields) for row in listed):
        row = next(row for row in listed if not recognizes(row.fields))
        raise UserError(
            f"{row.location}: expected {ACCEPTS}, found {', '.join(row.fields) or 'nothing'}; give "
            "all rows these fields"
        )
    have_ids = [row.fields.get("id") is not None for row in listed]
    if any(have_ids) and not all(have_ids):
        raise UserError(
            f"{listed[have_ids.index(False)].location}: this row has no id, but others have one: give every row an id"
        )
    expected = task.dataset.counts.get(task.split)
    given = list(map(_prediction_of, listed))
    return PredictionFile(
        given,
        path.stem,
        expected,
        by_order=not any(have_ids),
        empty_refuses="requests" not in listed[0].fields and not all(prediction.prediction for prediction in given),
    )


def _prediction_of(row: Row) -> GivenPrediction:
    fields = row.fields
    name = str(row.number if fields.get("id") is None else fields["id"])
    document = Document(str(fields.get("document") or ""), "")
    references = row.strings("references")
    value = fields["prediction"] if "prediction" in fields else {"error": fields["error"]}
    text, refusal = predictions.output(value, row.location, "prediction")
    query = fields.get("query")
    example = Example(name, document, query if isinstance(query, str) else "", references=references)
    return GivenPrediction(example, text, refusal, confidence=_confidence_of(row))


def _confidence_of(row: Row) -> float | None:
    """A row's confidence, None where it has none. Raises `UserError` unless it is a finite number."""
    value = row.fields.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise UserError(f"{row.location}: confidence must be a finite number, got {value!r}; leave it out, or give one")
    return float(value)
