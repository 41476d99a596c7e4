"""The result of an ablation: a cell per run, compared with the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from longdoc.plain_json import plain_fields, plain_value
from pipelines.display import numbers
from pipelines.display.table import Column, Score, Table
from pipelines.display.view import RowsView
from pipelines.results import output_counts
from pipelines.results.comparisons.cell import Cell
from pipelines.results.comparisons.summary import SCORES, TASK, flat_rows, summary


@dataclass(frozen=True, slots=True)
class TaskMean:
    """Cells that differ only in their task: the other settings, and the means of the scores that all tasks have."""

    settings: Mapping[str, Any]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ablation(RowsView):
    """A finished ablation: `axes` are the arguments that varied with their values, `baseline` is a cell's name.

    For several tasks `task` has their names with spaces between, the axis "task" comes first, and a cell is compared
    with the cell of its task that has the baseline's other settings.

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
        """Where the ablation is, and how long it took."""
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
            other_settings = {name: value for name, value in cell.settings.items() if name != TASK}
            groups.setdefault(repr(other_settings), []).append(cell)
        return [_mean(cells) for cells in groups.values() if len(cells) == len(self.axes[TASK])]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self) | ({"means": plain_value(self.means)} if TASK in self.axes else {})

    def __fspath__(self) -> str:
        """The folder, for functions that take a path."""
        return str(self.folder)

    def flat_rows(self) -> list[dict[str, Any]]:
        """One mapping per cell: settings, scores, intervals, differences, p, tokens, cost, error."""
        return flat_rows(self.cells, self.primary_metric, self.axes)

    def tables(self) -> list[Table]:
        """The table of the cells, and of several tasks that of the means."""
        outputs = [
            f"{cell.name}: {line}"
            for cell in self.cells
            for line in output_counts.describe(cell.counts.outputs, cell.counts.requests, cell.counts.examples)
        ]
        warnings = [*self.warnings, *outputs]
        title = f"{self.task}, {self.split}"
        cells = summary(title, self.cells, self.primary_metric, self.baseline, self.axes, warnings=warnings)
        return [cells, *([self._means_table(means)] if (means := self.means) else [])]

    def lines_below(self) -> list[str]:
        """The line with the folder and the time."""
        return [self.location]

    def _means_table(self, means: Sequence[TaskMean]) -> Table:
        """The table of the means over tasks, the primary metric first."""
        settings = [name for name in means[0].settings if len({repr(mean.settings[name]) for mean in means}) > 1]
        scores = sorted(means[0].scores, key=lambda name: name != self.primary_metric)[:SCORES]
        columns = [Column(name, partial(_mean_setting, name)) for name in settings]
        columns += [Column(name, partial(_mean_score, name), "right") for name in scores]
        return Table(f"mean of {len(self.axes[TASK])} tasks", tuple(columns), means)


def _mean_setting(name: str, mean: TaskMean) -> str:
    return numbers.setting(mean.settings[name])


def _mean_score(name: str, mean: TaskMean) -> Score:
    return Score(mean.scores[name])


def _mean(cells: Sequence[Cell]) -> TaskMean:
    first = cells[0]
    names = [name for name in first.scores if all(name in cell.scores for cell in cells)]
    settings = {name: value for name, value in first.settings.items() if name != TASK}
    return TaskMean(settings, {name: fmean(cell.scores[name] for cell in cells) for name in names})
