"""Predictions in a file that a judge calls right or wrong, and what is kept of it in a folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import locks
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import make_folder
from pipelines.engine.running.scoring import Scorer
from pipelines.evaluation.judging.judge import Judge
from pipelines.evaluation.judging.judge_run import agreement
from pipelines.metrics.judged import NAME, Judged, row
from pipelines.records import Prediction
from pipelines.results.example_scores import by_metric


def judged(
    judge: Judge, predictions: Sequence[Prediction], metrics: Mapping[str, Any], folder: Path
) -> tuple[dict[str, Any], dict[str, Any], tuple[Prediction, ...]]:
    """The scores with those of the judge, what it said and took, and the predictions with its verdicts."""
    make_folder(folder)
    if (lock := locks.locked(folder)) is None:
        raise UserError(f"another process judges into {folder}; wait for it, or choose another folder with out=")
    try:
        verdicts = judge.judge(predictions, folder)
    finally:
        lock.release()
    rows = verdicts.metric.verdicts
    judged = tuple(
        replace(prediction, statistics={**prediction.statistics, NAME: rows[prediction.id]})
        if prediction.id in rows
        else prediction
        for prediction in predictions
    )
    scorer = Scorer({**metrics, NAME: verdicts.metric})
    record = scorer.scores(judged)
    scores = {
        name: values
        for found_values in by_metric(scorer.ready, judged, record["scores"])
        for name, values in found_values.items()
    }
    said_fields = verdicts.record(agreement(verdicts, judged, scores))
    kept_fields = {name: record[name] for name in ("scores", "signatures", "intervals", "not_computed")} | {
        "judging": said_fields
    }
    write_whole(folder, "scores.json", json.dumps(kept_fields, indent=2, ensure_ascii=False) + "\n")
    return record, said_fields, judged


def overall_scores(judged: Sequence[Prediction], unanswered: int) -> dict[str, float]:
    """The scores with answers that were not given as wrong ones; none where all were given, or some not judged."""
    rows = [prediction.statistics[NAME] for prediction in judged if NAME in prediction.statistics]
    if not unanswered or not rows or len(rows) < len([prediction for prediction in judged if prediction.references]):
        return {}
    return Judged().aggregate([*rows, *[row(False)] * unanswered])
