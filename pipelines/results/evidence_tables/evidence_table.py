"""What `pipelines.evidence` returns: a row for every task, chunker, retriever and budget, and the mean over tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.plain_values import Record, plain_fields
from pipelines.display.table import Table, html, plain_text
from pipelines.results import frames
from pipelines.results.scores import Scores

TENTHS = 10
OWN_TEXT = "its own"  # the chunker of a retriever that brings one which differs from task to task


@dataclass(frozen=True, slots=True)
class EvidenceRow(Record):
    """One way to select, on one task: scores 0–100 by name, their intervals by document, the words really shown.

    `select` is the budget as it was given. `examples` counts all, `with_evidence` those that the scores of evidence are
    over; "answer_recall" is over the others, where their task says that answers are in the text. `places` is the
    evidence recall by tenth of the document, None where no evidence is in it. `oracle` says whether the ranking knows
    the gold. `own_chunker` says that the retriever brought the chunker.
    """

    task: str
    chunker: str
    retriever: str
    select: str
    words: float
    scores: Scores
    places: Sequence[float | None]
    examples: int
    with_evidence: int
    documents: int
    oracle: bool = False
    own_chunker: bool = False

    KEYS: ClassVar[Sequence[str]] = (
        "task", "chunker", "retriever", "select", "words", "scores", "scores.intervals", "places", "examples",
        "with_evidence", "documents", "oracle", "own_chunker",
    )  # fmt: skip

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes rows of several tasks the same way to select."""
        return (OWN_TEXT if self.own_chunker else self.chunker, self.retriever, self.select)


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """The rows by task, in the order of tasks, budgets and ways to select.

    `splits` has each task's split, `signatures` how each score was computed, `folder` where the files are, if anywhere.
    """

    splits: Mapping[str, str]
    rows: Sequence[EvidenceRow]
    signatures: Mapping[str, str]
    warnings: Sequence[str] = ()
    folder: Path | None = None
    seconds: float | None = field(default=None, compare=False)

    @property
    def means(self) -> list[EvidenceRow]:
        """The means over tasks, of what was measured on all of them; empty for one task. They have no intervals."""
        if len(self.splits) < 2:
            return []
        groups: dict[tuple[str, str, str], list[EvidenceRow]] = {}
        for row in self.rows:
            groups.setdefault(row.key, []).append(row)
        return [_mean(rows) for rows in groups.values() if len(rows) == len(self.splits)]

    def of_task(self, task: str) -> list[EvidenceRow]:
        """The rows of one task."""
        return [row for row in self.rows if row.task == task]

    def tables(self, places: bool = False) -> list[Table]:
        """A table for each task, and one of means; with `places` also recall by place in the document."""
        from pipelines.results.evidence_tables import render

        return render.tables(self, places)

    def plot(self, path: str | Path, task: str | None = None, against: str = "select") -> None:
        """Plot a task's evidence recall against the budget, or the place (`against="place"`): PNG, SVG or PDF.

        `task` is the only one, else the mean over tasks, by default. Raises `UserError` without matplotlib.
        """
        from pipelines.results.evidence_tables import plots

        if task is not None and task not in self.splits:
            raise UserError(f"there is no task {task!r} in this table: {', '.join(self.splits)}")
        rows = self.of_task(task or next(iter(self.splits))) if task or len(self.splits) == 1 else self.means
        title = task or (next(iter(self.splits)) if len(self.splits) == 1 else f"mean of {len(self.splits)} tasks")
        plots.write(rows, Path(path), title, against)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self) | {"means": [plain_fields(row) for row in self.means]}

    def flat(self) -> list[dict[str, Any]]:
        """One mapping for each row, means last: settings, words, scores, bounds, recall by tenth."""
        names = dict.fromkeys(name for row in self.rows for name in row.scores)
        return [_flat(row, list(names)) for row in (*self.rows, *self.means)]

    def to_frame(self) -> Any:
        """A pandas data frame of `flat()`."""
        return frames.rows_frame(self.flat())

    def __str__(self) -> str:
        """The tables as plain text."""
        return "\n\n".join(plain_text(table) for table in self.tables())

    def _repr_html_(self) -> str:
        """The tables, for notebooks."""
        return "\n".join(html(table) for table in self.tables())


def _mean(rows: Sequence[EvidenceRow]) -> EvidenceRow:
    first = rows[0]
    names = [name for name in first.scores if all(name in row.scores for row in rows)]
    tenths = zip(*(row.places for row in rows), strict=True)
    return EvidenceRow(
        task=f"mean of {len(rows)} tasks",
        chunker=first.key[0] if len({row.chunker for row in rows}) > 1 else first.chunker,
        retriever=first.retriever,
        select=first.select,
        words=fmean(row.words for row in rows),
        scores=Scores({name: fmean(row.scores[name] for row in rows) for name in names}),
        places=[
            fmean(known_entries) if (known_entries := [value for value in tenth if value is not None]) else None
            for tenth in tenths
        ],
        examples=sum(row.examples for row in rows),
        with_evidence=sum(row.with_evidence for row in rows),
        documents=sum(row.documents for row in rows),
        oracle=first.oracle,
        own_chunker=first.own_chunker,
    )


def _flat(row: EvidenceRow, names: Sequence[str]) -> dict[str, Any]:
    settings = {name: getattr(row, name) for name in ("task", "chunker", "retriever", "select")}
    counts = {name: getattr(row, name) for name in ("examples", "with_evidence", "documents", "words")}
    scores: dict[str, Any] = {}
    for name in names:
        bounds = row.scores.intervals.get(name)
        scores |= {
            name: row.scores.get(name),
            f"{name}_low": bounds and bounds.low,
            f"{name}_high": bounds and bounds.high,
        }
    tenths = {f"evidence_recall_tenth_{position}": value for position, value in enumerate(row.places, 1)}
    return settings | counts | scores | tenths
