"""The cells of a grid before they run: a plan and a folder for each, or why there is none."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.registry import describe
from pipelines.ablations.grid import CellSettings
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.spec import digest, recipe_of, spec_of
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.engine.running.active_run import default_folder
from pipelines.results.final_files import read_scores
from pipelines.results.run_folders.record import DamagedRecord, read_run, repeatable

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
        try:
            record = read_run(self.folder)
        except DamagedRecord:
            return "begun"
        if record is None:
            return "new"
        return "finished" if _finished(self.folder) and self._has_all(record) else "begun"

    def _has_all(self, record: Mapping[str, Any]) -> bool:
        """Whether a finished run has the examples of the plan; metrics can be added without a request."""
        present_value, wanted_count = record.get("limit"), self.plan.limit if self.plan else None
        return present_value is None or (wanted_count is not None and wanted_count <= present_value)


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
    has no description that tells it from others does the folder depend on the cell's name, and where cells differ in
    limit or metrics alone, on these.
    """
    planned = [_plan_cell(cell, make, out) for cell in cells]
    asked_values: dict[Path | None, set[str]] = {}
    for cell in planned:
        asked_values.setdefault(cell.folder, set()).add(_asked_text(cell))
    return [_apart_planned_cell(cell, out) if len(asked_values[cell.folder]) > 1 else cell for cell in planned]


def _plan_cell(cell: CellSettings, make: Callable[[Mapping[str, Any]], Plan], out: Path | None) -> PlannedCell:
    try:
        plan = make(cell.arguments)
        return _placed_planned_cell(cell, plan, out)
    except UserError as error:
        return PlannedCell(cell, "", error=str(error))


def _apart_planned_cell(cell: PlannedCell, out: Path | None) -> PlannedCell:
    """A cell where others are the same run with another limit or metrics: in a folder of its own."""
    if cell.plan is None:
        return cell
    try:
        return _placed_planned_cell(cell.settings, cell.plan, out, asked=_asked_text(cell))
    except UserError as error:
        return PlannedCell(cell.settings, "", error=str(error))


def _placed_planned_cell(cell: CellSettings, plan: Plan, out: Path | None, **more_values: str) -> PlannedCell:
    """The cell with its folder. Raises `UserError` where that cannot be read."""
    spec = spec_of(plan) | more_values
    if not repeatable(spec):  # objects are alike in the spec whatever they hold: the cell's name tells them apart
        spec = spec | {"cell": cell.name}
    folder = default_folder(plan, spec) if out is None else out / "runs" / digest(spec)
    check_run_path(folder)
    return PlannedCell(cell, recipe_of(plan), plan, folder)


def _asked_text(cell: PlannedCell) -> str:
    """The limit and the metrics of a cell, which are no part of a run's identity."""
    plan = cell.plan
    return json.dumps([plan.limit, {name: describe(value) for name, value in plan.metrics.items()}]) if plan else ""
