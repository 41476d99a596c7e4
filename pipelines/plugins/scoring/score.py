"""`score`, the command in Python: scores runs, files of predictions, or texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.api.rescoring import rescore
from pipelines.engine.planning.argument_types import DataSpec, MetricsSpec, ReaderSpec
from pipelines.plugins.scoring import prediction_files
from pipelines.plugins.scoring._prediction_scores import PredictionScores, PredictionTable
from pipelines.plugins.scoring.score_lists import score as score_texts
from pipelines.plugins.scoring.score_predictions import score_prediction_files, score_predictions
from pipelines.sources.own_data.outputs import read_outputs

File = str | Path
Texts = Sequence[str] | Mapping[str, str]


@overload
def score(
    task_or_metric: File,
    *,
    metrics: MetricsSpec | None = None,
    data: DataSpec | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: File | None = None,
    report: bool = True,
) -> dict[str, Any]: ...


@overload
def score(
    task_or_metric: str | tasks.Task,
    predictions: File | Sequence[File],
    *,
    metrics: MetricsSpec | None = None,
    data: DataSpec | None = None,
    split: str | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: File | None = None,
    out: File | None = None,
) -> PredictionScores | PredictionTable: ...


@overload
def score(task_or_metric: str, predictions: Texts | File, references: Any) -> dict[str, float]: ...


@checks_names
def score(
    task_or_metric: Any,
    predictions: Any = None,
    references: Any = None,
    *,
    metrics: MetricsSpec | None = None,
    data: DataSpec | None = None,
    split: str | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: File | None = None,
    out: File | None = None,
    report: bool = True,
) -> Any:
    """Score a run's folder again, files of predictions of any system, or texts; nothing is asked of a reader.

    - `score(RUN)`: a finished run's folder, as `rescore` does. `metrics` are further ones, `data` where the data are
      now, `report=False` writes no page. Its `scores.json` is returned.
    - `score(TASK, FILE)`, or a list of files: predictions in a benchmark's layout, or `id, prediction`, by the metrics
      of the task or by `metrics`; `FILE::SYSTEM` is one of several systems of a file. `data` and `split` are the data
      they are for, as in `score_predictions`, whose record is returned; for several systems the table of
      `score_prediction_files`.
    - `score(METRIC, PREDICTIONS, REFERENCES)`: lists of texts, mappings by id, or two files of these, by a metric or
      by all metrics of a task. Several references are a list. Scores by name are returned.
    - `judge`: of a run or of files, a reader that says which predictions are right; `judge_prompts_from` the file with
      its prompt, `out` the folder for what it says of a file of predictions.

    Raises `UserError`.
    """
    judging: dict[str, Any] = {"judge": judge, "judge_prompts_from": judge_prompts_from}
    if references is not None:
        _refuse("texts", metrics=metrics, data=data, split=split, out=out, report=not report or None, **judging)
        return _text_scores(task_or_metric, predictions, references)
    if predictions is not None:
        _refuse("predictions without references", report=not report or None)
        arguments: dict[str, Any] = {"data": data, "split": split, "metrics": metrics, **judging}
        return _file_scores(task_or_metric, predictions, arguments, out)
    _refuse("a run", split=split, out=out)
    folder = _run_folder(task_or_metric)
    return rescore(folder, metrics=() if metrics is None else metrics, data=data, report=report, **judging)


def _refuse(subject: str, **arguments: Any) -> None:
    """Raise `UserError` for the first argument with a value; the arguments are not for this subject."""
    if name := next((name for name, value in arguments.items() if value is not None), None):
        raise UserError(f"{name}= is not for scores of {subject}: leave it out")


def _run_folder(run: Any) -> Path:
    if isinstance(run, (str, Path)) and Path(run).is_dir():
        return Path(run)
    name = run.name if isinstance(run, tasks.Task) else str(run)
    if name in tasks.all_tasks() or not isinstance(run, (str, Path)):
        raise UserError(f'there is nothing to score: score("{name}", FILE), or score("{name}", TEXTS, REFERENCES)')
    raise UserError(f"there is no run's folder {name}; longdoc.runs() lists the runs")


def _file_scores(task: Any, predictions: Any, arguments: Mapping[str, Any], out: File | None) -> Any:
    """The scores of the predictions of one system, or the table of several."""
    files = (
        [predictions]
        if isinstance(predictions, (str, Path))
        else []
        if isinstance(predictions, Mapping)
        else list(predictions)
    )
    if not files or not all(isinstance(file, (str, Path)) for file in files):
        raise UserError("predictions without references must be a file of predictions, or a list of files")
    if missing := next((file for file in files if not prediction_files.place(file)[0].exists()), None):
        raise UserError(f"there is no file {missing}: predictions that are texts need references=")
    if isinstance(task, str) and (members := tasks.group(task)):
        raise UserError(f"{task} has several tasks: name one, {' or '.join(member.name for member in members)}")
    systems = [system for file in files for system in prediction_files.systems(tasks.get(task), file)]
    if len(systems) == 1:
        return score_predictions(task, systems[0], out=out, **arguments)
    _refuse("several systems", out=out)
    return score_prediction_files(task, systems, **arguments)


def _text_scores(task_or_metric: str, predictions: Any, references: Any) -> dict[str, float]:
    """The scores of texts, which may be in two files."""
    if predictions is None:
        raise UserError("there are references and no predictions: give both")
    if isinstance(references, (str, Path)):
        references = read_outputs(Path(references), "references")
    if isinstance(predictions, (str, Path)):
        predictions = _single(read_outputs(Path(predictions), "predictions"))
    return score_texts(task_or_metric, predictions, references)


def _single(outputs: Any) -> Any:
    """The only text of each prediction. Raises `UserError` for a prediction of several texts."""
    pairs = list(outputs.items()) if isinstance(outputs, dict) else list(enumerate(outputs, 1))
    for name, texts in pairs:
        if len(texts) != 1:
            raise UserError(f"prediction {name} holds {len(texts)} texts, not one: is that the file of references?")
    return {name: texts[0] for name, texts in pairs} if isinstance(outputs, dict) else [texts[0] for _, texts in pairs]
