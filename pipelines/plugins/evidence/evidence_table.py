"""The result of `pipelines.evidence`: a row for every task, chunker, retriever and budget, and the mean over tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from longdoc.errors import UserError
from longdoc.plain_json import plain_fields
from pipelines.display import numbers
from pipelines.display.table import Table
from pipelines.display.view import RowsView
from pipelines.plugins.evidence import plots
from pipelines.plugins.evidence.evidence_row import EvidenceRow
from pipelines.plugins.evidence.row_tables import places_table, scores_table
from pipelines.results.scores import Scores


@dataclass(frozen=True, slots=True)
class EvidenceTable(RowsView):
    """The rows by task, in the order of tasks, budgets and ways to select.

    `splits` has each task's split, `signatures` how each score was computed, `folder` where the files are, if anywhere.
    """

    splits: Mapping[str, str]
    rows: Sequence[EvidenceRow]
    signatures: Mapping[str, str]
    warnings: Sequence[str] = ()
    folder: Path | None = None
    seconds: float | None = field(default=None, compare=False)

    SEPARATOR: ClassVar[str] = "\n\n"

    @property
    def means(self) -> list[EvidenceRow]:
        """The means over tasks of settings that all tasks have, without intervals; empty for one task."""
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
        """A table for each task, and one of means; with `places` each followed by recall by place in the document."""
        tables: list[Table] = []
        blocks = [(f"{task}, {split}", self.of_task(task)) for task, split in self.splits.items()]
        if means := self.means:
            blocks.append((means[0].task, means))
        for title, rows in blocks:
            tables.append(scores_table(title, rows))
            if places:
                tables.append(places_table(title, rows))
        below = [*(f"warning: {numbers.line(text)}" for text in self.warnings)]
        below += [f"in {self.folder}"] if self.folder else []
        return [*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, *below))]

    def plot(self, path: str | Path, task: str | None = None, against: str = "budget") -> None:
        """Plot a task's evidence recall against the budget, or the place (`against="place"`): PNG, SVG or PDF.

        `task` is the only one, else the mean over tasks, by default. Raises `UserError` without matplotlib.
        """
        if task is not None and task not in self.splits:
            raise UserError(f"there is no task {task!r} in this table: {', '.join(self.splits)}")
        rows = self.of_task(task or next(iter(self.splits))) if task or len(self.splits) == 1 else self.means
        title = task or (next(iter(self.splits)) if len(self.splits) == 1 else f"mean of {len(self.splits)} tasks")
        plots.write(rows, Path(path), title, against)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self) | {"means": [plain_fields(row) for row in self.means]}

    def flat_rows(self) -> list[dict[str, Any]]:
        """One mapping for each row, means last: settings, words, scores, bounds, recall by tenth."""
        names = dict.fromkeys(name for row in self.rows for name in row.scores)
        return [_flat(row, list(names)) for row in (*self.rows, *self.means)]


def _mean(rows: Sequence[EvidenceRow]) -> EvidenceRow:
    first = rows[0]
    names = [name for name in first.scores if all(name in row.scores for row in rows)]
    tenths = zip(*(row.places for row in rows), strict=True)
    return EvidenceRow(
        task=f"mean of {len(rows)} tasks",
        chunker=first.key[0] if len({row.chunker for row in rows}) > 1 else first.chunker,
        retriever=first.retriever,
        budget=first.budget,
        words=fmean(row.words for row in rows),
        scores=Scores({name: fmean(row.scores[name] for row in rows) for name in names}),
        places=[
            fmean(known) if (known := [value for value in tenth if value is not None]) else None for tenth in tenths
        ],
        examples=sum(row.examples for row in rows),
        with_evidence=sum(row.with_evidence for row in rows),
        documents=sum(row.documents for row in rows),
        oracle=first.oracle,
        own_chunker=first.own_chunker,
    )


def _flat(row: EvidenceRow, names: Sequence[str]) -> dict[str, Any]:
    settings = {name: getattr(row, name) for name in ("task", "chunker", "retriever", "budget")}
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
