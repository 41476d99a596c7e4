"""Predictions in rows of anybody's: `{id, prediction}`, as a run's own `predictions.jsonl` has them.

Rows may have `references` of their own; where they have none, the benchmark's data must be given. Without ids, the
order of the rows says whose they are. A `confidence` is a number, the higher the surer. An empty prediction refuses to
answer, as in SQuAD 2.0's files; in those of a run, which have `requests`, it is a reply that failed.
"""

from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.evaluation import predictions
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "rows with id and prediction"


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row has a prediction, or says that there is none."""
    return "prediction" in fields or ("id" in fields and "error" in fields)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row. Raises `UserError` where some rows have an id and others have none."""
    found_rows = list(rows)
    if not all(recognizes(row.fields) for row in found_rows):
        row = next(row for row in found_rows if not recognizes(row.fields))
        raise UserError(
            f"{row.location}: this is not {ACCEPTS}; found {', '.join(row.fields) or 'nothing'}; give "
            "all rows these fields"
        )
    having_entries = [row.fields.get("id") is not None for row in found_rows]
    if any(having_entries) and not all(having_entries):
        raise UserError(
            f"{found_rows[having_entries.index(False)].location}: this row has no id, others have: give every row one"
        )
    expected = task.dataset.counts.get(task.split)
    given = list(map(_prediction_of, found_rows))
    return PredictionFile(
        given,
        path.stem,
        expected,
        by_order=not any(having_entries),
        empty_refuses="requests" not in found_rows[0].fields and not all(one.prediction for one in given),
    )


def _prediction_of(row: Row) -> GivenPrediction:
    fields = row.fields
    name = str(row.number if fields.get("id") is None else fields["id"])
    document = Document(str(fields.get("document") or ""), "")
    references = row.strings("references")
    value = fields["prediction"] if "prediction" in fields else {"error": fields["error"]}
    text, refused_text = predictions.output(value, row.location, "prediction")
    query = fields.get("query")
    example = Example(name, document, query if isinstance(query, str) else "", references=references)
    return GivenPrediction(example, text, refused_text, confidence=_confidence_of(row))


def _confidence_of(row: Row) -> float | None:
    """A row's confidence, None where it has none. Raises `UserError` for what is no finite number."""
    value = row.fields.get("confidence")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise UserError(f"{row.location}: confidence must be a finite number, got {value!r}; leave it out, or give one")
    return float(value)
