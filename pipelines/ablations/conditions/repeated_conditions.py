"""Ways to read the documents, each made several times: mean scores, and how far the runs of each differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.evaluation._repeats_table import DEVIATION_NOTES, Repeats, RepeatsTable, deviation_columns, mean_notes
from pipelines.results.conditions.condition_table import ConditionTable


@dataclass(frozen=True, slots=True)
class RepeatedConditions(View):
    """The `results` of calls of `versus` that differ in their seed alone, with what varies between the runs of a way.

    `variations` are by the way's name, for those with a result in each call; `notes` say why others have none.
    """

    results: tuple[ConditionTable, ...]
    variations: Mapping[str, RepeatsTable]
    notes: Sequence[str] = ()

    @property
    def primary_metric(self) -> str:
        """The score that the table shows."""
        return self.results[0].primary_metric

    def to_dict(self) -> dict[str, Any]:
        """The tables' folders, and what varies between the runs of each way."""
        variations = {name: table.to_dict() for name, table in self.variations.items()}
        folders = [str(table.folder) for table in self.results]
        fields = {"folders": folders, "primary_metric": self.primary_metric, "variations": variations}
        return {**fields, "notes": list(self.notes)}

    def tables(self) -> list[Table]:
        """A row for each way: its mean score, and the standard deviations between its runs."""
        rows = self.rows
        columns = (
            Column("way", lambda name: numbers.line(name)),
            Column(
                self.primary_metric, lambda name: rows[name].mean_score if name in rows else numbers.MISSING, "right"
            ),
            *deviation_columns(rows.get),
        )
        first = self.results[0]
        title = f"{first.title}, {counted(len(self.results), 'run')} of each way"
        return [
            Table(title, columns, [condition.name for condition in first.ways], tuple(map(numbers.line, self._lines())))
        ]

    @property
    def rows(self) -> dict[str, Repeats]:
        """By way what varies of the primary score."""
        return {
            name: row
            for name, table in self.variations.items()
            for row in table.scores
            if row.score == self.primary_metric
        }

    def lines_below(self) -> list[str]:
        """Where the tables are."""
        return [f"in {table.folder}" for table in self.results]

    def _lines(self) -> list[str]:
        return [
            f"{self.primary_metric}: the mean of all runs",
            *DEVIATION_NOTES,
            *mean_notes(list(self.rows.values())),
            *self.notes,
        ]
