"""A system's file of predictions, scored, as a finished run that can be compared with other runs."""

from pathlib import Path
from typing import Any

from longdoc.registry import describe
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.plugins.scoring._prediction_scores import PredictionScores
from pipelines.plugins.scoring.score_predictions import score_predictions
from pipelines.results.run_folders.run import Run
from pipelines.tasks import Task


def prediction_run(
    task: Task,
    path: str | Path,
    metrics: MetricsSpec | None = None,
    data: Any = None,
    split: str | None = None,
) -> tuple[Run, PredictionScores]:
    """A file of predictions as a run without failures, and its scores. Raises `UserError`."""
    scored = score_predictions(task, path, metrics=metrics, data=data, split=split)
    named_metrics = run_metrics(metrics or task.metrics, task.metrics)
    rows = {name for prediction in scored.predictions for name in prediction.statistics}
    run = Run(
        folder=Path(str(path)),
        task=task.name,
        split=split or task.split,
        spec={},
        scores=scored.scores,
        loaded=scored.predictions,
        metrics={name: describe(metric) for name, metric in named_metrics.items() if name in rows},
    )
    return run, scored
