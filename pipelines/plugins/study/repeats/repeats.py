"""How far a score moves from run to run, apart from how far it moves from document to document."""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.plugins.study.logs.documents import sample_documents
from pipelines.plugins.study.logs.formats import read
from pipelines.plugins.study.logs.paired_logs import POINTS, points_factor
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.plugins.study.repeats._repeats_table import PassRate, Repeats, RepeatsTable
from pipelines.plugins.study.statistics.pass_rates import pass_all, pass_at
from pipelines.plugins.study.statistics.value_sample import ValueSample, grouped
from pipelines.plugins.study.statistics.variance_components import RESIDUAL, Labels, variance_components
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED, sample_intervals
from pipelines.statistics.intervals import Interval
from pipelines.statistics.sample import Floats, Units

DOCUMENT, QUESTION, RUN = "document", "question", "run"


class _Column(NamedTuple):
    """A score's values in all runs, in points, the numbers of their questions and runs, and the questions' ids."""

    values: Floats
    questions: Labels
    runs: Labels
    ids: list[str]


@checks_names
def repeats(logs: str | Path | Sequence[str | Path], *, cluster: str | None = None) -> RepeatsTable:
    """How a score varies between runs, apart from how it varies between documents and questions.

    `logs` are several runs of one system over the same samples (other seeds, other trainings), as `compare` takes them:
    folders of finished runs, or logs; or one log whose samples have repeats (epochs). `cluster` is the field that says
    which samples belong together. The components are estimated by method of moments (`variance_components`); samples
    may have unequal numbers of repeats. Raises `UserError` for logs without repeats.
    """
    paths = [logs] if isinstance(logs, (str, Path)) else list(logs)
    if not paths:
        raise UserError("there is no log: give several runs of one system, or a log with epochs")
    score_logs = [read(path, cluster) for path in paths]
    names = [name for name in score_logs[0].scores if all(name in log.scores for log in score_logs)]
    if not names:
        raise UserError(f"{' and '.join(map(str, paths))} have no score in common: rename one's")
    documents = _documents(score_logs, cluster)
    columns = {name: _column(name, score_logs) for name in names}
    rows = [_repeats(name, column, documents) for name, column in columns.items()]
    rates = [rate for name, column in columns.items() for rate in _pass_rates(name, column)]
    notes = [*(note for log in score_logs for note in log.notes), *_cluster_notes(documents)]
    return RepeatsTable(score_logs[0].task or Path(paths[0]).stem, rows, notes, rates)


def _documents(logs: Sequence[ScoreLog], cluster: str | None) -> dict[str, str]:
    """The document of each sample; empty unless all are known."""
    labels = sample_documents(logs, cluster)
    return labels if all(sample_id in labels for log in logs for sample_id in log.numbers) else {}


def _cluster_notes(documents: dict[str, str]) -> list[str]:
    if documents:
        return []
    return ["no field says which document a sample is about: they are taken as independent (--cluster FIELD)"]


def _pass_rates(name: str, column: _Column) -> list[PassRate]:
    """The pass rates of a score that is 0 or 100, over all questions; empty for another score."""
    if not np.isin(column.values, (0, POINTS)).all():
        return []
    questions = np.unique(column.questions, return_inverse=True)[1]  # numbered without gaps
    counts = np.bincount(questions)
    right = np.bincount(questions, column.values == POINTS).astype(int).tolist()
    return [
        PassRate(name, k, *(100 * rate(k, right, counts.tolist()) for rate in (pass_at, pass_all)))
        for k in range(1, int(counts.min()) + 1)
    ]


def _repeats(name: str, column: _Column, documents: dict[str, str]) -> Repeats:
    """The variance components of one score. Raises `UserError` where no question was asked twice."""
    values, questions, runs, ids = column
    factors: dict[str, Labels] = {QUESTION: questions, RUN: runs}
    labels = np.unique([documents.get(sample_id, "") for sample_id in ids], return_inverse=True)[1][questions]
    document_count = len(set(labels.tolist())) if documents else 0
    question_count, run_count = len(set(questions.tolist())), len(set(runs.tolist()))
    if 1 < document_count < question_count:
        factors[DOCUMENT] = labels
    try:
        components = variance_components(values, factors)
    except ValueError:
        raise UserError(
            f"{name}: {counted(len(values), 'value')} of {counted(question_count, 'question')} in "
            f"{counted(run_count, 'run')} do not say how it varies between runs: give several runs of these samples, "
            "or a log with epochs"
        ) from None
    variances = components.variances
    return Repeats(
        score=name,
        mean=float(values.mean()),
        runs=run_count,
        questions=question_count,
        documents=document_count,
        between_documents=components.sd(DOCUMENT) if DOCUMENT in factors else None,
        between_questions=components.sd(QUESTION),
        between_runs=components.sd(RUN),
        between_repeats=components.sd(RESIDUAL),
        run_score=sqrt(variances[RUN] + variances[RESIDUAL] / question_count),
        standard_error=components.standard_error,
        interval=_interval(values, labels if document_count > 1 else None, questions),
    )


def _interval(values: Floats, documents: Labels | None, questions: Labels) -> Interval | None:
    """The interval of the mean over all runs: documents are resampled with all their values, else questions."""
    labels = np.unique(questions if documents is None else documents, return_inverse=True)[1]
    units = Units("example" if documents is None else "document", labels, int(labels.max()) + 1)
    return sample_intervals(ValueSample("mean", values, grouped(units, SEED)), LEVEL, RESAMPLES, SEED).get("mean")


def _column(name: str, logs: Sequence[ScoreLog]) -> _Column:
    """A score's values in all runs: each epoch of each log is a run."""
    question_numbers: dict[str, int] = {}
    run_count = 0
    values, questions, runs = [], [], []
    for log in logs:
        scores, samples, epochs = log.rows(name)
        numbers = [question_numbers.setdefault(sample_id, len(question_numbers)) for sample_id in log.numbers]
        log_epochs, epoch_numbers = np.unique(epochs, return_inverse=True)
        values.append(scores)
        questions.append(np.array(numbers, np.intp)[samples])
        runs.append(run_count + epoch_numbers)
        run_count += len(log_epochs)
    column = np.concatenate(values)
    points = column * points_factor([column])
    return _Column(points, np.concatenate(questions), np.concatenate(runs), list(question_numbers))
