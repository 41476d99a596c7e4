"""FinanceBench's files of results, labelled by hand: `{financebench_id, model_name, eval_mode, question, gold_answer,
model_answer, label}` (Islam et al. 2023), `results/MODEL_MODE.jsonl`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipelines.metrics.labels import Label
from pipelines.plugins.scoring import predictions
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
from pipelines.records import Document, Example
from pipelines.sources.tables import Row
from pipelines.sources.warnings import Warnings
from pipelines.tasks import Task

FIELDS = ("financebench_id", "model_name", "eval_mode", "question", "gold_answer", "model_answer", "label")
ACCEPTS = f"FinanceBench's results ({', '.join(FIELDS)})"
LABELS: Mapping[str, Label] = {
    "Correct Answer": "correct", "Incorrect Answer": "incorrect", "Refusal": "refused",
}  # fmt: skip


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is FinanceBench's."""
    return fields.keys() >= set(FIELDS)


def read(rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
    """One prediction a row, with its label; the files do not say which filing it is about."""
    file = PredictionFile([], path.stem, task.dataset.counts.get(task.split), has_refusals=True)
    warnings = Warnings(file.warnings)
    systems = dict[str, None]()
    for row in rows:
        file.given.append(_prediction_of(row, warnings))
        systems[f"{row.string('model_name')} {row.string('eval_mode')}"] = None
    warnings.close()
    if len(systems) == 1:
        (file.system,) = systems
    return file


def _prediction_of(row: Row, warnings: Warnings) -> GivenPrediction:
    fields = row.fields
    if not recognizes(fields):
        raise row.refusal(f"expected {ACCEPTS}")
    example = Example(
        id=row.string("financebench_id"),
        document=Document("", ""),
        query=row.string("question"),
        references=row.strings("gold_answer"),
    )
    text, refusal = predictions.output(fields["model_answer"], row.location, "model_answer")
    label = predictions.label_of(row.string("label"), LABELS, row.location, warnings)
    return GivenPrediction(example, text, refusal, label)
