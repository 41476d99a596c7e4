"""An ablation as it is asked for: what varies, and how a cell's arguments become a plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import to_write
from pipelines.ablations.grid import Grid, Layout, layout
from pipelines.engine.plan import ARGUMENTS, Plan, make_plan


@dataclass(frozen=True, slots=True)
class AblationRequest:
    """An ablation as it was asked for. `make` turns a cell's arguments into a plan, or raises `UserError`."""

    layout: Layout
    make: Callable[[Mapping[str, Any]], Plan]
    out: Path | None = None
    baseline: str | Mapping[str, Any] | None = None
    primary_metric: str | None = None
    yes: bool = False


def lay_out(task: Any = None, *, grid: Any = None, **arguments: Any) -> Layout:
    """The axes and variants of an ablation; no cell is made. Raises `UserError`."""
    apart = {"baseline", "primary_metric"}
    return layout(ARGUMENTS, _grid(grid), {name: value for name, value in arguments.items() if name not in apart})


def request_of(
    *, task: Any, grid: Any = None, baseline: Any = None, primary_metric: Any = None, out: Any = None,
    yes: bool = False, **arguments: Any,
) -> AblationRequest:  # fmt: skip
    """The ablation that the arguments of `ablate` ask for. Raises `UserError`."""
    read = _grid(grid)
    chosen = task if task is not None else read.task
    if chosen is None:
        raise UserError("name a task, as in ablate('narrativeqa', k=[1, 2, 5]), or `task: narrativeqa` in the grid")

    def make(cell: Mapping[str, Any]) -> Plan:
        return make_plan(chosen, **{"seed": 0, **cell})

    return AblationRequest(
        lay_out(grid=read, **arguments),
        make,
        None if out is None else to_write(out),
        read.baseline if baseline is None else baseline,
        read.primary_metric if primary_metric is None else primary_metric,
        yes,
    )


def _grid(grid: Any) -> Grid:
    if grid is None or isinstance(grid, Grid):
        return grid or Grid()
    return Grid.read(grid) if isinstance(grid, (str, Path)) else Grid(tuple(grid))
