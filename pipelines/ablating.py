"""The verbs about many runs at once: `ablate`, what it would do, and what varies in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import to_write
from pipelines.ablations.ablate import Asked, planned, run_cells
from pipelines.ablations.grid import Grid, Layout, layout
from pipelines.ablations.planned import AblationPlan
from pipelines.engine import engines
from pipelines.engine.plan import ARGUMENTS, Plan, make_plan
from pipelines.results import reports
from pipelines.results.ablations.records import Ablation


def ablate(
    task: Any = None,
    *,
    grid: Grid | Sequence[Mapping[str, Any]] | str | Path | None = None,
    baseline: str | Mapping[str, Any] | None = None,
    lead: str | None = None,
    out: str | Path | None = None,
    engine: Any = "local",
    yes: bool = False,
    **arguments: Any,
) -> Ablation:
    """Run a task many ways and compare them: `arguments` are `run`'s, and a list given to one of them is an axis.

    - `grid`: named variants beside the axes: a `Grid`, its list of mappings, or a YAML file.
    - `baseline`: the cell that the others are compared with, by its name or its settings; the first by default.
    - `lead`: the figure that tables and plots lead with; the task's first by default.
    - `out`: the ablation's folder, with its runs in `runs/`; by default the runs lie where `run` would put them, and
      the ablation beside them. What was run before is not run again, so that a longer list computes the new cells only.
    - `yes`: start a grid of many cells.

    Documents are read once for all cells, split once for each chunker, indexed once for each retriever; equal requests
    are asked once. The models of all cells are in memory together; where they do not fit, run each alone with the same
    `out`, then all, which finds them finished and loads none.

    The plan is shown on stderr first. A cell that fails keeps its error, and the others go on. Raises `UserError` for
    an empty grid, a large one without `yes`, and where no cell can run.
    """
    driver = engines.get(engine)  # what was typed is checked before the data are read
    given = {"task": task, "grid": grid, "baseline": baseline, "lead": lead, "out": out, "yes": yes}
    ablation, data = run_cells(_asked(**given, **arguments), driver)
    reports.write_for(ablation.folder, next(iter(data.values())), ablation)
    for folder in dict.fromkeys(cell.folder for cell in ablation.finished):
        if folder is not None and reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    return ablation


def plan_ablation(task: Any = None, *, engine: Any = "local", **arguments: Any) -> AblationPlan:
    """What `ablate` with the same arguments would do: cells, requests, about how long and for how much.

    A small pilot is split, indexed and asked to tell the time, so weights are loaded; nothing is written.
    """
    engines.get(engine)
    return planned(_asked(task=task, **arguments))


def lay_out(task: Any = None, *, grid: Any = None, **arguments: Any) -> Layout:
    """The axes and variants of an ablation; no cell is made. Raises `UserError`."""
    apart = {"baseline", "lead"}
    return layout(ARGUMENTS, _grid(grid), {name: value for name, value in arguments.items() if name not in apart})


def _asked(
    *, task: Any, grid: Any = None, baseline: Any = None, lead: Any = None, out: Any = None, yes: bool = False,
    **arguments: Any,
) -> Asked:  # fmt: skip
    read = _grid(grid)
    chosen = task if task is not None else read.task
    if chosen is None:
        raise UserError("name a task, as in ablate('narrativeqa', k=[1, 2, 5]), or `task: narrativeqa` in the grid")

    def make(cell: Mapping[str, Any]) -> Plan:
        return make_plan(chosen, **{"seed": 0, **cell})

    return Asked(
        lay_out(grid=read, **arguments),
        make,
        None if out is None else to_write(out),
        read.baseline if baseline is None else baseline,
        read.lead if lead is None else lead,
        yes,
    )


def _grid(grid: Any) -> Grid:
    if grid is None or isinstance(grid, Grid):
        return grid or Grid()
    return Grid.read(grid) if isinstance(grid, (str, Path)) else Grid(tuple(grid))
