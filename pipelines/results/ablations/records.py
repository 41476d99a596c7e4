"""What an ablation gives back: a cell for each run, compared with the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pipelines.results import frames, output_counts
from pipelines.results.comparisons.records import Difference, Interval
from pipelines.results.comparisons.summary import flat, summary
from pipelines.results.display.table import Table, html, plain


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of an ablation. `settings` are the values of the axes that make it, as they were typed.

    `folder` is an ordinary run's folder. A failed cell has `error`, no scores, and perhaps no folder. `failures` say
    what went wrong by example; `tokens_shown` is the mean of prompt tokens an example; `cost` is money where the reader
    has prices, None elsewhere. `differences` are to the baseline and empty for the baseline itself. `outputs` counts
    the model's that ended at their length, are empty or were refused, and their examples.
    """

    name: str
    settings: Mapping[str, Any]
    recipe: str
    folder: Path | None
    scores: Mapping[str, float] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    not_computed: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    examples: int = 0
    documents: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_shown: float = 0.0
    cost: float | None = None
    error: str | None = None
    outputs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ablation:
    """A finished ablation: `axes` are the arguments that varied with their values, `baseline` a cell's name.

    `metric` is the figure that tables and plots lead with.
    """

    task: str
    split: str
    axes: Mapping[str, Sequence[Any]]
    baseline: str
    metric: str
    cells: Sequence[Cell]
    folder: Path
    warnings: Sequence[str] = ()

    @property
    def finished(self) -> list[Cell]:
        """The cells that have scores."""
        return [cell for cell in self.cells if cell.error is None]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return _plain(asdict(self))  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """A pandas frame, one row a cell: settings, figures, bounds, differences, p values, tokens, cost, error."""
        return frames.of_rows(flat(self.cells, self.metric, self.axes))

    def table(self) -> Table:
        """The cells side by side: the settings that vary, the leading figures, the difference to the baseline."""
        title, axes = f"{self.task}, {self.split}", self.axes
        said = [
            f"{cell.name}: {line}"
            for cell in self.cells
            for line in output_counts.said(cell.outputs, cell.requests, cell.examples)
        ]
        return summary(title, self.cells, self.metric, self.baseline, axes, warnings=[*self.warnings, *said])

    def __str__(self) -> str:
        """The table as plain text, and where everything lies."""
        return f"{plain(self.table())}\n  in {self.folder}"

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value
