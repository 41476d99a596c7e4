"""The plan of an ablation, which is shown before it starts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.ablations.cells import PlannedCell
from pipelines.ablations.estimate import Estimate
from pipelines.display.numbers import duration

MANY_CELLS = 200  # more have to be confirmed
MOST_CELLS = 10_000  # their plans and scores are in memory together
MAX_SHOWN = 30  # cells that are listed


@dataclass(frozen=True, slots=True)
class AblationPlan:
    """The cells of an ablation and the estimate of what is left to do.

    `grid` says in words what varies; `baseline` is a cell's name. Cells that cannot run have their error.
    """

    task: str
    grid: str
    cells: Sequence[PlannedCell]
    estimate: Estimate
    baseline: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        cells = [
            {"name": cell.settings.name, "recipe": cell.recipe, "state": cell.state, "error": cell.error}
            for cell in self.cells
        ]
        record = {"task": self.task, "grid": self.grid, "baseline": self.baseline}
        return record | {"cells": cells, "estimate": asdict(self.estimate)}

    @property
    def summary(self) -> str:
        """The grid, the estimate, and the cells that cannot run, as text."""
        states = Counter(cell.state for cell in self.cells)
        state_counts = ", ".join(f"{count} {state}" for state, count in states.items())
        estimate = self.estimate
        lines = [f"{self.task}: {self.grid} ({state_counts})"]
        if states.keys() - {"finished"}:
            lines += [
                f"  {counted(estimate.examples, 'example')} over {counted(estimate.documents, 'document')}; "
                f"about {counted(estimate.requests, 'request')} with "
                f"{counted(estimate.prompt_tokens, 'prompt token')} left (fewer if some are identical)",
                f"  time: {_duration(estimate.seconds)}; cost: {_cost(estimate.cost, estimate.warm_cost)}",
            ]
        return "\n".join(lines + _lines([cell for cell in self.cells if cell.error is not None]))

    def __str__(self) -> str:
        """The summary, and the cells that can run."""
        return "\n".join([self.summary, *_lines([cell for cell in self.cells if cell.error is None])])


def _lines(cells: Sequence[PlannedCell]) -> list[str]:
    """One line per cell, at most `MAX_SHOWN`."""
    width = max((len(cell.settings.name) for cell in cells[:MAX_SHOWN]), default=0)
    lines = [
        f"  {cell.settings.name:<{width}}  {cell.state}{': ' + cell.error if cell.error else ''}"
        for cell in cells[:MAX_SHOWN]
    ]
    return [*lines, f"  … and {counted(len(cells) - MAX_SHOWN, 'more cell')}"] if len(cells) > MAX_SHOWN else lines


def check_size(grid: str, size: int, yes: bool) -> None:
    """Raise `UserError` for a grid of many cells that was not confirmed (`yes`), and for one of too many."""
    if size > MOST_CELLS:
        raise UserError(f"{grid}: at most {MOST_CELLS:,} cells can be compared at once; give shorter lists")
    if size > MANY_CELLS and not yes:
        raise UserError(f"{grid}: more than {MANY_CELLS} have to be confirmed, yes=True (--yes); or give shorter lists")


def _duration(seconds: float | None) -> str:
    return "not known for this reader" if seconds is None else f"about {duration(seconds)}"


def _cost(cost: float | None, warm_cost: float | None) -> str:
    if cost is None:
        return "no prices given"
    cached = "" if warm_cost is None or f"{warm_cost:.4g}" == f"{cost:.4g}" else f", {warm_cost:.4g} from warm caches"
    return f"at most about {cost:.4g}{cached}"
