"""Judge the predictions of a finished run, and add the verdicts to its scores."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.recording.run_folder import locked
from pipelines.engine.replay.rescore import rescore
from pipelines.metrics.judged import NAME
from pipelines.metrics.labels import CORRECT, SCORES
from pipelines.plugins.judging.judge import Judge, Judgements
from pipelines.records import Prediction
from pipelines.results import judge_record
from pipelines.results.example_scores import ExampleScores
from pipelines.results.run_folders.run import finished_run
from pipelines.tasks import Judging


def judge_for(task: Any, spec: ReaderSpec | None, prompts_from: str | Path | None) -> Judge | None:
    """The judge for a task; None without a `spec`. Raises `UserError` for a prompt without a judge."""
    if spec is None:
        if prompts_from is not None:
            raise UserError("judge_prompts_from= is the prompt of a judge: give judge=MODEL too")
        return None
    return Judge.of(spec, task.judging if isinstance(task, tasks.Task) else Judging(), prompts_from)


def judge_run(folder: Path, judge: Judge) -> dict[str, Any]:
    """Judge a finished run; return its new `scores.json` and the number of new requests. Raises `UserError`.

    That number is not in the file, which is the same however often the judging was interrupted. An earlier judge's
    scores are replaced; its log stays.
    """
    run = finished_run(folder)
    lock = locked(folder)
    try:
        judgements = judge.judge(run.predictions, folder)
    finally:
        lock.release()
    record = judgements.record(agreement(judgements, run.predictions, run.example_scores))
    scored = rescore(folder, judged=judgements.metric, judging_fields=record)
    return scored | {"judging": scored["judging"] | {"new_requests": judgements.new_requests}}


def agreement(judgements: Judgements, predictions: Sequence[Prediction], scores: ExampleScores) -> dict[str, Any]:
    """The agreement of the verdicts with each score that single examples have, by the score's name."""
    verdicts = [judgements.verdicts.get(prediction.id) for prediction in predictions]
    names = {
        name
        for prediction in predictions
        for metric, row in prediction.statistics.items()
        if metric != NAME
        for name in row
    }
    names -= set(SCORES) - {CORRECT}  # of the labels' scores, only "correct" is compared with a judge's "right"
    return {name: judge_record.agreement(verdicts, values) for name, values in scores.items() if name in names}
