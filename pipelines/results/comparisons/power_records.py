"""What a power analysis found: how many documents and questions show a difference, and which these data can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.table import Entry, Table, html, plain_text

BOUNDS = "documents, 95%"  # the column with the bounds of a design


@dataclass(frozen=True, slots=True)
class Design:
    """A sample that shows the difference: `documents` with so many questions each, `questions` in all.

    `low` and `high` bound the number of documents at 95%, since the variance is estimated from the documents that there
    are; None where it was given.
    """

    questions_per_document: float
    documents: int
    questions: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class PowerAnalysis:
    """Whether a difference of `detect` points can be shown, two-sided at `alpha`, with the power that is wanted.

    - `comparisons`: the differences that are tested together, each of them planned at alpha / comparisons.
    - `documents`, `questions`: of the data that it is planned from; `sources` are their runs or files.
    - `standard_error` of a difference over these data, `detectable` the least difference that they show with `power`,
      `power_here` their power to show `detect`.
    - `sd` of the differences of single questions, `icc` how alike those of one document are (intraclass correlation),
      `design_effect` the clustered variance over that of independent questions. None for a score that is no mean of
      examples.
    - `correlation` of the two systems' scores on the same question: of two runs as measured, else as assumed.
    - `as_here` is the sample that shows `detect` with documents like these, `designs` has further numbers of questions
      for each document. `independent_questions` would be enough if questions of one document had nothing in common;
      fewer than `least_documents` show it with no number of questions. All None or empty without `detect`.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def table(self) -> Table:
        """A row for each number of questions a document; what these data show below."""
        location = numbers.line(", ".join(filter(None, [self.task, self.metric])))
        rows: list[tuple[Entry, ...]] = []
        if self.as_here is not None:
            label = f"{self.questions / self.documents:.3g} on average, as here"
            rows = [
                _row(label, self.as_here),
                *(_row(f"{design.questions_per_document:g}", design) for design in self.designs),
            ]
            title = f"{location}: documents that show a difference of {self.detect:g} points"
        else:
            title = location
        has_bounds = any(design.low is not None for design in (self.as_here, *self.designs) if design is not None)
        columns = ("questions a document", "documents", "questions", *([BOUNDS] if has_bounds else []))
        rows = [row[: len(columns)] for row in rows]
        return Table(title, columns if rows else (), tuple(rows), tuple(self._lines()), frozenset({1, 2, 3}))

    def __str__(self) -> str:
        """The table as plain text."""
        if self.detect is None:
            table = self.table()
            return "\n".join([table.caption, *(f"  {note}" for note in table.notes)])
        return plain_text(self.table())

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())

    def _lines(self) -> list[str]:
        size = f"{counted(self.questions, 'question')} over {counted(self.documents, 'document')}"
        lines = [
            f"these data ({size}) show a difference of {self.detectable:.2f} points with "
            f"{_share(self.power)} power"
            + ("" if self.power_here is None else f", and {self.detect:g} points with {_share(self.power_here)}")
        ]
        if self.least_documents is not None and self.least_documents > 2:
            least_count = numbers.count(self.least_documents)
            lines.append(
                f"fewer than {least_count} documents do not show {self.detect:g} points, whatever their questions"
            )
        if self.independent_questions is not None and (self.design_effect or 1) > 1:
            independent = counted(self.independent_questions, "question")
            lines.append(
                f"{independent} would be enough if those of one document had nothing in common: do not plan with that"
            )
        if self.as_here is not None and self.as_here.low is not None:
            lines.append(f"{BOUNDS}: how far off the plan may be, as the variance is known from these data alone")
        return [*lines, self._variance(), *self.notes]

    def _variance(self) -> str:
        """What the plan rests on, in a line."""
        parts = [f"standard error {self.standard_error:.2f}"]
        parts += [] if self.sd is None else [f"sd of a question's difference {self.sd:.1f}"]
        parts += [] if self.icc is None else [f"intraclass correlation {self.icc:.2f}"]
        parts += [] if self.design_effect is None else [f"design effect {self.design_effect:.2f}"]
        parts += [] if self.correlation is None else [f"correlation of the two systems {self.correlation:.2f}"]
        family = "" if self.comparisons == 1 else f" after Holm's correction for {self.comparisons:,} comparisons"
        return f"of the difference: {', '.join(parts)}; two-sided, alpha {self.alpha:g}{family}"


def _row(label: str, design: Design) -> tuple[Entry, ...]:
    bounds = (
        ""
        if design.low is None or design.high is None
        else f"{numbers.count(design.low)} to {numbers.count(design.high)}"
    )
    return label, numbers.count(design.documents), numbers.count(design.questions), bounds


def _share(power: float) -> str:
    return f"{100 * power:.0f} %" if power < 0.995 else "over 99 %"
