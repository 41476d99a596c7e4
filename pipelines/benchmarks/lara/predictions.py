"""LaRA's files of predictions (Li et al. 2025): `{type, level, file, question, prediction, ground_truth}` a row.

Their names are `full_preds_MODEL_LENGTH_TYPE_LEVEL.jsonl`, "rag" for retrieval, in a folder for each model; without
`preds_MODEL` the model is the folder's name. Where its code got no answer of a model, `prediction` is false.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.benchmarks.lara.layouts.lara import Ids, check_task
from pipelines.benchmarks.lara.tasks import COUNTS
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.tasks import Task

ACCEPTS = "LaRA's predictions (type, level, file, question, prediction, ground_truth)"
FIELDS = {"level", "file", "question", "prediction", "ground_truth"}

_NAME = re.compile(r"(?P<way>full|rag)(?:_preds_(?P<model>.+))?_(?P<length>\d+k)_(?P<type>[a-z]+)_(?P<level>[a-z]+)")


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LaRA's."""
    return fields.keys() >= FIELDS


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row. The document is the one that `file` names; its text is not in these files."""
    ids = Ids()
    folder = path.absolute().parent.name
    file = PredictionFile([_prediction_of(row, ids, task) for row in rows], f"{folder} {path.stem}")
    if match := _NAME.match(path.name):
        file.system = f"{match['model'] or folder} {match['way']}"
        file.expected = COUNTS.get((match["length"], match["type"], match["level"]))
        file.length = 1000 * int(match["length"].removesuffix("k"))
    return file


def _prediction_of(row: Row, ids: Ids, task: Task) -> GivenPrediction:
    fields = row.fields
    if not recognizes(fields):
        raise row.refusal(f"expected {ACCEPTS}")
    check_task(row, task.name)
    example = Example(
        id=ids.id_of(row),
        document=Document(row.string("file"), ""),
        query=row.string("question"),
        references=row.strings("ground_truth"),
    )
    if fields["prediction"] is False:
        return GivenPrediction(example, None, "no answer")
    return GivenPrediction(example, *predictions.output(fields["prediction"], row.location, "prediction"))
