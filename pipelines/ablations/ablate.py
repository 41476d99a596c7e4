"""An ablation from grid to record: planned, its runs made together, and read again from its folder."""

import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, error_with_hint, unknown
from longdoc.links import refuse_links_between
from longdoc.messages import counted, visible
from pipelines.ablations import ablation_folder as ablation_folder
from pipelines.ablations.cells import PlannedCell, plan_cells
from pipelines.ablations.estimate import Estimate, estimate
from pipelines.ablations.plan import AblationPlan, check_size
from pipelines.ablations.request import AblationRequest
from pipelines.engine import interruption_note
from pipelines.engine.engines import Engine
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import shown_data
from pipelines.engine.planning.spec import started_by_ablation
from pipelines.engine.running.active_run import NoAnswers
from pipelines.engine.running.execution_options import DEFAULT, ExecutionOptions
from pipelines.engine.running.run_many import examples_key, run_many, share_components
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.ablation_file import AblationRecord, read
from pipelines.results.run_folders.entry import finished_examples
from pipelines.sources import Dataset

EMPTY_ESTIMATE = Estimate(0, 0, 0, 0, 0.0, None)


def make_ablation_plan(request: AblationRequest) -> AblationPlan:
    """The cells of an ablation, and the estimate of what is left to do.

    Raises `UserError` where no cell can run, for many cells that were not confirmed, a baseline that is not a cell, and
    a folder that holds something else.
    """
    check_size(str(request.grid), request.grid.size, request.yes)
    if request.out is not None:
        ablation_folder.check_path(request.out)
    cells = plan_cells(request.grid.cells(), request.make, request.out)
    plans = {cell.folder: cell.plan for cell in cells if cell.plan is not None and cell.folder is not None}
    if not plans:
        is_alike = len({cell.error for cell in cells}) == 1
        raise UserError(
            f"no cell can run{'' if is_alike else f'; the first, {cells[0].settings.name}'}: {cells[0].error}"
        )
    if request.out is not None:
        ablation_folder.check(request.out, " ".join(request.tasks), request.what)
    baseline = _baseline(cells, request.baseline)
    shared = share_components(plans)
    cells = [cell if cell.folder is None else replace(cell, plan=shared[cell.folder]) for cell in cells]
    return AblationPlan(" ".join(request.tasks), str(request.grid), cells, _estimate(cells), baseline)


def run_ablation(
    request: AblationRequest, engine: Engine, options: ExecutionOptions = DEFAULT
) -> tuple[Ablation, dict[Path, Dataset]]:
    """Run the cells that are not finished, together. Returns the ablation, and the data of each run's folder.

    Failed cells keep their error. Raises `UserError` where another process uses the folder, and the first error where
    all cells fail.
    """
    out, data = run_cells(request, make_ablation_plan(request), engine, options)
    return read(out), data


def run_cells(
    request: AblationRequest, plan: AblationPlan, engine: Engine, options: ExecutionOptions = DEFAULT
) -> tuple[Path, dict[Path, Dataset]]:
    """Run the cells as `run_ablation`, without reading the scores again. Returns the ablation's folder instead."""
    print(visible(f"longdoc: {plan.summary}"), file=sys.stderr)
    out = request.out or default_out(plan.task, request.what, _digest(plan.cells))
    splits = dict.fromkeys(cell.plan.split for cell in plan.cells if cell.plan is not None)
    cell_records = [ablation_folder.cell_record(out, cell, cell.error) for cell in plan.cells]
    record = AblationRecord(
        plan.task, ", ".join(splits), request.grid.labels, plan.baseline, request.primary_metric,
        ablation_folder.all_cells(request, cell_records), interruption_note.typed_command.get(), request.notes,
    )  # fmt: skip
    with ablation_folder.locked(out), interruption_note.noting_errors(lambda: _kept_note(plan, out, request.what)):
        for cell in plan.cells:
            if cell.folder is not None:
                refuse_links_between(out, cell.folder)
        ablation_folder.write(out, record)  # first, so that `longdoc runs list` lists an ablation that is killed
        cells = _run(plan.cells, engine, out, options)
        ablation_folder.write(out, replace(record, cells=ablation_folder.all_cells(request, cells)))
    data = {
        Path(os.path.normpath(cell.folder)): shown_data(cell.plan)
        for cell in plan.cells
        if cell.folder is not None and cell.plan is not None
    }
    return out, data


def default_out(task: str, description: str, digest: str) -> Path:
    """The default folder of an ablation: `runs/quality-ablation-1a2b3c4d`."""
    return Path("runs") / f"{re.sub('[/ ]', '-', task)}-{description}-{digest}"


def _kept_note(plan: AblationPlan, out: Path, description: str) -> str:
    """The note on what is kept of an ablation that breaks off, and how to go on; empty for nothing."""
    folders = {cell.folder for cell in plan.cells if cell.folder is not None}
    done = [lines for folder in folders if (lines := _line_count(folder / "journal.jsonl"))]
    if not done:
        return ""
    progress = f"{counted(sum(done), 'example')} of {counted(len(done), 'run')}"
    command = description.replace("ablation", "ablate")
    return f"kept: {progress} in {out}; {interruption_note.command_to_resume(command, plan.task, out)}"


def _line_count(path: Path) -> int:
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        return sum(1 for _ in file)


def _run(cells: Sequence[PlannedCell], engine: Engine, out: Path, options: ExecutionOptions) -> list[dict[str, Any]]:
    """Run the cells; their records for `ablation.json`. Raises the first error where all fail."""
    plans = {cell.folder: cell.plan for cell in cells if cell.folder is not None and cell.plan is not None}
    token = started_by_ablation.set(True)
    try:
        outcomes = run_many(plans, engine, options)
    finally:
        started_by_ablation.reset(token)
    errors: dict[Path | None, str] = {
        p: _message(outcome) for p, outcome in outcomes.items() if isinstance(outcome, Exception)
    }
    failures = {path: outcome.failures for path, outcome in outcomes.items() if isinstance(outcome, NoAnswers)}
    if len(errors) == len(outcomes):
        raise next(outcome for outcome in outcomes.values() if isinstance(outcome, Exception))
    return [
        ablation_folder.cell_record(
            out, cell, cell.error or errors.get(cell.folder), failures.get(cell.folder or Path(), {})
        )
        for cell in cells
    ]


def _estimate(cells: Sequence[PlannedCell]) -> Estimate:
    """The estimate for the cells that are not finished. Cells over different examples run one after the other."""
    groups: dict[str, dict[Path, Plan]] = {}
    for cell in cells:
        if cell.plan is not None and cell.folder is not None and cell.state != "finished":
            groups.setdefault(examples_key(cell.plan), {})[cell.folder] = cell.plan
    total = EMPTY_ESTIMATE
    for plans in groups.values():
        finished = [finished_examples(folder / "journal.jsonl") for folder in plans]
        total = total.plus(estimate(list(plans.values()), finished))
    return total


def _baseline(cells: Sequence[PlannedCell], baseline: str | Mapping[str, Any] | None) -> str:
    """The name of the cell that the others are compared with: by its name or settings, else the first that can run."""
    names = [cell.settings.name for cell in cells]
    if baseline is None:
        return next(cell.settings.name for cell in cells if cell.plan is not None)
    if isinstance(baseline, str) and baseline in names:
        return baseline
    text = baseline if isinstance(baseline, str) else ", ".join(f"{name}={value}" for name, value in baseline.items())
    matches = [cell.settings.name for cell in cells if _is_described(cell, text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UserError(f"{len(matches)} cells match {text!r}: give more settings, as in baseline={matches[0]!r}")
    raise unknown("baseline", text, names)


def _is_described(cell: PlannedCell, text: str) -> bool:
    """Whether the text consists of settings of the cell."""
    settings = (f"{name}={value}" for name, value in cell.settings.values.items())
    for setting in sorted(settings, key=len, reverse=True):  # the longest first, as one may begin another
        text = text.replace(setting, "")
    return not text.strip(", ")


def _message(error: Exception) -> str:
    """The line of an error that the user can fix; for a bug the exception's, and where it was raised."""
    if isinstance(error, UserError):
        return str(error)
    if (problem := error_with_hint(error)) is not None:
        return problem
    frames = traceback.extract_tb(error.__traceback__)[-1:]
    location = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in frames)
    print(visible("".join(traceback.format_exception(error))), file=sys.stderr)
    return f"{type(error).__name__}: {error}{location}"


def _digest(cells: Sequence[PlannedCell]) -> str:
    """Eight hexadecimal digits of a hash of the cells, for the name of an ablation's default folder."""
    return sha256("\n".join(str(cell.folder) + cell.settings.name for cell in cells).encode()).hexdigest()[:8]
