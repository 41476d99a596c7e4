"""Ways that were not asked here: finished runs, and predictions in a benchmark's own files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import folder_of
from longdoc.errors import UserError
from pipelines.display.selections import typed
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.evaluation import predictions as files
from pipelines.evaluation._prediction_run import prediction_run
from pipelines.results.conditions.coverage import ConditionResults
from pipelines.results.run_folders.record import retriever_in_short
from pipelines.results.run_folders.run import Run, finished_run
from pipelines.results.run_folders.schema import Kind
from pipelines.tasks import Task

Labelled = Mapping[str, str | Path] | Sequence[str | Path]
MISSING = "missing from the file"
WHOLE_TEXT, CLOSED = "whole document", "closed book"
LABELS: Mapping[str, Kind] = {
    "whole": "whole", "full": "whole", WHOLE_TEXT: "whole", "retrieval": "retrieval", "rag": "retrieval",
    "oracle": "oracle", "closed": "closed book", CLOSED: "closed book",
}  # fmt: skip


def runs_given(task: Task, given_values: Labelled) -> list[ConditionResults]:
    """Finished runs by their folders. Raises `UserError` for one of another task."""
    entries = []
    for label, path in _labelled(given_values):
        run = finished_run(path)
        if run.task != task.name:
            raise UserError(f"the run in {path} is of {run.task}, not of {task.name}: leave it out")
        kind, line, amount = _settings(run)
        name = label or ", ".join(filter(None, (line or kind.replace("whole", WHOLE_TEXT), amount)))
        entries.append(ConditionResults(name, LABELS.get(label, kind), run, line, amount, Path(path)))
    return entries


def predictions_given(
    task: Task, given_values: Labelled, metrics: MetricsSpec | None, data: Any = None, split: str | None = None
) -> list[ConditionResults]:
    """Systems by their files of predictions, scored by the task's metrics. Raises `UserError`.

    A file that has several systems, given without a label, stands for all of them. With `data` predictions are joined
    to the examples, whose labels and documents count.
    """
    entries = []
    systems = [
        (label, one_path)
        for label, path in _labelled(given_values)
        for one_path in ([path] if label else files.systems(task, path))
    ]
    for label, path in systems:
        run, scored = prediction_run(task, path, metrics, data, split if data is not None else None)
        reasons = {prediction.example.id: prediction.refused for prediction in files.read(task, path).given}
        refused_values = {prediction.id: reasons.get(prediction.id, MISSING) for prediction in scored.unanswered}
        run = replace(run, split=split or task.split, failures=refused_values)
        name = label or scored.system or Path(str(path)).stem
        kind = LABELS.get(label, "other")
        entries.append(ConditionResults(name, kind, run, name, source=str(path), expected=scored.expected))
    return entries


def _labelled(given_values: Labelled) -> list[tuple[str, str | Path]]:
    """Pairs of label and path; the label is empty where none is given."""
    given_values = folder_of(given_values)
    if isinstance(given_values, Mapping):
        return [(label, folder_of(path)) for label, path in given_values.items()]
    if isinstance(given_values, (str, Path)):
        return [("", given_values)]
    return [("", path) for path in given_values]


def _settings(run: Run) -> tuple[Kind, str, str]:
    """How a run read its documents: the kind of way, its retriever, and how much that selected."""
    spec: Mapping[str, Any] = run.spec
    name = str(spec["retriever"].get("name", ""))
    if name == "nothing":
        return "closed book", "", ""
    if name == "all":
        return "whole", "", ""
    amounts = {value: spec.get(value) for value in ("k", "budget", "select")}
    amount = next((f"{text}={_amount(value)}" for text, value in amounts.items() if value is not None), "")
    return ("oracle" if name == "oracle" else "retrieval"), retriever_in_short(spec["retriever"]), amount


def _amount(value: Any) -> str:
    """A budget as typed: `300`, "300 tokens"."""
    if not isinstance(value, Mapping):
        return str(value)
    return typed(value).removesuffix(" words")
