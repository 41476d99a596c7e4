"""Judge the predictions of a file, and keep the judge's scores in a folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc import files
from longdoc.errors import UserError
from longdoc.files import make_folder, write_whole
from pipelines.engine.running.scoring import Scorer
from pipelines.metrics.judged import NAME, Judged, row
from pipelines.plugins.judging.judge import Judge
from pipelines.plugins.judging.judge_run import agreement
from pipelines.records import Prediction
from pipelines.results.example_scores import by_metric


def judged(
    judge: Judge, predictions: Sequence[Prediction], metrics: Mapping[str, Any], folder: Path
) -> tuple[dict[str, Any], dict[str, Any], tuple[Prediction, ...]]:
    """The scores with those of the judge, the record of the judging, and the predictions with their verdicts."""
    make_folder(folder)
    if (lock := files.locked(folder)) is None:
        raise UserError(f"another process is judging into {folder}; wait for it, or choose another folder with out=")
    try:
        judgements = judge.judge(predictions, folder)
    finally:
        lock.release()
    rows = judgements.metric.verdicts
    judged_predictions = tuple(
        replace(prediction, statistics={**prediction.statistics, NAME: rows[prediction.id]})
        if prediction.id in rows
        else prediction
        for prediction in predictions
    )
    scorer = Scorer({**metrics, NAME: judgements.metric})
    record = scorer.scores(judged_predictions)
    scores = {
        name: values
        for metric_scores in by_metric(scorer.ready, judged_predictions, record["scores"])
        for name, values in metric_scores.items()
    }
    judging = judgements.record(agreement(judgements, judged_predictions, scores))
    content = {name: record[name] for name in ("scores", "signatures", "intervals", "not_computed")} | {
        "judging": judging
    }
    write_whole(folder, "scores.json", json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return record, judging, judged_predictions


def overall_scores(predictions: Sequence[Prediction], unanswered: int) -> dict[str, float]:
    """The judge's scores with unanswered examples as wrong; empty without any, or where some were not judged."""
    rows = [prediction.statistics[NAME] for prediction in predictions if NAME in prediction.statistics]
    if not unanswered or not rows or len(rows) < sum(bool(prediction.references) for prediction in predictions):
        return {}
    return Judged().aggregate([*rows, *[row(False)] * unanswered])
