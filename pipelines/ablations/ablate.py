"""An ablation from grid to record: planned, shown, run together, read again from its folder."""

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.ablations import folder as kept
from pipelines.ablations.cells import Ready, ready
from pipelines.ablations.estimate import Estimate, estimate
from pipelines.ablations.planned import AblationPlan, check_size
from pipelines.ablations.request import AblationRequest
from pipelines.engine.engines.local import Local
from pipelines.engine.plan import Plan
from pipelines.engine.run_many import examples_key, execute_together, sharing
from pipelines.results.ablations.folder import AblationRecord, read
from pipelines.results.ablations.records import Ablation
from pipelines.sources import Dataset

NOTHING = Estimate(0, 0, 0, 0, 0.0, None)


def planned(request: AblationRequest) -> AblationPlan:
    """The cells and what is still to do.

    Raises `UserError` where no cell can run, for too many unconfirmed, a baseline that is no cell, and a folder that
    holds something else.
    """
    check_size(str(request.layout), request.layout.size, request.yes)
    if request.out is not None:
        kept.check_place(request.out)
    cells = ready(request.layout.cells(), request.make, request.out)
    plans = {cell.folder: cell.plan for cell in cells if cell.plan is not None and cell.folder is not None}
    if not plans:
        alike = len({cell.error for cell in cells}) == 1
        raise UserError(f"no cell can run{'' if alike else f'; the first, {cells[0].settings.name}'}: {cells[0].error}")
    if request.out is not None:
        kept.check(request.out, next(iter(plans.values())).task.name)
    baseline = _baseline(cells, request.baseline)
    shared = sharing(plans)
    cells = [cell if cell.folder is None else replace(cell, plan=shared[cell.folder]) for cell in cells]
    first = next(cell.plan for cell in cells if cell.plan is not None)
    return AblationPlan(first.task.name, str(request.layout), cells, _estimate(cells), baseline)


def run_cells(request: AblationRequest, engine: Local) -> tuple[Ablation, dict[Path, Dataset]]:
    """Run what is still to do, cells together; failed cells keep their error. The ablation, and each folder's data.

    Raises `UserError` where another process is at it, and what ended the first where all fail.
    """
    plan = planned(request)
    print(f"longdoc: {plan.summary}", file=sys.stderr)
    out = request.out or Path("runs") / f"{plan.task.replace('/', '-')}-ablation-{_digest(plan.cells)}"
    first = next(cell.plan for cell in plan.cells if cell.plan is not None)
    with kept.locked(out):
        records = _run(plan.cells, engine, out)
        content = AblationRecord(
            plan.task, first.split, request.layout.labels, plan.baseline, request.primary_metric, records
        )
        kept.write(out, content)
    data = {
        Path(os.path.normpath(c.folder)): c.plan.data for c in plan.cells if c.folder is not None and c.plan is not None
    }
    return read(out), data


def _run(cells: Sequence[Ready], engine: Local, out: Path) -> list[dict[str, Any]]:
    """The cells as `ablation.json` has them, after they ran. Raises what ended the first where all failed."""
    ended = execute_together({c.folder: c.plan for c in cells if c.folder is not None and c.plan is not None}, engine)
    errors: dict[Path | None, str] = {p: _told(end) for p, end in ended.items() if isinstance(end, Exception)}
    if len(errors) == len(ended):
        raise next(end for end in ended.values() if isinstance(end, Exception))
    return [kept.kept_cell(out, cell, cell.error or errors.get(cell.folder)) for cell in cells]


def _estimate(cells: Sequence[Ready]) -> Estimate:
    """Of the cells that are not finished, those over other examples one after the other."""
    groups: dict[str, dict[Path, Plan]] = {}
    for cell in cells:
        if cell.plan is not None and cell.folder is not None and cell.state != "finished":
            groups.setdefault(examples_key(cell.plan), {})[cell.folder] = cell.plan
    total = NOTHING
    for plans in groups.values():
        total = total.plus(estimate(list(plans.values())))
    return total


def _baseline(cells: Sequence[Ready], wanted: str | Mapping[str, Any] | None) -> str:
    """The name of the cell that the others are compared with: the first that can run, or the one that is described."""
    names = [cell.settings.name for cell in cells]
    if wanted is None:
        return next(cell.settings.name for cell in cells if cell.plan is not None)
    if isinstance(wanted, str) and wanted in names:
        return wanted
    text = wanted if isinstance(wanted, str) else ", ".join(f"{name}={value}" for name, value in wanted.items())
    found = [cell.settings.name for cell in cells if _described(cell, text)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"{len(found)} cells are {text!r}: say more, as in baseline={found[0]!r}")
    raise unknown("baseline", text, names)


def _described(cell: Ready, text: str) -> bool:
    """Whether the text consists of settings of the cell, longer ones taken out first."""
    for piece in sorted((f"{name}={value}" for name, value in cell.settings.values.items()), key=len, reverse=True):
        text = text.replace(piece, "")
    return not text.strip(", ")


def _told(error: Exception) -> str:
    """What a person can mend in a line; of a bug its last line and where it is."""
    if isinstance(error, UserError):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1:]
    at = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in place)
    traceback.print_exception(error, file=sys.stderr)
    return f"{type(error).__name__}: {error}{at}"


def _digest(cells: Sequence[Ready]) -> str:
    return sha256("\n".join(str(cell.folder) + cell.settings.name for cell in cells).encode()).hexdigest()[:8]
