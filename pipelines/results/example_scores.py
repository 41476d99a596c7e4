"""Figures of single examples, where a score is the mean of these: BLEU of a corpus, say, is no mean and has none."""

from collections.abc import Mapping, Sequence
from math import fsum, isclose
from pathlib import Path
from typing import Any

from pipelines import metrics
from pipelines.records import Prediction

Figures = dict[str, list[float | None]]


def example_figures(
    folder: Path, specs: Mapping[str, Any], predictions: Sequence[Prediction], scores: Mapping[str, float]
) -> Figures:
    """By score, a figure for each prediction in order; None where it does not count for that score.

    `specs` are the metrics that the record in the run's `folder` names, `scores` the run's. A figure of a single class,
    `f1[LABEL]`, is never a mean of single examples, even where all are zero.
    """
    found: Figures = {}
    for name, metric in metrics.recorded(folder / "run.json", specs)[0].items():
        rows = [prediction.statistics.get(name) for prediction in predictions]
        if any(rows):
            found |= _means(metric, rows, scores)
    return {name: found[name] for name in scores if name in found}


def _means(metric: metrics.Metric, rows: Sequence[Mapping[str, float] | None], scores: Mapping[str, float]) -> Figures:
    alone = [metric.aggregate([row]) if row else {} for row in rows]
    found: Figures = {}
    for name in dict.fromkeys(name for figures in alone for name in figures):
        values = [figures.get(name) for figures in alone]
        counted = [value for value in values if value is not None]
        one_class = "[" in name
        if counted and not one_class and isclose(fsum(counted) / len(counted), scores.get(name, -1.0), abs_tol=1e-12):
            found[name] = values
    return found
