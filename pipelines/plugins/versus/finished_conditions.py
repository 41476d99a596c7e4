"""Conditions from elsewhere: finished runs, and predictions in a benchmark's own files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import folder_of
from longdoc.errors import UserError
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.plugins.scoring import prediction_files as files
from pipelines.plugins.scoring._prediction_run import prediction_run
from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.results.run_folders.record import retriever_in_short
from pipelines.results.run_folders.run import Run, finished_run
from pipelines.results.run_folders.schema import Kind
from pipelines.tasks import Task

Labelled = Mapping[str, str | Path] | Sequence[str | Path]
WHOLE, CLOSED = "whole document", "closed book"
LABELS: Mapping[str, Kind] = {
    "whole": "whole", "full": "whole", WHOLE: "whole", "retrieval": "retrieval", "rag": "retrieval",
    "oracle": "oracle", "closed": "closed book", CLOSED: "closed book",
}  # fmt: skip


def results_of_runs(task: Task, sources: Labelled) -> list[ConditionResults]:
    """The conditions of finished runs in folders. Raises `UserError` for a run of another task."""
    results = []
    for label, path in _labelled(sources):
        run = finished_run(path)
        if run.task != task.name:
            raise UserError(f"the run in {path} is of {run.task}, not of {task.name}: leave it out")
        kind, line, amount = _condition_of(run)
        name = label or ", ".join(filter(None, (line or kind.replace("whole", WHOLE), amount)))
        results.append(ConditionResults(name, LABELS.get(label, kind), run, line, amount, Path(path)))
    return results


def results_of_predictions(
    task: Task, sources: Labelled, metrics: MetricsSpec | None, data: Any = None, split: str | None = None
) -> list[ConditionResults]:
    """The conditions of files of predictions, scored by the task's metrics. Raises `UserError`.

    A file of several systems without a label stands for all of them. With `data`, predictions are joined to its
    examples, whose labels and documents count.
    """
    results = []
    systems = [
        (label, system)
        for label, path in _labelled(sources)
        for system in ([path] if label else files.systems(task, path))
    ]
    for label, path in systems:
        run, scored = prediction_run(task, path, metrics, data, split if data is not None else None)
        run = replace(run, split=split or task.split, failures=scored.reasons)
        name = label or scored.system or Path(str(path)).stem
        kind = LABELS.get(label, "other")
        results.append(ConditionResults(name, kind, run, name, source=str(path), expected=scored.expected))
    return results


def _labelled(sources: Labelled) -> list[tuple[str, str | Path]]:
    """Pairs of label and path; the label may be empty."""
    sources = folder_of(sources)
    if isinstance(sources, Mapping):
        return [(label, folder_of(path)) for label, path in sources.items()]
    if isinstance(sources, (str, Path)):
        return [("", sources)]
    return [("", path) for path in sources]


def _condition_of(run: Run) -> tuple[Kind, str, str]:
    """The kind of condition of a run, its retriever, and how much that selected."""
    spec: Mapping[str, Any] = run.spec
    name = str(spec["retriever"].get("name", ""))
    if name == "nothing":
        return "closed book", "", ""
    if name == "all":
        return "whole", "", ""
    amount = spec["budget"] or (f"k={spec['k']}" if spec["k"] else "")
    return ("oracle" if name == "oracle" else "retrieval"), retriever_in_short(spec["retriever"]), amount
