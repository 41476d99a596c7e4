"""The cells of a grid before they run: a plan and a folder for each, or why there is none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError
from pipelines.ablations.grid import CellSettings
from pipelines.engine.active_run import default_folder
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.spec import digest, recipe_of, spec_of
from pipelines.results.records import read_scores
from pipelines.results.run_folders.record import read_run, repeatable

State = Literal["new", "begun", "finished", "cannot run"]


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A cell before it runs. Cells that are the same run share its folder."""

    settings: CellSettings
    recipe: str
    plan: Plan | None = None
    folder: Path | None = None
    error: str | None = None

    @property
    def state(self) -> State:
        """What its folder holds."""
        if self.folder is None:
            return "cannot run"
        if read_run(self.folder) is None:
            return "new"
        return "finished" if _finished(self.folder) else "begun"


def _finished(folder: Path) -> bool:
    """Whether there are scores, and no examples that failed: those are asked for again."""
    try:
        return not read_scores(folder).get("failures")
    except (OSError, UserError):
        return False


def plan_cells(
    cells: Iterable[CellSettings], make: Callable[[Mapping[str, Any]], Plan], out: Path | None
) -> list[PlannedCell]:
    """The cells with their plans; one that `make` refuses (`UserError`) is kept with the reason.

    Without `out` the folder of a cell is that of the same run alone, so that no run is repeated. Only where an object
    has no description that tells it from others does the folder depend on the cell's name.
    """
    return [_plan_cell(cell, make, out) for cell in cells]


def _plan_cell(cell: CellSettings, make: Callable[[Mapping[str, Any]], Plan], out: Path | None) -> PlannedCell:
    try:
        plan = make(cell.arguments)
        folder = _folder(plan, cell.name, out)
        read_run(folder)
    except UserError as error:
        return PlannedCell(cell, "", error=str(error))
    return PlannedCell(cell, recipe_of(plan), plan, folder)


def _folder(plan: Plan, name: str, out: Path | None) -> Path:
    spec = spec_of(plan)
    if not repeatable(spec):  # objects are alike in the spec whatever they hold: the cell's name tells them apart
        spec = spec | {"cell": name}
    return default_folder(plan, spec) if out is None else out / "runs" / digest(spec)
