"""The results of a power analysis: how many documents show a difference, and what difference these data can show."""

from collections.abc import Sequence
from dataclasses import dataclass

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import View

BOUNDS = "documents, 95%"  # the column with the bounds of a design


@dataclass(frozen=True, slots=True)
class Design:
    """The size of a sample that shows the difference: its documents, their questions each, and all questions.

    `low` and `high` bound the number of documents at 95%, since the variance is an estimate; None where it was given.
    """

    questions_per_document: float
    documents: int
    questions: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class PowerAnalysis(View):
    """Whether a difference of `detect` points can be shown, two-sided at `alpha`, with power `power`.

    - `comparisons`: how many differences are tested together, each planned at alpha / comparisons.
    - `documents`, `questions`: the size of the data that the plan rests on; `sources` are their runs or files.
    - `standard_error` of a difference over these data, `detectable` the least difference that they show with `power`,
      `power_here` their power to show `detect`.
    - `sd` of the differences of single questions, `icc` how alike those of one document are (intraclass correlation),
      `design_effect` the clustered variance over that of independent questions. None for a score that is not a mean
      of examples.
    - `correlation` of the two systems' scores on the same question: measured for two runs, else assumed.
    - `as_here` is the sample that shows `detect` with documents like these, `designs` has further numbers of questions
      for each document. `independent_questions` would be enough if questions of one document had nothing in common.
      Fewer documents than `least_documents` do not show it, however many questions they have. All None or empty
      without `detect`.
    """

    task: str
    metric: str
    sources: Sequence[str]
    alpha: float
    power: float
    documents: int
    questions: int
    standard_error: float
    detectable: float
    sd: float | None = None
    icc: float | None = None
    design_effect: float | None = None
    correlation: float | None = None
    detect: float | None = None
    power_here: float | None = None
    as_here: Design | None = None
    designs: Sequence[Design] = ()
    independent_questions: int | None = None
    least_documents: int | None = None
    comparisons: int = 1
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """A row for each number of questions a document; the notes say what these data show."""
        title = numbers.line(", ".join(filter(None, [self.task, self.metric])))
        if self.as_here is None:
            return [Table(title, (), (), tuple(self._lines()))]
        columns = [
            Column("questions a document", self._questions_label),
            Column("documents", lambda design: numbers.count(design.documents), "right"),
            Column("questions", lambda design: numbers.count(design.questions), "right"),
        ]
        designs = (self.as_here, *self.designs)
        if any(design.low is not None for design in designs):
            columns.append(Column(BOUNDS, _bounds, "right"))
        title = f"{title}: documents that show a difference of {self.detect:g} points"
        return [Table(title, tuple(columns), designs, tuple(self._lines()))]

    def _questions_label(self, design: Design) -> str:
        if design is self.as_here:
            return f"{self.questions / self.documents:.3g} on average, as here"
        return f"{design.questions_per_document:g}"

    def _lines(self) -> list[str]:
        size = f"{counted(self.questions, 'question')} over {counted(self.documents, 'document')}"
        lines = [
            f"these data ({size}) show a difference of {self.detectable:.2f} points with "
            f"{_power_percent(self.power)} power"
            + (
                ""
                if self.power_here is None
                else f", and {self.detect:g} points with {_power_percent(self.power_here)}"
            )
        ]
        if self.least_documents is not None and self.least_documents > 2:
            minimum = numbers.count(self.least_documents)
            lines.append(f"fewer than {minimum} documents do not show {self.detect:g} points, whatever their questions")
        if self.independent_questions is not None and (self.design_effect or 1) > 1:
            independent = counted(self.independent_questions, "question")
            lines.append(
                f"{independent} would be enough if those of one document had nothing in common: do not plan with that"
            )
        if self.as_here is not None and self.as_here.low is not None:
            lines.append(f"{BOUNDS}: the range of this estimate, whose variance comes from these data alone")
        return [*lines, self._variance(), *self.notes]

    def _variance(self) -> str:
        """The variance of the difference and the test, in a line."""
        parts = [f"standard error {self.standard_error:.2f}"]
        parts += [] if self.sd is None else [f"sd of a question's difference {self.sd:.1f}"]
        parts += [] if self.icc is None else [f"intraclass correlation {self.icc:.2f}"]
        parts += [] if self.design_effect is None else [f"design effect {self.design_effect:.2f}"]
        parts += [] if self.correlation is None else [f"correlation of the two systems {self.correlation:.2f}"]
        family = "" if self.comparisons == 1 else f" after Holm's correction for {self.comparisons:,} comparisons"
        return f"of the difference: {', '.join(parts)}; two-sided, alpha {self.alpha:g}{family}"


def _bounds(design: Design) -> str:
    if design.low is None or design.high is None:
        return ""
    return f"{numbers.count(design.low)} to {numbers.count(design.high)}"


def _power_percent(power: float) -> str:
    return f"{100 * power:.0f} %" if power < 0.995 else "over 99 %"
