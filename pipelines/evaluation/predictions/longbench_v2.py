"""LongBench v2's files of predictions, `results/MODEL.jsonl`: the rows of its data with `response`, `pred` and `judge`,
and the first 1,000 characters of `context` (Bai et al. 2025).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.plurals import counted
from pipelines.evaluation import predictions
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile
from pipelines.metrics.longbench.longbench_v2 import answer
from pipelines.records import Document, Example
from pipelines.sources import parsing
from pipelines.sources.published.longbench_v2 import meta_fields, right_letter
from pipelines.sources.tables import Row
from pipelines.tasks import Task

FIELDS = ("_id", "difficulty", "length", "answer", "response", "pred", "judge")
ACCEPTS = f"LongBench v2's predictions ({', '.join(FIELDS)})"
MISSING = "missing"
COUNTS = {"difficulty": {"easy": 192, "hard": 311}, "length": {"short": 180, "medium": 215, "long": 108}}


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is LongBench v2's."""
    return fields.keys() >= set(FIELDS)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, the model's response; the questions that the file lacks follow without one.

    The response is scored, not `judge`: where the two differ, that is said. Raises `UserError` for other rows.
    """
    file = PredictionFile([], path.stem, task.dataset.counts.get(task.split))
    differing_names = []
    for row in rows:
        prediction = _prediction_of(row)
        file.given.append(prediction)
        if bool(row.fields["judge"]) != (answer(str(prediction.prediction)) in prediction.example.references):
            differing_names.append(prediction.example.id)
    if differing_names:
        file.warnings.append(
            f"{counted(len(differing_names), 'row')}, {differing_names[0]} first, where judge is not what "
            "the response and the "
            "answer say: the response is scored, which is not what result.py prints"
        )
    if file.expected is not None:
        missing = file.expected - len(file.given)
        file.given += _missing(file.given, missing)
        if missing < 0:
            file.warnings.append(
                f"{path.name} has {-missing:,} more questions than the {file.expected:,} of {task.name}"
            )
    return file


def _prediction_of(row: Row) -> GivenPrediction:
    fields = row.fields
    if not recognizes(fields):
        raise row.refusal(f"not {ACCEPTS}")
    name = row.string("_id")
    begin = row.string("context")
    document = Document(parsing.identity(begin) if begin else name, "")
    example = Example(name, document, references=(right_letter(row),), meta=meta_fields(row))
    return GivenPrediction(example, *predictions.output(fields["response"], row.location, "response"))


def _missing(given_predictions: Sequence[GivenPrediction], count: int) -> list[GivenPrediction]:
    """The questions that a file does not have: nothing is known of them but how many there are in each group."""
    lacking_entries: list[dict[str, str]] = [{} for _ in range(max(0, count))]
    for field, groups in COUNTS.items():
        having_values = Counter(prediction.example.meta.get(field) for prediction in given_predictions)
        left = [name for name, whole_count in groups.items() for _ in range(whole_count - having_values[name])]
        for meta, name in zip(lacking_entries, left, strict=False):
            meta[field] = name
    names = [f"{MISSING} {number}" for number in range(1, len(lacking_entries) + 1)]
    return [
        GivenPrediction(Example(name, Document(name, ""), references=("A",), meta=meta), None, MISSING)
        for name, meta in zip(names, lacking_entries, strict=True)
    ]
