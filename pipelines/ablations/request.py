"""The request for an ablation: what varies, and how a cell's arguments become a plan."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.files import output_folder
from pipelines import tasks
from pipelines.ablations.grid import Grid, ParameterGrid, parameter_grid
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.options import planned_arguments
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.task_data import data_of
from pipelines.results.comparisons.summary import TASK
from pipelines.tasks import Task

GridSpec = Grid | Sequence[Mapping[str, Any]] | str | Path


@dataclass(frozen=True, slots=True)
class AblationRequest:
    """The arguments of `ablate`. `make` turns a cell's arguments into a plan, or raises `UserError`.

    `tasks` are the names of the tasks. `what` names the command, for the default folder and for messages.

    For a table of conditions, `condition_fields` has further fields of cells for `ablation.json`, by the cell's name;
    `given_cells` are the cells of runs and predictions that were given, and `notes` name conditions that cannot be run.
    """

    tasks: tuple[str, ...]
    grid: ParameterGrid
    make: Callable[[Mapping[str, Any]], Plan]
    out: Path | None = None
    baseline: str | Mapping[str, Any] | None = None
    primary_metric: str | None = None
    yes: bool = False
    what: Literal["ablation", "versus"] = "ablation"
    condition_fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    given_cells: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()


def grid_of(task: Any = None, *, grid: Any = None, **arguments: Any) -> ParameterGrid:
    """The axes and variants of an ablation; several tasks are the first axis. Raises `UserError`."""
    arguments = {name: value for name, value in arguments.items() if name not in ("baseline", "primary_metric")}
    parsed_grid = _grid(grid)
    chosen_tasks = _tasks(task if task is not None else parsed_grid.task)
    if len(chosen_tasks) > 1:
        arguments = {TASK: [task.name for task in chosen_tasks], **arguments}
    return parameter_grid(planned_arguments() | {TASK}, parsed_grid, arguments)


def ablation_request(
    *,
    task: TaskSpec | Sequence[TaskSpec] | None,
    grid: GridSpec | None = None,
    baseline: str | Mapping[str, Any] | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    yes: bool = False,
    **arguments: Any,
) -> AblationRequest:
    """The ablation that the arguments of `ablate` ask for. Raises `UserError`."""
    parsed_grid = _grid(grid)
    chosen_tasks = _tasks(task if task is not None else parsed_grid.task)
    if not chosen_tasks:
        raise UserError("name a task, as in ablate('narrativeqa', k=[1, 2, 5]), or `task: narrativeqa` in the grid")
    by_name = {task.name: task for task in chosen_tasks}

    def make(cell: Mapping[str, Any]) -> Plan:
        task = by_name[cell[TASK]] if TASK in cell else chosen_tasks[0]
        arguments = {name: value for name, value in cell.items() if name not in (TASK, "data")}
        return make_plan(task, data=data_of(task, chosen_tasks, cell.get("data"), cell.get("split")), **arguments)

    return AblationRequest(
        tuple(by_name),
        grid_of(chosen_tasks, grid=parsed_grid, **arguments),
        make,
        None if out is None else output_folder(out),
        parsed_grid.baseline if baseline is None else baseline,
        parsed_grid.primary_metric if primary_metric is None else primary_metric,
        yes,
    )


def _tasks(task: Any) -> list[Task]:
    """The tasks of a spec: of one task, a benchmark or a list; none for None."""
    return [] if task is None else tasks.task_list(task)


def _grid(grid: GridSpec | None) -> Grid:
    """The grid of a spec: an object, a list of variants or a file; an empty one for None."""
    if grid is None or isinstance(grid, Grid):
        return grid or Grid()
    return Grid.read(grid) if isinstance(grid, (str, Path)) else Grid(tuple(grid))
