"""Certify predictions: quotes of their documents, and answers withheld at a risk of wrong ones that is bounded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import expanded
from longdoc.plurals import counted
from longdoc.registry import describe
from models.refusals import refuses
from pipelines import metrics, sources, tasks
from pipelines import support as support_scores
from pipelines.display import interval_notes
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.evaluation import predictions as files
from pipelines.evaluation._document_folds import NamedScores, fits_without_each, named_scores, score_column
from pipelines.evaluation._run_components import readers_of_runs
from pipelines.evaluation.certification.certified_answer import CertifiedAnswer
from pipelines.evaluation.predictions import GivenPrediction
from pipelines.metrics import Metric
from pipelines.records import Example
from pipelines.results.judge_record import THRESHOLD
from pipelines.statistics.sample import MeanRowAggregation
from pipelines.strategies.shared.calibration import Calibration, certified_threshold
from pipelines.support import Support, SupportedDocument

SHOWN_SHARE, WRONG_SHARE, RIGHT_SHARE, PRECISION = "shown", "wrong shown", "right shown", "right of shown"


class ShownAggregation(MeanRowAggregation):
    """The shares of what is shown, 0–100, for the bootstrap."""

    def aggregate(self, rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
        """Of all questions shown and wrong ones shown, of right answers shown, and of shown answers right."""
        shown_sum, wrong_sum, right_sum, count = (
            fsum(row[name] for row in rows) for name in ("shown", "wrong", "right", "rows")
        )
        if not count:
            return {}
        scores = {SHOWN_SHARE: 100 * shown_sum / count, WRONG_SHARE: 100 * wrong_sum / count}
        scores |= {RIGHT_SHARE: 100 * (shown_sum - wrong_sum) / right_sum} if right_sum else {}
        return scores | ({PRECISION: 100 * (shown_sum - wrong_sum) / shown_sum} if shown_sum else {})


@dataclass(frozen=True, slots=True)
class Certification(View):
    """The threshold of support that gives a risk, fitted on all documents, and its cross-validated shares.

    `support` is the score's description; `answers` are all answers with their quotes.
    """

    tasks: tuple[str, ...]
    risk: float
    threshold: float
    support: Mapping[str, Any]
    scores: tuple[NamedScores, ...]
    answers: tuple[CertifiedAnswer, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The threshold, what is promised, and the rows of the table."""
        promise = {
            "risk": self.risk,
            "bound": "expectation",
            "documents": len({answer.document for answer in self.answers}),
        }
        fields = {"tasks": list(self.tasks), "threshold": self.threshold, "support": dict(self.support), **promise}
        return fields | {"rows": self.flat_rows(), "notes": list(self.notes)}

    def flat_rows(self) -> list[dict[str, Any]]:
        """A mapping for each way to withhold answers."""
        return [{"answers": scores.name, **scores.scores} for scores in self.scores]

    def tables(self) -> list[Table]:
        """One table."""
        columns = [Column("answers", lambda scores: scores.name)]
        columns += map(score_column, (SHOWN_SHARE, WRONG_SHARE, RIGHT_SHARE, PRECISION))
        notes = [
            f"{SHOWN_SHARE}, {WRONG_SHARE}: per cent of all questions; {RIGHT_SHARE}: of the right answers; "
            f"{PRECISION}: of those shown",
            *self.notes,
            *interval_notes.method_notes(bound for scores in self.scores for bound in scores.intervals.values()),
        ]
        documents = counted(len({answer.document for answer in self.answers}), "document")
        return [
            Table(
                f"{counted(len(self.answers), 'answer')} about {documents}", tuple(columns), self.scores, tuple(notes)
            )
        ]


@checks_names
def certify(
    predictions: Mapping[str, Sequence[str | Path]],
    *,
    data: Any,
    risk: float,
    split: str | None = None,
    support: Any = "overlap",
    metric: Any = "f1",
    out: str | Path | None = None,
    calibration: str | Path | None = None,
) -> Certification:
    """Find quotes for predictions in their documents, and withhold answers at a bounded risk of showing wrong ones.

    - `predictions`: for each task its files of predictions, as `score_predictions` takes them; all are put together.
    - `data`: the data of these tasks, with the documents.
    - `risk`: the share of a document's questions that may have a wrong answer shown, in expectation.
    - `support`: the score of how well a quote supports a claim (`pipelines.support`).
    - `metric`: an answer is right where its label in the file says so, or else from a first score of 50 on; to a
      question whose references refuse no answer is right.
    - `out`: where every answer is written, as JSON Lines: what is shown in its place, its claims, their quotes. Each is
      decided by a threshold that was fitted on the other documents.
    - `calibration`: where the answers are written for `certify=` of `ask` and `run`: support, and whether they are
      right.

    Raises `UserError`, also where there are too few documents for the risk: with the number that is needed.
    """
    score, chosen_metric = support_scores.get(support), metrics.get(metric)
    chosen_metric.prepare()
    answers, lost_count = list[CertifiedAnswer](), 0
    for task, paths in predictions.items():
        task_answers, task_lost_count = _task_answers(tasks.get(task), paths, data, split, score, chosen_metric)
        answers, lost_count = answers + task_answers, lost_count + task_lost_count
    if not answers:
        raise UserError(f"no prediction is for an example of {data}: give the data that the predictions are for")
    threshold = certified_threshold([answer.calibration for answer in answers], risk)
    notes = [f"{counted(lost_count, 'prediction')} without an answer, or without a document here"] * bool(lost_count)
    scores = [shown_scores("all", answers, [float("-inf")] * len(answers))]
    try:
        thresholds = held_out_thresholds(answers, risk)
    except UserError as error:
        thresholds = [threshold] * len(answers)
        notes.append(f"risk={risk:g} is not cross-validated: without one of the documents, {error}")
    else:
        scores.append(shown_scores(f"risk={risk:g}", answers, thresholds))
        notes.append(f"risk={risk:g}: cross-validated, each document by a threshold fitted on the others")
    if out is not None:
        _write(expanded(out), answers, thresholds)
    if calibration is not None:
        rows = tuple(answer.calibration for answer in answers)
        readers = readers_of_runs(path for paths in predictions.values() for path in paths)
        file, content = expanded(calibration), Calibration(tuple(predictions), describe(score), rows, readers)
        write_whole(file.parent, file.name, checked_json.dumps(content.to_dict()), is_typed=True)
    return Certification(
        tuple(predictions), risk, threshold, describe(score), tuple(scores), tuple(answers), tuple(notes)
    )


def _task_answers(
    task: tasks.Task, paths: Sequence[str | Path], data: Any, split: str | None, score: Support, metric: Metric
) -> tuple[list[CertifiedAnswer], int]:
    """The answers in a task's files, and how many predictions have none, or no document."""
    if isinstance(paths, str):
        raise UserError(f"{task.name} needs a list of files of predictions: [{paths!r}]")
    predictions = [prediction for path in paths for prediction in files.read(task, path).given]
    dataset = sources.load(task.name, task.dataset, data, split or task.split)
    examples = {example.id: example for example in dataset.examples()}
    rows = [row for row in predictions if row.prediction is not None and row.example.id in examples]
    return _answers(task.name, rows, examples, score, metric), len(predictions) - len(rows)


def _answers(
    task: str, predictions: Sequence[GivenPrediction], examples: Mapping[str, Example], score: Support, metric: Metric
) -> list[CertifiedAnswer]:
    """The answers with their quotes; each document is split once."""
    documents: dict[str, SupportedDocument] = {}
    answers = []
    for prediction in predictions:
        example, text = examples[prediction.example.id], str(prediction.prediction)
        name = example.document.id
        if name not in documents:
            documents[name] = SupportedDocument(example.document.text, score)
        claims = tuple(documents[name].claims(text, example.query))
        is_refusal = refuses(text) or prediction.label == "refused"
        answers.append(
            CertifiedAnswer(task, example.id, name, text, claims, _is_right(prediction, example, metric), is_refusal)
        )
    return answers


def _is_right(prediction: GivenPrediction, example: Example, metric: Metric) -> bool:
    """Whether an answer is right: by its label, else by the metric."""
    if prediction.label:
        return prediction.label == "correct"
    references = example.references or prediction.example.references
    if not references or all(map(refuses, references)):
        return False
    return metric.first_score(str(prediction.prediction), example) >= THRESHOLD


def held_out_thresholds(answers: Sequence[CertifiedAnswer], risk: float) -> list[float]:
    """For each answer, the threshold that is fitted on the other documents. Raises `UserError`."""
    rows = [answer.calibration for answer in answers]
    by_document = fits_without_each(rows, partial(certified_threshold, risk=risk))
    return [by_document[answer.document] for answer in answers]


def shown_scores(name: str, answers: Sequence[CertifiedAnswer], thresholds: Sequence[float]) -> NamedScores:
    """The shares of what is shown at each answer's threshold."""
    rows = []
    for answer, threshold in zip(answers, thresholds, strict=True):
        is_shown = answer.is_shown(threshold)
        is_wrong = is_shown and not answer.is_right
        is_right = answer.is_right and not answer.is_refusal
        rows.append({"shown": float(is_shown), "wrong": float(is_wrong), "right": float(is_right), "rows": 1.0})
    return named_scores(name, ShownAggregation(), rows, [answer.document for answer in answers])


def _write(file: Path, answers: Sequence[CertifiedAnswer], thresholds: Sequence[float]) -> None:
    lines = [
        json.dumps(answer.record(threshold), ensure_ascii=False) + "\n"
        for answer, threshold in zip(answers, thresholds, strict=True)
    ]
    write_whole(file.parent, file.name, "".join(lines), is_typed=True)
