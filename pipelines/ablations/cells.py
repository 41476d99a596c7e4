"""The cells of a grid before they run: a plan and a folder for each, or the reason why there is none."""

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
        """The state of the run in the cell's folder."""
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
        """Whether a finished run has all examples of the plan. (Metrics can be added without a request.)"""
        recorded_limit, limit = record.get("limit"), self.plan.limit if self.plan else None
        return recorded_limit is None or (limit is not None and limit <= recorded_limit)


def _finished(folder: Path) -> bool:
    """Whether a run has scores, and no failed examples, which would be asked again."""
    try:
        return not read_scores(folder).get("failures")
    except (OSError, UserError):
        return False


def plan_cells(
    cells: Iterable[CellSettings], make: Callable[[Mapping[str, Any]], Plan], out: Path | None
) -> list[PlannedCell]:
    """The cells with their plans; where `make` raises `UserError`, with the reason.

    Without `out` the folder of a cell is the default folder of its run, so that no run is repeated. Only where an
    object has no description that tells it from others, the folder depends on the cell's name; and where cells differ
    in limit or metrics alone, on these.
    """
    planned_cells = [_plan_cell(cell, make, out) for cell in cells]
    scopes: dict[Path | None, set[str]] = {}
    for cell in planned_cells:
        scopes.setdefault(cell.folder, set()).add(_scope_text(cell))
    return [_separate_cell(cell, out) if len(scopes[cell.folder]) > 1 else cell for cell in planned_cells]


def _plan_cell(cell: CellSettings, make: Callable[[Mapping[str, Any]], Plan], out: Path | None) -> PlannedCell:
    """The cell with its plan and folder, or with the reason why it has none."""
    try:
        plan = make(cell.arguments)
        return _placed_cell(cell, plan, out)
    except UserError as error:
        return PlannedCell(cell, "", error=str(error))


def _separate_cell(cell: PlannedCell, out: Path | None) -> PlannedCell:
    """A cell in a folder of its own, as others are the same run with another limit or metrics."""
    if cell.plan is None:
        return cell
    try:
        return _placed_cell(cell.settings, cell.plan, out, asked=_scope_text(cell))
    except UserError as error:
        return PlannedCell(cell.settings, "", error=str(error))


def _placed_cell(cell: CellSettings, plan: Plan, out: Path | None, **extra_fields: str) -> PlannedCell:
    """The cell with its folder, whose name depends on the `extra_fields` too. Raises `UserError` for a wrong folder."""
    spec = spec_of(plan) | extra_fields
    if not repeatable(spec):  # objects are alike in the spec whatever they hold: the cell's name tells them apart
        spec = spec | {"cell": cell.name}
    folder = default_folder(plan, spec) if out is None else out / "runs" / digest(spec)
    check_run_path(folder)
    return PlannedCell(cell, recipe_of(plan), plan, folder)


def _scope_text(cell: PlannedCell) -> str:
    """The limit and the metrics of a cell, which its run's spec does not have, as JSON."""
    plan = cell.plan
    return json.dumps([plan.limit, {name: describe(value) for name, value in plan.metrics.items()}]) if plan else ""
