"""The result of an ablation: a cell per run, compared with the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from longdoc.plain_values import plain_fields, plain_value
from pipelines.display import numbers
from pipelines.display.table import Entry, Score, Table, html
from pipelines.display.table import plain_text as as_text
from pipelines.results import frames, output_counts
from pipelines.results.comparisons.cell import Cell
from pipelines.results.comparisons.summary import SCORES, TASK, flat_rows, summary


@dataclass(frozen=True, slots=True)
class TaskMean:
    """Cells that differ in their task only: the other settings, and the means of the scores that all tasks have."""

    settings: Mapping[str, Any]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ablation:
    """A finished ablation: `axes` are the arguments that varied with their values, `baseline` is a cell's name.

    Of several tasks `task` has their names with spaces between, the axis "task" comes first, and a cell is compared
    with that of its task which is otherwise as the baseline.

    `primary_metric` names the score that tables and plots lead with. `seconds` is the time from the call to its end,
    the reports included; None for an ablation that was read from its folder.
    """

    task: str
    split: str
    axes: Mapping[str, Sequence[Any]]
    baseline: str
    primary_metric: str
    cells: Sequence[Cell]
    folder: Path
    warnings: Sequence[str] = ()
    seconds: float | None = field(default=None, compare=False)

    @property
    def location(self) -> str:
        """The folder, and the time that it took."""
        return f"in {self.folder}" + ("" if self.seconds is None else f", {self.seconds:.1f} s")

    @property
    def finished(self) -> list[Cell]:
        """The cells that have scores."""
        return [cell for cell in self.cells if cell.error is None]

    @property
    def means(self) -> list[TaskMean]:
        """The means over tasks of cells that finished on all of them; empty for one task."""
        groups: dict[str, list[Cell]] = {}
        for cell in self.finished if TASK in self.axes else ():
            other_fields = {name: value for name, value in cell.settings.items() if name != TASK}
            groups.setdefault(repr(other_fields), []).append(cell)
        return [_mean(cells) for cells in groups.values() if len(cells) == len(self.axes[TASK])]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self) | ({"means": plain_value(self.means)} if TASK in self.axes else {})

    def to_frame(self) -> Any:
        """A pandas data frame, one row per cell: settings, scores, intervals, differences, p, tokens, cost, error."""
        return frames.rows_frame(flat_rows(self.cells, self.primary_metric, self.axes))

    def table(self) -> Table:
        """The cells side by side: the settings that vary, the first scores, the difference from the baseline."""
        title, axes = f"{self.task}, {self.split}", self.axes
        outputs = [
            f"{cell.name}: {line}"
            for cell in self.cells
            for line in output_counts.describe(cell.counts.outputs, cell.counts.requests, cell.counts.examples)
        ]
        return summary(title, self.cells, self.primary_metric, self.baseline, axes, warnings=[*self.warnings, *outputs])

    def means_table(self) -> Table | None:
        """The means over tasks, the primary metric first; None where there are none."""
        if not (means := self.means):
            return None
        settings = [name for name in means[0].settings if len({repr(mean.settings[name]) for mean in means}) > 1]
        scores = sorted(means[0].scores, key=lambda name: name != self.primary_metric)[:SCORES]
        rows: tuple[tuple[Entry, ...], ...] = tuple(
            (
                *(numbers.setting(mean.settings[name]) for name in settings),
                *(Score(mean.scores[name]) for name in scores),
            )
            for mean in means
        )
        right = frozenset(range(len(settings), len(settings) + len(scores)))
        return Table(f"mean of {len(self.axes[TASK])} tasks", (*settings, *scores), rows, right=right)

    def __str__(self) -> str:
        """The tables as plain text, and the folder."""
        tables = [self.table(), *filter(None, [self.means_table()])]
        return "\n".join([*(as_text(table) for table in tables), f"  {self.location}"])

    def _repr_html_(self) -> str:
        """The tables, for notebooks."""
        return "\n".join(html(table) for table in filter(None, [self.table(), self.means_table()]))


def _mean(cells: Sequence[Cell]) -> TaskMean:
    first = cells[0]
    names = [name for name in first.scores if all(name in cell.scores for cell in cells)]
    settings = {name: value for name, value in first.settings.items() if name != TASK}
    return TaskMean(settings, {name: fmean(cell.scores[name] for cell in cells) for name in names})
