"""Search for the learning rate: each one trains a reader, and the best on the validation examples is kept."""

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.training import Recipe, TrainingJob
from pipelines.training.shared import ranks

DONE = "metrics.json"


def train(recipe: Recipe, job: TrainingJob) -> Mapping[str, Any]:
    """Train by a recipe, with each of its `learning_rates` if it has any. Returns the metrics of the reader that is
    kept.

    Every rate has a folder among the checkpoints, so that an interrupted search continues. Raises `UserError`
    without validation examples.
    """
    if not recipe.learning_rates:
        return recipe(job)
    if not job.validation:
        raise UserError("learning_rates are compared on validation examples, and there are none: give learning_rate")
    tried_values: dict[float, float] = {}
    kept_values: tuple[float, Mapping[str, Any]] | None = None
    for rate in recipe.learning_rates:
        place = job.checkpoints / f"{rate:g}"
        metrics = _one_values(recipe, job, rate, place)
        tried_values[rate] = validated(metrics)[1]
        path = place
        if kept_values is None or _cost(metrics) < _cost(kept_values[1]):
            path = place if kept_values is None else job.checkpoints / f"{kept_values[0]:g}"
            kept_values = rate, metrics
        if path.name != f"{kept_values[0]:g}":
            ranks.once_per_group(shutil.rmtree, path / "reader", ignore_errors=True)
    assert kept_values is not None
    best, metrics = kept_values
    ranks.once_per_group(shutil.copytree, job.checkpoints / f"{best:g}" / "reader", job.out, dirs_exist_ok=True)
    return {**metrics, "learning rate": best, "tried": {f"{rate:g}": value for rate, value in tried_values.items()}}


def validated(metrics: Mapping[str, Any]) -> tuple[str, float]:
    """The name and the value of the metric by which trainings are compared; lower is better of a loss."""
    known_fields = {name: value for name, value in metrics.items() if name.startswith(("best ", "last "))}
    known_fields.pop("best step", None)
    ((name, value),) = known_fields.items()
    return name, float(value)


def _cost(metrics: Mapping[str, Any]) -> float:
    """Lower is better; a diverged training (NaN) is the worst."""
    name, value = validated(metrics)
    if math.isnan(value):
        return math.inf
    return value if name.endswith("loss") else -value


def _one_values(recipe: Recipe, job: TrainingJob, rate: float, place: Path) -> Mapping[str, Any]:
    if (place / DONE).is_file():
        return _saved_metrics(place)
    job.report(f"learning rate {rate:g}")
    training_job = replace(job, out=place / "reader", checkpoints=place / "checkpoints")
    metrics = dict(replace(recipe, learning_rate=rate, learning_rates=())(training_job))  # type: ignore[type-var]
    ranks.once_per_group(_finish, place, metrics)
    return metrics


def _saved_metrics(place: Path) -> dict[str, Any]:
    """The metrics of a rate that was tried earlier. Raises `UserError` for a damaged file."""
    try:
        metrics = plain_json.loads((place / DONE).read_bytes())
        record_checks.check(metrics, {})
        validated(metrics)
    except (ValueError, TypeError, OverflowError) as error:
        problem = f"{place / DONE} is damaged ({error})"
        raise UserError(f"{problem}: delete {place}, and start the same training again") from None
    return dict(metrics)


def _finish(place: Path, metrics: Mapping[str, Any]) -> None:
    write_whole(place, DONE, json.dumps(metrics))
    shutil.rmtree(place / "checkpoints", ignore_errors=True)
