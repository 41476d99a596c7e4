"""Score a benchmark's own files of predictions, as a run of ours is scored."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.folders import output_folder
from pipelines import tasks
from pipelines.engine.planning.argument_types import MetricsSpec, ReaderSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.evaluation import _joined_data
from pipelines.evaluation import predictions as files
from pipelines.evaluation._prediction_scorer import PredictionScorer, by_document
from pipelines.evaluation._prediction_scores import PredictionScores, PredictionTable
from pipelines.evaluation.judging.judge_run import judge_for
from pipelines.evaluation.judging.judged_predictions import judged, overall_scores
from pipelines.evaluation.predictions import GivenPrediction, PredictionFile
from pipelines.metrics.abstention import NAME as ABSTENTION
from pipelines.metrics.abstention import Abstention
from pipelines.metrics.labels import NAME, Labels
from pipelines.records import Prediction
from pipelines.results import reference_counts
from pipelines.results.scores import Scores
from pipelines.results.suspicious_outputs import SuspiciousOutputs


@checks_names
def score_predictions(
    task: str | tasks.Task,
    path: str | Path,
    *,
    data: Any = None,
    split: str | None = None,
    metrics: MetricsSpec | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
    out: str | Path | None = None,
) -> PredictionScores:
    """Score a file of predictions in a benchmark's own layout by all metrics of its task, or by others.

    `path` is the file, or `FILE::SYSTEM` where it has those of several systems. With `data`, the benchmark's data or
    "published", predictions are joined to their examples by id: the labels are the data's, examples without a
    prediction are counted, intervals are by document. `judge` is a reader that is asked of each prediction whether it
    is right, `judge_prompts_from` the file with its prompt, and `out` the folder for what it says, by default
    FILE.judged. Raises `UserError`.
    """
    chosen_task = tasks.get(task)
    asked_judge = judge_for(chosen_task, judge, judge_prompts_from)
    if asked_judge is None and out is not None:
        raise UserError("out= is the folder for what a judge says: give judge=MODEL too, or leave it out")
    file = files.read(chosen_task, path)
    used_metrics = _metrics(chosen_task, metrics, file)
    scorer = PredictionScorer.of(used_metrics)
    predictions, unanswered, refused_values, titles = (
        list[Prediction](),
        list[Prediction](),
        Counter[str](),
        dict[str, str](),
    )
    for prediction in _with_data(file, chosen_task, path, data, split, used_metrics):
        (unanswered if prediction.prediction is None else predictions).append(scorer.scored(prediction))
        refused_values.update([prediction.refused] if prediction.prediction is None else [])
        titles[prediction.example.document.id] = prediction.example.document.title
    file.warnings += reference_counts.notes(predictions) + SuspiciousOutputs.from_predictions(predictions).messages()
    record, said_fields = scorer.scores(predictions, unanswered), dict[str, Any]()
    if asked_judge is not None:
        folder = output_folder(_judged_folder(path) if out is None else out)
        judge_values, said_fields, verdicts = judged(asked_judge, predictions, scorer.answered_scorer.metrics, folder)
        record, predictions = {part: record[part] | judge_values.get(part, {}) for part in record}, list(verdicts)
        files.write_verdicts(chosen_task, predictions, unanswered, folder)
    return PredictionScores(
        task=chosen_task.name,
        system=file.system,
        scores=Scores.of(record),
        predictions=tuple(predictions),
        unanswered=tuple(unanswered),
        refused=dict(refused_values),
        expected=file.expected,
        warnings=tuple(file.warnings),
        all_scores=scorer.all_scores(predictions, unanswered) | overall_scores(predictions, len(unanswered)),
        by_document=by_document(scorer, predictions, unanswered, titles),
        judging=said_fields,
        length=file.length,
    )


@checks_names
def score_prediction_files(
    task: str | tasks.Task,
    paths: Sequence[str | Path],
    *,
    data: Any = None,
    split: str | None = None,
    metrics: MetricsSpec | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
) -> PredictionTable:
    """Score several files of predictions, or all systems that a file holds, by the metrics of one task.

    See `score_predictions`. Raises `UserError`.
    """
    chosen_task = tasks.get(task)
    scores = [text for path in paths for text in files.systems(chosen_task, path)]
    given_fields: dict[str, Any] = {"data": data, "split": split, "metrics": metrics}
    given_fields |= {"judge": judge, "judge_prompts_from": judge_prompts_from}
    scored = [score_predictions(chosen_task, text, **given_fields) for text in scores]
    names = distinct_names([scores.system for scores in scored], [files.place(scores)[0] for scores in scores])
    return PredictionTable(
        chosen_task.name, tuple(replace(scores, system=name) for scores, name in zip(scored, names, strict=True))
    )


def distinct_names(names: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The systems' names; in place of one that several have, what differs in the paths of their files, if that does."""
    return [_apart_text(name, path, [p for n, p in zip(names, paths, strict=True) if n == name])
            for name, path in zip(names, paths, strict=True)]  # fmt: skip


def _apart_text(name: str, path: Path, alike_entries: Sequence[Path]) -> str:
    parts = [path.with_suffix("").parts for path in alike_entries]
    first = next((n for n, parts_at in enumerate(zip(*parts, strict=False)) if len(set(parts_at)) > 1), None)
    if first is None:
        return name
    reverse = zip(*(part[::-1] for part in parts), strict=False)
    last = next((n for n, parts_at in enumerate(reverse) if len(set(parts_at)) > 1), 0)
    own_names = path.with_suffix("").parts
    return "/".join(own_names[first : max(first + 1, len(own_names) - last)])


def _with_data(
    prediction_file: PredictionFile,
    task: tasks.Task,
    path: str | Path,
    data: Any,
    split: str | None,
    metrics: dict[str, Any],
) -> Iterable[GivenPrediction]:
    """The predictions with the labels of the data, or with those of their file. Raises `UserError` without either."""
    if data is not None:
        published = isinstance(data, str) and data == "published"
        source = None if published else data
        return _joined_data.joined(prediction_file, task, source, split or task.split, metrics)
    if split is not None:
        raise UserError(f"split={split!r} is one of the benchmark's data: give data=PATH too")
    if not any(prediction.example.references for prediction in prediction_file.given):
        problem = f"{path} has no labels: give the benchmark's data, --data PATH (or --data published)"
        raise UserError("; ".join([*prediction_file.warnings, problem]))
    return prediction_file.given


def _metrics(task: tasks.Task, metrics: MetricsSpec | None, file: PredictionFile) -> dict[str, Any]:
    """The task's metrics or others; with what the file has, where no others are given or they are of it.

    That is its labels, and its confidences, which `abstention` scores. Raises `UserError` where only some predictions
    have a confidence.
    """
    chosen_metrics = dict(run_metrics(metrics or task.metrics, task.metrics))
    if file.empty_refuses:
        chosen_metrics = {name: metric.of_file() for name, metric in chosen_metrics.items()}
    chosen_metrics = _with_confidences(chosen_metrics, file, metrics is None)
    labels = {prediction.example.id: prediction.label for prediction in file.given}
    if any(labels.values()) and (metrics is None or NAME in chosen_metrics):
        return {NAME: Labels()} | chosen_metrics | {NAME: Labels(file.has_refusals).with_labels(labels)}
    return chosen_metrics


def _with_confidences(metrics: dict[str, Any], file: PredictionFile, is_default: bool) -> dict[str, Any]:
    """The metrics with `abstention` that knows the confidences of the file's predictions, where there are any."""
    answers = [prediction for prediction in file.given if prediction.prediction is not None]
    confidences = {
        prediction.example.id: prediction.confidence for prediction in answers if prediction.confidence is not None
    }
    names = [name for name, metric in metrics.items() if isinstance(metric, Abstention)]
    if not confidences or not (names or is_default):
        return metrics
    if len(confidences) < len(answers):
        raise UserError(
            f"{len(confidences):,} of {len(answers):,} predictions have a confidence: give every answer one, or leave "
            "the field out"
        )
    if not names:
        metrics = metrics | {ABSTENTION: Abstention(empty="refusal" if file.empty_refuses else "wrong")}
    return metrics | {name: metrics[name].with_confidences(confidences) for name in names or [ABSTENTION]}


def _judged_folder(path: str | Path) -> Path:
    """The folder for what a judge says of a file's predictions, or of those of one system."""
    file, system = files.place(path)
    return file.with_name(".".join(filter(None, (file.name, system, "judged"))))
