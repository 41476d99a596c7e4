"""The result of an ablation: a cell per run, compared with the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.plain_values import plain_fields
from pipelines.results import frames, output_counts
from pipelines.results.comparisons.records import Cell
from pipelines.results.comparisons.summary import flat_rows, summary
from pipelines.results.display.table import Table, html, plain


@dataclass(frozen=True, slots=True)
class Ablation:
    """A finished ablation: `axes` are the arguments that varied with their values, `baseline` is a cell's name.

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
    def where(self) -> str:
        """The folder, and the time that it took."""
        return f"in {self.folder}" + ("" if self.seconds is None else f", {self.seconds:.1f} s")

    @property
    def finished(self) -> list[Cell]:
        """The cells that have scores."""
        return [cell for cell in self.cells if cell.error is None]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def to_frame(self) -> Any:
        """A pandas data frame, one row per cell: settings, scores, intervals, differences, p, tokens, cost, error."""
        return frames.of_rows(flat_rows(self.cells, self.primary_metric, self.axes))

    def table(self) -> Table:
        """The cells side by side: the settings that vary, the first scores, the difference from the baseline."""
        title, axes = f"{self.task}, {self.split}", self.axes
        outputs = [
            f"{cell.name}: {line}"
            for cell in self.cells
            for line in output_counts.describe(cell.outputs, cell.requests, cell.examples)
        ]
        return summary(title, self.cells, self.primary_metric, self.baseline, axes, warnings=[*self.warnings, *outputs])

    def __str__(self) -> str:
        """The table as plain text, and the folder."""
        return f"{plain(self.table())}\n  {self.where}"

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())
