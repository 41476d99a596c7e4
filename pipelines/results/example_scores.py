"""Scores of single examples, for every score that is their mean; corpus BLEU, for instance, is not and has none.

The first of a run's scores that single examples have is the one by which examples are called right or wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum, isclose
from pathlib import Path
from typing import Any

from pipelines import metrics
from pipelines.records import Prediction

ExampleScores = dict[str, list[float | None]]


def example_scores(
    folder: Path, specs: Mapping[str, Any], predictions: Sequence[Prediction], scores: Mapping[str, float]
) -> ExampleScores:
    """The scores of single examples: name → value for each prediction, None if the score does not count it.

    `specs` are the metrics in the record of the run's `folder`, `scores` the run's. The score of a single class,
    `f1[LABEL]`, is never a mean over examples, even where all are zero.
    """
    means: ExampleScores = {}
    for values in by_metric(metrics.recorded(folder / "run.json", specs)[0], predictions, scores):
        means |= values
    return {name: means[name] for name in scores if name in means}


def leading_score(
    run_metrics: Mapping[str, metrics.Metric], predictions: Sequence[Prediction], scores: Mapping[str, float]
) -> tuple[str, list[float | None]]:
    """The first score that is a mean over examples, and its value for each prediction; "" if there is none.

    It is one that the rows of examples have: a score over the corpus that is 0 is the mean of zeros by chance.
    """
    statistic_names = {name for prediction in predictions for row in prediction.statistics.values() for name in row}
    for means in by_metric(run_metrics, predictions, scores):
        for name in scores:
            if name in means and name in statistic_names:
                return name, means[name]
    return "", [None] * len(predictions)


def by_metric(
    run_metrics: Mapping[str, metrics.Metric], predictions: Sequence[Prediction], scores: Mapping[str, float]
) -> Iterator[ExampleScores]:
    """The scores of single examples, a mapping for each metric that has any."""
    for name, metric in run_metrics.items():
        rows = [prediction.statistics.get(name) for prediction in predictions]
        if any(rows):
            yield _means(metric, rows, scores)


def _means(
    metric: metrics.Metric, rows: Sequence[Mapping[str, float] | None], scores: Mapping[str, float]
) -> ExampleScores:
    """The scores of single examples that average to the run's score."""
    row_scores = [metric.aggregate([row]) if row else {} for row in rows]
    means: ExampleScores = {}
    for name in dict.fromkeys(name for row_score in row_scores for name in row_score):
        values = [row_score.get(name) for row_score in row_scores]
        present_values = [value for value in values if value is not None]
        is_class_score = "[" in name
        if (
            present_values
            and not is_class_score
            and isclose(fsum(present_values) / len(present_values), scores.get(name, -1.0), abs_tol=1e-12)
        ):
            means[name] = values
    return means
