"""Score a benchmark's own files of predictions as runs are scored."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.files import output_folder
from pipelines import tasks
from pipelines.engine.planning.argument_types import MetricsSpec, ReaderSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.metrics.abstention import NAME as ABSTENTION
from pipelines.metrics.abstention import Abstention
from pipelines.metrics.labels import NAME, Labels
from pipelines.plugins.judging.judge_run import judge_for
from pipelines.plugins.judging.judged_predictions import judged, overall_scores
from pipelines.plugins.scoring import _joined_data
from pipelines.plugins.scoring import prediction_files as files
from pipelines.plugins.scoring._prediction_scorer import PredictionScorer, by_document
from pipelines.plugins.scoring._prediction_scores import PredictionScores, PredictionTable
from pipelines.plugins.scoring.predictions import GivenPrediction, PredictionFile
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
    chosen_judge = judge_for(chosen_task, judge, judge_prompts_from)
    if chosen_judge is None and out is not None:
        raise UserError("out= is the folder for a judge's verdicts: give judge=MODEL too, or leave it out")
    file = files.read(chosen_task, path)
    all_metrics = _metrics(chosen_task, metrics, file)
    scorer = PredictionScorer.of(all_metrics)
    predictions, unanswered = list[Prediction](), list[Prediction]()
    reasons, titles = dict[str, str](), dict[str, str]()
    for prediction in _with_data(file, chosen_task, path, data, split, all_metrics):
        (unanswered if prediction.prediction is None else predictions).append(scorer.scored(prediction))
        if prediction.prediction is None:
            reasons[prediction.example.id] = prediction.refused
        titles[prediction.example.document.id] = prediction.example.document.title
    file.warnings += reference_counts.notes(predictions) + SuspiciousOutputs.from_predictions(predictions).messages()
    record, judging = scorer.scores(predictions, unanswered), dict[str, Any]()
    if chosen_judge is not None:
        folder = output_folder(_judged_folder(path) if out is None else out)
        judge_scores, judging, verdicts = judged(chosen_judge, predictions, scorer.answered_scorer.metrics, folder)
        record, predictions = {part: record[part] | judge_scores.get(part, {}) for part in record}, list(verdicts)
        files.write_verdicts(chosen_task, predictions, unanswered, folder)
    return PredictionScores(
        task=chosen_task.name,
        system=file.system,
        scores=Scores.of(record),
        predictions=tuple(predictions),
        unanswered=tuple(unanswered),
        reasons=reasons,
        expected=file.expected,
        warnings=tuple(file.warnings),
        all_scores=scorer.all_scores(predictions, unanswered) | overall_scores(predictions, len(unanswered)),
        by_document=by_document(scorer, predictions, unanswered, titles),
        judging=judging,
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
    systems = [system for path in paths for system in files.systems(chosen_task, path)]
    arguments: dict[str, Any] = {"data": data, "split": split, "metrics": metrics}
    arguments |= {"judge": judge, "judge_prompts_from": judge_prompts_from}
    scored = [score_predictions(chosen_task, system, **arguments) for system in systems]
    names = distinct_names([scores.system for scores in scored], [files.place(system)[0] for system in systems])
    return PredictionTable(
        chosen_task.name, tuple(replace(scores, system=name) for scores, name in zip(scored, names, strict=True))
    )


def distinct_names(names: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The systems' names; a name of several is replaced by the parts in which their files' paths differ, if any do."""
    namesakes: dict[str, list[Path]] = {}
    for name, path in zip(names, paths, strict=True):
        namesakes.setdefault(name, []).append(path)
    return [_distinct_name(name, path, namesakes[name]) for name, path in zip(names, paths, strict=True)]


def _distinct_name(name: str, path: Path, paths: Sequence[Path]) -> str:
    """The parts of a path in which the paths differ; the name where they do not."""
    all_parts = [path.with_suffix("").parts for path in paths]
    first = _first_difference(all_parts)
    if first is None:
        return name
    last = _first_difference([parts[::-1] for parts in all_parts]) or 0
    parts = path.with_suffix("").parts
    return "/".join(parts[first : max(first + 1, len(parts) - last)])


def _first_difference(sequences: Sequence[Sequence[str]]) -> int | None:
    """The first position at which sequences differ; None where they do not."""
    columns = enumerate(zip(*sequences, strict=False))
    return next((position for position, column in columns if len(set(column)) > 1), None)


def _with_data(
    prediction_file: PredictionFile,
    task: tasks.Task,
    path: str | Path,
    data: Any,
    split: str | None,
    metrics: dict[str, Any],
) -> Iterable[GivenPrediction]:
    """The predictions with labels from the data, or from their file. Raises `UserError` where neither has labels."""
    if data is not None:
        source = None if isinstance(data, str) and data == "published" else data
        return _joined_data.joined(prediction_file, task, source, split or task.split, metrics)
    if split is not None:
        raise UserError(f"split={split!r} needs the benchmark's data: give data=PATH too")
    if not any(prediction.example.references for prediction in prediction_file.given):
        problem = f"{path} has no labels: give the benchmark's data, --data PATH (or --data published)"
        raise UserError("; ".join([*prediction_file.warnings, problem]))
    return prediction_file.given


def _metrics(task: tasks.Task, metrics: MetricsSpec | None, file: PredictionFile) -> dict[str, Any]:
    """The task's metrics or the chosen ones, with those of the labels and confidences in the file.

    Chosen metrics leave these out unless they name them: `labels` and `abstention`. Raises `UserError` where only some
    predictions have a confidence.
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
    """The metrics with an `abstention` that knows the confidences of the file's predictions, if it has any."""
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
    """The default folder for a judge's verdicts on a file's predictions, or on those of one system."""
    file, system = files.place(path)
    return file.with_name(".".join(filter(None, (file.name, system, "judged"))))
