"""A log of another harness as a finished run, which reports and the analysis of losses take."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from pipelines.plugins.study.logs.paired_logs import POINTS
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.plugins.study.statistics.value_sample import ValueSample, grouped
from pipelines.records import Prediction
from pipelines.results.example_scores import ExampleScores
from pipelines.results.run_folders.run import Counts, Run
from pipelines.results.scores import Scores
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED, TOLERANCE, lacking_intervals, sample_intervals
from pipelines.statistics.sample import Floats, units

UNKNOWN_SCALE = "all values are the same, and beyond 0 to 100: no interval"


@dataclass(frozen=True)
class LogRun(Run):
    """A log's samples as predictions, with the scores of the log.

    `system` says what was evaluated, `values` has each score of each sample, `documents` the number of documents, 0
    where it is not known.
    """

    system: str = ""
    values: ExampleScores = field(default_factory=dict, repr=False)
    documents: int = 0

    is_log: ClassVar[bool] = True

    @property
    def recipe(self) -> str:
        """What was evaluated, as the log says it."""
        return self.system

    @property
    def counts(self) -> Counts:
        """The numbers of samples and documents; a log does not say those of tokens and requests."""
        return Counts(examples=self.examples, documents=self.documents)

    @property
    def example_scores(self) -> ExampleScores:
        """The scores of each sample."""
        return self.values

    def answer_scores(self, primary_metric: str | None = None) -> ExampleScores:
        """The scores of each sample: a log does not say which of them are of answers."""
        return self.values


def log_run(log: ScoreLog, documents: Mapping[str, str], factors: Mapping[str, float]) -> LogRun:
    """A log as a run, with predictions where the log keeps texts.

    `documents` has the document of each sample, `factors` the factor that brings a score to 0–100.
    """
    has_documents = all(sample_id in documents for sample_id in log.numbers)
    labels = [documents[sample_id] for sample_id in log.numbers] if has_documents else None
    columns = {name: log.sample_scores(name) * factor for name, factor in factors.items() if name in log.scores}
    scores = Scores()
    for name, column in columns.items():
        scores = _with_score(scores, name, column, labels)
    count = len(log.numbers)
    return LogRun(
        folder=log.path,
        task=log.task or log.path.stem,
        split="",
        spec={},
        scores=replace(scores, signatures={name: _signature(log, name, factors[name]) for name in scores}),
        loaded=tuple(_predictions(log, labels or log.ids)),
        record={"examples": count, "scored": count, "truncated": {"examples": 0, "tokens": 0}, "outputs": {},
                "selection": {}},
        system=f"{log.system} ({log.format})" if log.system else log.format,
        values={name: [None if value != value else value for value in column.tolist()]
                for name, column in columns.items()},
        documents=0 if labels is None else len(set(labels)),
    )  # fmt: skip


def _with_score(scores: Scores, name: str, column: Floats, labels: list[str] | None) -> Scores:
    """The scores with one more, its mean over the samples that have it; the same scores where none has."""
    present = np.flatnonzero(~np.isnan(column))
    if not len(present):
        return scores
    values = column[present]
    present_labels = None if labels is None else [labels[row] for row in present]
    sample = ValueSample(name, values, grouped(units(len(values), present_labels), SEED))
    if np.ptp(values) < TOLERANCE and not 0 <= values[0] <= POINTS:
        intervals, reasons = scores.intervals, {name: UNKNOWN_SCALE}
    else:
        intervals = {**scores.intervals, **sample_intervals(sample, LEVEL, RESAMPLES, SEED)}
        reasons = lacking_intervals(sample)
    return replace(
        scores,
        by_name={**scores.by_name, **sample.scores},
        intervals=intervals,
        no_interval={**scores.no_interval, **reasons},
    )


def _signature(log: ScoreLog, name: str, factor: float) -> str:
    """The signature of a log's score, with the factor that it was multiplied by."""
    return f"{name}|of:the log ({log.format})" + ("" if factor == 1 else f"|scale:0 to 1, times {factor:g}")


def _predictions(log: ScoreLog, labels: list[str]) -> list[Prediction]:
    return [
        Prediction(
            id=sample_id,
            document=document,
            query=text.query,
            references=text.references,
            prediction=text.output,
            selected=(),
            shown_spans=(),
            requests=0,
            tokens_in=0,
            tokens_out=0,
            truncated_tokens=0,
            statistics={"answer_recall": text.recall} if text.recall else {},
        )
        for sample_id, document, text in zip(log.numbers, labels, log.texts, strict=log.keeps_texts)
    ]
