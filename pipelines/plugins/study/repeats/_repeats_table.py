"""The table of a score's variation over repeats: a row for each score, with the standard deviations of its parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from longdoc.messages import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Score, Table
from pipelines.display.view import View
from pipelines.statistics.intervals import Interval, too_few_units

DEVIATIONS = {  # the field of each column, by title
    "s.e.": "standard_error",
    "documents": "between_documents",
    "questions": "between_questions",
    "runs": "between_runs",
    "repeats": "between_repeats",
    "a run's score": "run_score",
}
DEVIATION_NOTES = (
    "standard deviations in points: of documents, of questions of one document, of runs (a shift of all questions), of "
    "repeats (the same question again), and of a whole run's score over these questions",
    "s.e.: of the mean, if documents and runs were drawn anew",
)


@dataclass(frozen=True, slots=True)
class Repeats:
    """One score over several runs. Standard deviations are in points, None where the data do not show them.

    `between_documents`, `between_questions` (of one document), `between_runs` (a shift of all questions) and
    `between_repeats` (what is left: the same question, asked again) are those of the effects, `run_score` that of a
    whole run's score over these questions. `standard_error` is the mean's, if documents and runs were drawn anew;
    `interval` the mean's over other documents, in these runs: None for fewer than five.
    """

    score: str
    mean: float
    runs: int
    questions: int
    documents: int
    between_documents: float | None
    between_questions: float
    between_runs: float
    between_repeats: float
    run_score: float
    standard_error: float
    interval: Interval | None = None


def _deviation_cell(field: str, row: Repeats) -> str:
    return numbers.score(getattr(row, field))


def _mean_notes(rows: Sequence[Repeats]) -> list[str]:
    """Notes on how the means' intervals were made, and why some have none."""
    notes = interval_notes.method_notes([row.interval for row in rows if row.interval is not None])
    reasons = [
        too_few_units(row.documents, "document") if row.documents > 1 else too_few_units(row.questions, "example")
        for row in rows
        if row.interval is None
    ]
    return notes + list(dict.fromkeys(filter(None, reasons)))


@dataclass(frozen=True, slots=True)
class PassRate:
    """The chances, 0–100, that at least one of k repeats is right (pass@k), and that all are (pass^k)."""

    score: str
    k: int
    pass_at_k: float
    pass_all_k: float


@dataclass(frozen=True, slots=True)
class RepeatsTable(View):
    """The scores of repeated runs; `notes` say how they were read.

    `pass_rates` are of the scores that are 0 or 100, for each k up to the least number of repeats of a question.
    """

    task: str
    scores: Sequence[Repeats]
    notes: Sequence[str] = ()
    pass_rates: Sequence[PassRate] = ()

    def tables(self) -> list[Table]:
        """A row for each score, and the pass rates where there are any."""
        columns = (
            Column("score", lambda row: row.score),
            Column("mean", lambda row: Score.of(row.mean, row.interval), "right"),
            *(Column(title, partial(_deviation_cell, field), "right") for title, field in DEVIATIONS.items()),
        )
        table = Table(self._caption(), columns, self.scores, tuple(map(numbers.line, self._lines())))
        return [table, *([self._pass_rates_table()] if self.pass_rates else [])]

    def _pass_rates_table(self) -> Table:
        columns = (
            Column("score", lambda rate: rate.score),
            Column("k", lambda rate: str(rate.k), "right"),
            Column("pass@k", lambda rate: numbers.score(rate.pass_at_k), "right"),
            Column("pass^k", lambda rate: numbers.score(rate.pass_all_k), "right"),
        )
        note = "pass@k: at least one of k repeats is right; pass^k: all of them are"
        return Table("of k repeats", columns, self.pass_rates, (note,))

    def _caption(self) -> str:
        first = self.scores[0]
        documents = f" over {counted(first.documents, 'document')}" if first.documents else ""
        return f"{self.task}: {counted(first.runs, 'run')} of {counted(first.questions, 'question')}{documents}"

    def _lines(self) -> list[str]:
        return [*DEVIATION_NOTES, *_mean_notes(self.scores), *self.notes]
