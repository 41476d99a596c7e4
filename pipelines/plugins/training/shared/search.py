"""Search for the learning rate: each one trains a reader, and the best on the validation examples is kept."""

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import checked_json, plain_json
from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.plugins.training.recipe import Recipe, TrainingJob
from pipelines.plugins.training.shared import ranks

DONE = "metrics.json"  # the file that a finished rate has


def train(recipe: Recipe, job: TrainingJob) -> Mapping[str, Any]:
    """Train by a recipe, with each of its `learning_rates` if it has any. Returns the metrics of the best reader.

    Every rate has a folder among the checkpoints, so that an interrupted search continues. Raises `UserError`
    without validation examples.
    """
    if not recipe.learning_rates:
        return recipe(job)
    if not job.validation:
        raise UserError("learning_rates are compared on validation examples, and there are none: give learning_rate")
    values: dict[str, float] = {}
    best: tuple[float, Path, Mapping[str, Any]] | None = None
    for rate in recipe.learning_rates:
        folder = job.checkpoints / f"{rate:g}"
        metrics = _train_with_rate(recipe, job, rate, folder)
        values[folder.name] = validation_metric(metrics)[1]
        loser = folder
        if best is None or _cost(metrics) < _cost(best[2]):
            loser = folder if best is None else best[1]
            best = rate, folder, metrics
        if loser != best[1]:
            ranks.once_per_group(shutil.rmtree, loser / "reader", ignore_errors=True)
    assert best is not None  # there are learning rates
    best_rate, folder, metrics = best
    ranks.once_per_group(shutil.copytree, folder / "reader", job.out, dirs_exist_ok=True)
    return {**metrics, "learning rate": best_rate, "tried": values}


def validation_metric(metrics: Mapping[str, Any]) -> tuple[str, float]:
    """The name and the value of the metric by which trainings are compared; of a loss, lower is better."""
    ((name, value),) = (
        (name, value) for name, value in metrics.items() if name.startswith(("best ", "last ")) and name != "best step"
    )
    return name, float(value)


def _cost(metrics: Mapping[str, Any]) -> float:
    """What the best training has least of: the loss, or the metric below 0; infinite for a diverged training (NaN)."""
    name, value = validation_metric(metrics)
    if math.isnan(value):
        return math.inf
    return value if name.endswith("loss") else -value


def _train_with_rate(recipe: Recipe, job: TrainingJob, rate: float, folder: Path) -> Mapping[str, Any]:
    """Train with one rate in a folder of its own, unless that was done earlier. Returns metrics."""
    if (folder / DONE).is_file():
        return _saved_metrics(folder)
    job.report(f"learning rate {rate:g}")
    rate_job = replace(job, out=folder / "reader", checkpoints=folder / "checkpoints")
    metrics = dict(replace(recipe, learning_rate=rate, learning_rates=())(rate_job))  # type: ignore[type-var]
    ranks.once_per_group(_finish, folder, metrics)
    return metrics


def _saved_metrics(folder: Path) -> dict[str, Any]:
    """The metrics of a rate that was tried earlier. Raises `UserError` for a damaged file."""
    try:
        metrics = plain_json.loads((folder / DONE).read_bytes())
        checked_json.check(metrics, {})
        validation_metric(metrics)
    except (ValueError, TypeError, OverflowError) as error:
        problem = f"{folder / DONE} is damaged ({error})"
        raise UserError(f"{problem}: delete {folder}, and start the same training again") from None
    return dict(metrics)


def _finish(folder: Path, metrics: Mapping[str, Any]) -> None:
    """Write the metrics, and delete the checkpoints."""
    write_whole(folder, DONE, json.dumps(metrics))
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
