"""Judge the predictions of a finished run, and add the verdicts to its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.recording.run_folder import locked
from pipelines.engine.replay.rescore import rescore
from pipelines.evaluation.judging.judge import Judge, Judgements
from pipelines.metrics.judged import NAME
from pipelines.metrics.labels import CORRECT, SCORES
from pipelines.records import Prediction
from pipelines.results import judge_record
from pipelines.results.example_scores import ExampleScores
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run, run_record
from pipelines.results.scores import Scores
from pipelines.tasks import Judging


def judge_for(task: Any, spec: ReaderSpec | None, prompts_from: str | Path | None) -> Judge | None:
    """The judge for a task; None where none is given. Raises `UserError` for a prompt without a judge."""
    if spec is None:
        if prompts_from is not None:
            raise UserError("judge_prompts_from= is the prompt of a judge: give judge=MODEL too")
        return None
    return Judge.of(spec, task.judging if isinstance(task, tasks.Task) else Judging(), prompts_from)


def task_of(folder: str | Path) -> tasks.Task | None:
    """The task of a run's folder; None for one that this version does not know."""
    return tasks.all_tasks().get(run_record(Path(folder))["spec"]["task"])


def judge_run(folder: Path, judge: Judge) -> dict[str, Any]:
    """Judge a finished run; the content of its new `scores.json`, with the requests of this call. Raises `UserError`.

    The file leaves these out: it is the same however often the judging was broken off. An earlier judge's scores are
    replaced; its log stays.
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
    """How the verdicts agree with each score that single examples have, by its name."""
    verdicts = [judgements.verdicts.get(prediction.id) for prediction in predictions]
    rows_names = {
        name
        for prediction in predictions
        for metric, row in prediction.statistics.items()
        if metric != NAME
        for name in row
    }
    rows_names -= set(SCORES) - {CORRECT}  # of labels, a judge's "right" stands beside "correct" alone
    return {name: judge_record.agreement(verdicts, values) for name, values in scores.items() if name in rows_names}


def with_verdicts(result: Result, scored: Mapping[str, Any]) -> Result:
    """The result of a run with the scores that it has since it was judged."""
    return replace(
        result,
        scores=Scores.of(scored),
        judging=scored["judging"],
    )
