"""How rules, metrics and a judge agree with the labels that people gave the same predictions.

A score is a stand-in for a person. Where a benchmark publishes predictions that people labelled (FinanceBench: Islam et
al. 2023), this says how good a stand-in: for each score, called right from 50 on, and for a judge, the share of equal
calls and Cohen's kappa with its interval by document, overall and by kind of question; how often a judge contradicts
itself when it is asked again, or when the two answers change places (position bias: Zheng et al. 2023, section 3.3).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.files import make_folder, output_folder
from pipelines import sources, tasks
from pipelines.engine.planning.argument_types import MetricsSpec, ReaderSpec
from pipelines.engine.planning.metric_names import run_metrics
from pipelines.metrics.labels import NAME
from pipelines.plugins.judging.judge import Judge
from pipelines.plugins.judging.judge_run import judge_for
from pipelines.plugins.scoring import prediction_files as files
from pipelines.plugins.scoring._prediction_scores import PredictionScores
from pipelines.plugins.scoring.score_predictions import score_prediction_files
from pipelines.plugins.study.agreements._rater_agreements import NO_VALUE, LabelAgreement, RaterRow, rater_row
from pipelines.plugins.study.statistics.separation import auc
from pipelines.records import Prediction
from pipelines.results.example_scores import by_metric
from pipelines.results.judge_record import THRESHOLD

RULES = ("exact_match", "containment", "numeric_match", "f1", "rouge")
JUDGE, REPEATED, SWAPPED = "judge", "judge, asked again", "judge, answers swapped"

Column = list[float | None]  # the score of each prediction, None for one without
Calls = list[bool | None]  # whether each prediction is right, None for one that is not called


@dataclass(frozen=True, slots=True)
class _LabelledPredictions:
    """The labelled predictions by system; `groups` has the group of each, one system after another."""

    systems: Sequence[tuple[str, Sequence[Prediction]]]
    groups: Sequence[str]

    @property
    def predictions(self) -> list[Prediction]:
        return [prediction for _, predictions in self.systems for prediction in predictions]

    @property
    def calls(self) -> Calls:
        """Whether people call each prediction right."""
        return [prediction.statistics[NAME]["label_correct"] == 1 for prediction in self.predictions]

    @property
    def documents(self) -> list[str]:
        """The document of each prediction; its question where the files do not say which document it is about."""
        return [prediction.document or prediction.id for prediction in self.predictions]


@checks_names
def label_agreement(
    task: str | tasks.Task,
    paths: Sequence[str | Path],
    *,
    data: Any = None,
    split: str | None = None,
    group_by: str | None = None,
    metrics: MetricsSpec | None = None,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
    repeats: int = 1,
    swapped: bool = False,
    out: str | Path | None = None,
) -> LabelAgreement:
    """How scores, and a judge, agree with the labels in files of predictions, over all files together.

    - `paths`: files in the layout of the task's benchmark that have labels.
    - `data`: the benchmark's data: intervals are by document then, and `group_by` names a field of the examples whose
      values are groups with a kappa of their own, "question_type".
    - `metrics`: the scores; by default rules and metrics without weights (`RULES`).
    - `judge`, `judge_prompts_from`: a reader that is asked of each prediction, and its prompt, as for a run. `repeats`:
      how often it is asked in all; `swapped`: whether also with the two answers in exchanged places (our own prompt
      alone). `out` is the folder for what it says, by default `judged` beside the first file.

    Raises `UserError`, also for files without labels.
    """
    chosen_task = tasks.get(task)
    rules = run_metrics(metrics or RULES, RULES)
    chosen_judge = _judge(chosen_task, judge, judge_prompts_from, repeats, swapped, out)
    if group_by is not None and data is None:
        raise UserError(f"group_by={group_by!r} is a field of the benchmark's data: give data=PATH too")
    table = score_prediction_files(chosen_task, paths, data=data, split=split, metrics=[NAME, *rules])
    labelled = _labelled(table.systems, _groups(chosen_task, data, split, group_by))
    if not labelled.predictions:
        raise UserError("no prediction in these files has a label: give a benchmark's files that people labelled")
    judgings: dict[str, Calls] = {}
    if chosen_judge is not None:
        folder = output_folder(out or files.place(paths[0])[0].with_name("judged"))
        judgings = _judgings(chosen_judge, labelled, folder, repeats, swapped)
    documents, groups = labelled.documents, labelled.groups if group_by else ()

    def row(rater: str, calls: Calls, other_calls: Calls) -> RaterRow:
        return rater_row(rater, calls, other_calls, documents, groups)

    score_rows = [
        _with_auc(row(name, _score_calls(column), labelled.calls), column, labelled.calls)
        for name, column in _score_columns(rules, labelled, table.systems).items()
    ]
    return LabelAgreement(
        task=chosen_task.name,
        systems=tuple(name for name, _ in labelled.systems),
        labelled=len(labelled.predictions),
        with_labels=(*score_rows, *(row(name, calls, labelled.calls) for name, calls in judgings.items())),
        with_itself=tuple(row(name, calls, judgings[JUDGE]) for name, calls in judgings.items() if name != JUDGE),
        group_by=group_by or "",
        warnings=tuple(dict.fromkeys(warning for system in table.systems for warning in system.warnings)),
    )


def _judge(
    task: tasks.Task,
    spec: ReaderSpec | None,
    prompts_from: str | Path | None,
    repeats: int,
    swapped: bool,
    out: str | Path | None,
) -> Judge | None:
    """The judge; None without a `spec`. Raises `UserError` for options that do not fit it."""
    judge = judge_for(task, spec, prompts_from)
    if repeats < 1:
        raise UserError(f"repeats must be at least 1, got {repeats}")
    if judge is None and (repeats > 1 or swapped or out is not None):
        raise UserError("repeats=, swapped= and out= are for a judge: give judge=MODEL too")
    if judge is not None and swapped:
        judge.prompt.swapped()  # raises for a prompt without two answers to swap
    return judge


def _groups(task: tasks.Task, data: Any, split: str | None, field: str | None) -> Mapping[str, str]:
    """The value of a field of each example; empty without a field. Raises `UserError` where no example has it."""
    if field is None:
        return {}
    source = None if data == "published" else data
    dataset = sources.load(task.name, task.dataset, source, split or task.split, has_texts=False)
    meta = {example.id: example.meta for example in dataset.examples()}
    if not any(field in fields for fields in meta.values()):
        raise unknown("field of the examples", field, sorted({name for fields in meta.values() for name in fields}))
    return {example_id: str(fields.get(field) or NO_VALUE) for example_id, fields in meta.items()}


def _labelled(systems: Sequence[PredictionScores], groups: Mapping[str, str]) -> _LabelledPredictions:
    """The predictions that have a label, with the group of each; `groups` is by example."""
    systems_with_labels = [
        (
            system.system or str(number),
            [
                prediction
                for prediction in system.predictions
                if prediction.statistics.get(NAME, {}).get("labelled") == 1
            ],
        )
        for number, system in enumerate(systems, 1)
    ]
    ids = [prediction.id for _, predictions in systems_with_labels for prediction in predictions]
    return _LabelledPredictions(systems_with_labels, [groups.get(example_id, NO_VALUE) for example_id in ids])


def _score_columns(
    rules: Mapping[str, Any], labelled: _LabelledPredictions, systems: Sequence[PredictionScores]
) -> dict[str, Column]:
    """By name every score that single examples have, for each labelled prediction."""
    columns: dict[str, Column] = {}
    count = 0
    for (_, predictions), system in zip(labelled.systems, systems, strict=True):
        positions = {prediction.id: number for number, prediction in enumerate(system.predictions)}
        for example_scores in by_metric(rules, system.predictions, system.scores):
            for name, scores in example_scores.items():
                column = columns.setdefault(name, [None] * count)
                column += [scores[positions[prediction.id]] for prediction in predictions]
        count += len(predictions)
        for column in columns.values():
            column += [None] * (count - len(column))
    return columns


def _score_calls(column: Column) -> Calls:
    """The calls of a score: right from the threshold on."""
    return [None if score is None else score >= THRESHOLD for score in column]


def _with_auc(row: RaterRow, column: Column, labels: Calls) -> RaterRow:
    """The row of a score with the area under its ROC curve."""
    pairs = [(score, is_right) for score, is_right in zip(column, labels, strict=True) if score is not None]
    area = auc([score for score, is_right in pairs if is_right], [score for score, is_right in pairs if not is_right])
    return replace(row, auc=area)


def _judgings(
    judge: Judge, labelled: _LabelledPredictions, folder: Path, repeats: int, swapped: bool
) -> dict[str, Calls]:
    """The judge's calls by kind of judging: the first time, asked again, and with the answers swapped."""
    judgings = {JUDGE: _calls(judge, labelled, folder)}
    for number in range(2, repeats + 1):
        name = REPEATED if repeats == 2 else f"{REPEATED} ({number})"
        judgings[name] = _calls(judge, labelled, folder / f"repeat-{number}")
    if swapped:
        judgings[SWAPPED] = _calls(replace(judge, prompt=judge.prompt.swapped()), labelled, folder / "swapped")
    return judgings


def _calls(judge: Judge, labelled: _LabelledPredictions, folder: Path) -> Calls:
    """The judge's verdicts, in the order of the predictions; those of each system go to a folder of its own."""
    calls: Calls = []
    for number, (_, predictions) in enumerate(labelled.systems, 1):
        make_folder(system_folder := folder / f"system-{number}")
        verdicts = judge.judge(predictions, system_folder).verdicts
        calls += [verdicts.get(prediction.id) for prediction in predictions]
    return calls
