"""LongBench v2's files of predictions, `results/MODEL.jsonl`: the rows of its data with `response`, `pred` and `judge`,
and the first 1,000 characters of `context` (Bai et al. 2025).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.messages import counted
from pipelines.benchmarks.longbench_v2.layouts.longbench_v2 import meta_fields, right_letter
from pipelines.benchmarks.longbench_v2.metrics.longbench_v2 import answer
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources import parsing
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

    The response is scored, not `judge`: where the two differ, a warning says so. Raises `UserError` for other rows.
    """
    file = PredictionFile([], path.stem, task.dataset.counts.get(task.split))
    differing_ids = []
    for row in rows:
        prediction = _prediction_of(row)
        file.given.append(prediction)
        if bool(row.fields["judge"]) != (answer(str(prediction.prediction)) in prediction.example.references):
            differing_ids.append(prediction.example.id)
    if differing_ids:
        file.warnings.append(
            f"{counted(len(differing_ids), 'row')}, {differing_ids[0]} first, where judge is not what "
            "the response and the answer say: the response is scored, which is not what result.py prints"
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
        raise row.refusal(f"expected {ACCEPTS}")
    name = row.string("_id")
    begin = row.string("context")
    document = Document(parsing.identity(begin) if begin else name, "")
    example = Example(name, document, references=(right_letter(row),), meta=meta_fields(row))
    return GivenPrediction(example, *predictions.output(fields["response"], row.location, "response"))


def _missing(file_predictions: Sequence[GivenPrediction], count: int) -> list[GivenPrediction]:
    """The `count` questions that a file lacks, of which only the number in each group is known."""
    metas: list[dict[str, str]] = [{} for _ in range(max(0, count))]
    for field, totals in COUNTS.items():
        present = Counter(prediction.example.meta.get(field) for prediction in file_predictions)
        missing = [group for group, total in totals.items() for _ in range(total - present[group])]
        for meta, group in zip(metas, missing, strict=False):
            meta[field] = group
    names = [f"{MISSING} {number}" for number in range(1, len(metas) + 1)]
    return [
        GivenPrediction(Example(name, Document(name, ""), references=("A",), meta=meta), None, MISSING)
        for name, meta in zip(names, metas, strict=True)
    ]
