"""Scores of predictions that others made: those of one system, and a table of several systems."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from longdoc.messages import counted
from longdoc.plain_json import plain_fields
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Score, Table
from pipelines.display.view import View
from pipelines.metrics.abstention import CONFIDENCE, ranked_confidences
from pipelines.metrics.labels import NAME, SCORES
from pipelines.records import Prediction
from pipelines.results import judge_record
from pipelines.results.scores import Scored, Scores
from pipelines.statistics.risk_coverage import selective_risks

FEW_DOCUMENTS = 10  # up to which the scores of each are printed
COVERAGES = range(10, 101, 10)  # per cent of the questions at which the risk is printed


@dataclass(frozen=True, slots=True)
class PredictionScores(View, Scored):
    """The scores of a system's predictions, by the names that a run's scores have.

    - `predictions` have their statistics; `unanswered` are the examples without a prediction, scored as empty outputs;
      `reasons` say why they have none, by example.
    - `scores` are over `predictions`, and over all examples where a metric counts those refused (`counts_refused`);
      `all_scores` are over all examples, refused ones as empty outputs; empty where none is refused.
    - `expected`: how many examples the benchmark has (None: not known).
    - `by_document`: the scores of each document, by its title, where titles are known and there are several.
    - `length`: the length of the documents in tokens, as the file's name gives it (None: not known).
    - `judging`: the record of a judge's verdicts and their cost (`pipelines.results.judge_record`); empty without one.
    """

    task: str
    system: str
    scores: Scores
    predictions: tuple[Prediction, ...]
    unanswered: tuple[Prediction, ...]
    reasons: Mapping[str, str]
    expected: int | None
    warnings: tuple[str, ...]
    all_scores: Mapping[str, float] = field(default_factory=dict)
    by_document: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    judging: Mapping[str, Any] = field(default_factory=dict)
    length: int | None = None

    KEYS: ClassVar[Sequence[str]] = (
        "task", "system", "scores", "scores.intervals", "scores.no_interval", "scores.signatures",
        "scores.not_computed", "refused", "expected", "warnings", "all_scores", "by_document", "judging",
    )  # fmt: skip

    @property
    def refused(self) -> Mapping[str, int]:
        """The number of examples without a prediction, by reason."""
        return dict(Counter(self.reasons.values()))

    @property
    def systems(self) -> "tuple[PredictionScores, ...]":
        """These scores alone, as a table has those of several systems."""
        return (self,)

    def counts(self) -> str:
        """The numbers of predictions, of labels and of missing answers, in words."""
        is_partial = self.expected is not None and self.expected != len(self.predictions)
        total = f" of {self.expected:,}" if is_partial else ""
        refusals = [f"{count:,} {reason}" for reason, count in self.refused.items()]
        labels = [f"{count:,} {label}" for label, count in self.label_counts.items()]
        label_counts = [f"labelled {', '.join(labels)}"] if labels else []
        return "; ".join([f"{counted(len(self.predictions), 'prediction')}{total}", *label_counts, *refusals])

    def document_notes(self) -> list[str]:
        """A note where intervals are over the examples of a single document."""
        is_one_document = self.scores.intervals and len({prediction.document for prediction in self.predictions}) == 1
        return [interval_notes.ONE_DOCUMENT] if is_one_document else []

    @property
    def label_counts(self) -> dict[str, int]:
        """The number of predictions with each label of the file; empty without labels."""
        rows = [prediction.statistics[NAME] for prediction in self.predictions if NAME in prediction.statistics]
        names = [name for name in SCORES if rows and name in rows[0]]
        return {SCORES[name]: round(sum(row[name] for row in rows)) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """All fields, with the number of predictions in place of the predictions."""
        counts = {"predictions": len(self.predictions), "unanswered": len(self.unanswered)}
        risks = self.selective_risks
        return plain_fields(self) | counts | ({"selective_risks": risks} if risks else {})

    def tables(self) -> list[Table]:
        """The table of scores, one of each document's where there are few, and one of risks."""
        has_overall = any(value != self.scores.get(name) for name, value in self.all_scores.items())
        names = list({**self.scores, **self.all_scores})
        columns = [Column("score", lambda name: name), Column("value", partial(_score, self.scores), "right")]
        if self.scores.intervals:
            columns.append(Column("interval", lambda name: str(self.scores.intervals.get(name, "")), "right"))
        if has_overall:
            columns.append(Column("over all", partial(_score, self.all_scores), "right"))
        notes = [self.counts()]
        notes += ["over all: examples without a prediction count as empty outputs"] if has_overall else []
        notes += interval_notes.method_notes(self.scores.intervals.values())
        notes += self.document_notes()
        notes += interval_notes.missing_interval_notes([self.scores.no_interval], names)
        notes += [f"{name} not computed: {reason}" for name, reason in self.scores.not_computed.items()]
        notes += [*judge_record.lines(self.judging), *judge_record.agreement_lines(self.judging)]
        notes += [f"warning: {warning}" for warning in self.warnings]
        title = f"{self.task}: {self.system}" if self.system else self.task
        return [Table(title, tuple(columns), names, tuple(notes)), *self._documents(), *self._risks()]

    @property
    def selective_risks(self) -> dict[str, float]:
        """The mean risk of the most confident questions, in points, by the share that is answered; empty without
        confidences (`pipelines.metrics.abstention`)."""
        all_predictions = (*self.predictions, *self.unanswered)
        rows = [row for prediction in all_predictions for row in prediction.statistics.values()]
        rows = [row for row in rows if CONFIDENCE in row]
        if not rows:
            return {}
        risks = selective_risks(ranked_confidences(rows), [row["risk"] for row in rows])
        counts = {f"{share} %": max(round(len(rows) * share / 100), 1) for share in COVERAGES}
        return {share: float(risks[count - 1]) for share, count in counts.items()}

    def _risks(self) -> list[Table]:
        risks = self.selective_risks
        columns = (Column("coverage", lambda share: share, "right"), Column("risk", partial(_score, risks), "right"))
        return [Table("risk and coverage", columns, list(risks))] if risks else []

    def _documents(self) -> list[Table]:
        if not 1 < len(self.by_document) <= FEW_DOCUMENTS:
            return []
        columns = [Column("document", lambda title: title)]
        for number, name in enumerate(_names(self.by_document.values())):
            columns.append(Column(name, partial(self._document_score, name), "right", optional=number > 1))
        return [Table("by document", tuple(columns), list(self.by_document))]

    def _document_score(self, name: str, title: str) -> Score | str:
        return _score(self.by_document[title], name)


@dataclass(frozen=True, slots=True)
class PredictionTable(View):
    """The scores of several systems on one task, in the order given."""

    task: str
    systems: tuple[PredictionScores, ...]

    def to_dict(self) -> dict[str, Any]:
        """The scores of each system."""
        return {"task": self.task, "systems": [system.to_dict() for system in self.systems]}

    def tables(self) -> list[Table]:
        """A row for each system, with its counts and its scores."""
        names = _names([system.scores for system in self.systems])
        labels = {id(scores): scores.system or str(number) for number, scores in enumerate(self.systems, 1)}
        columns = [
            Column("system", lambda scores: labels[id(scores)]),
            Column("predictions", lambda scores: f"{len(scores.predictions):,}", "right"),
        ]
        if any(system.unanswered for system in self.systems):
            columns.append(Column("refused", lambda scores: f"{len(scores.unanswered):,}", "right"))
        for number, name in enumerate(names):
            columns.append(Column(name, partial(_bounded_score, name), "right", optional=number > 1))
        return [Table(self.task, tuple(columns), self.systems, tuple(self._notes(names)))]

    def _notes(self, names: list[str]) -> list[str]:
        notes = interval_notes.method_notes(
            interval for system in self.systems for interval in system.scores.intervals.values()
        )
        notes += list(dict.fromkeys(reason for system in self.systems for reason in system.scores.no_interval.values()))
        notes += dict.fromkeys(note for system in self.systems for note in system.document_notes())
        for system in self.systems:
            notes += [f"{system.system}: {reason}" for reason in system.scores.not_computed.values()]
            notes += [
                f"{system.system}: {line}"
                for line in [*judge_record.lines(system.judging), *judge_record.agreement_lines(system.judging)]
            ]
        warnings = ((system.system, warning) for system in self.systems for warning in system.warnings)
        grouped = interval_notes.grouped_reasons(warnings, [system.system for system in self.systems])
        return list(dict.fromkeys([*notes, *(f"warning: {warning}" for warning in grouped)]))


def _names(scores: Iterable[Mapping[str, float]]) -> list[str]:
    """The names of all scores, in the order of the system with the most."""
    return list(dict.fromkeys(name for scores in sorted(scores, key=len, reverse=True) for name in scores))


def _bounded_score(name: str, scores: PredictionScores) -> Score | str:
    return scores.scores.entry(name) or numbers.MISSING


def _score(scores: Mapping[str, float], name: str) -> Score | str:
    return Score(scores[name]) if name in scores else numbers.MISSING
