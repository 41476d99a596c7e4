"""Reading an ablation's folder: `ablation.json` lists the cells and the folders of their runs, which hold the rest."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.links import check_files, check_parts
from longdoc.messages import counted
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.comparison import compare_with_baseline
from pipelines.results.comparisons.cell import Cell
from pipelines.results.comparisons.summary import TASK
from pipelines.results.formats import ABLATIONS_READ
from pipelines.results.run_folders import schema
from pipelines.results.run_folders.record import ABLATION, cells_run_here, check_format
from pipelines.results.run_folders.run import Run, finished_run


@dataclass(frozen=True, slots=True)
class AblationRecord:
    """The content of `ablation.json`, which is written when the ablation starts, and again when it ends.

    `cells` have name, settings, recipe, error, and folder (a relative path); `command` is the command line, empty if it
    was started in Python. The cells of `longdoc versus` also have kind, line, amount, source and predictions, as in
    `Condition`; runs and predictions that were given to it have no settings. `notes` say which conditions are missing.
    """

    task: str
    split: str
    axes: Mapping[str, Sequence[Any]]
    baseline: str
    primary_metric: str | None
    cells: Sequence[Mapping[str, Any]]
    command: str = ""
    notes: Sequence[str] = ()


def read(path: str | Path) -> Ablation:
    """The ablation in a folder, its runs read and compared with the baseline. Raises `UserError`."""
    folder = Path(path)
    stored_record = read_stored(folder)
    record = replace(stored_record, cells=cells_run_here(stored_record.cells))
    if not record.cells:
        raise UserError(
            f"{folder} holds only runs and predictions that were given to versus: longdoc report {folder} shows it"
        )
    runs: dict[str, Run | str] = {cell["name"]: _run(folder, cell) for cell in record.cells}
    finished = {name: run for name, run in runs.items() if isinstance(run, Run)}
    compared_cells, warnings = _compared_cells(record, finished)
    cells = [_cell(folder, cell, runs[cell["name"]], compared_cells.get(cell["name"])) for cell in record.cells]
    scores = dict.fromkeys(name for run in finished.values() for name in run.scores)
    primary_metric = record.primary_metric
    if primary_metric is not None and primary_metric not in scores:
        warnings.append(f"no cell has a score {primary_metric!r}; there are {', '.join(scores)}")
    warnings += [line for name, run in finished.items() if (line := _failures(name, run))]
    if primary_metric not in scores:
        primary_metric = next(iter(_shared_scores(scores, finished) if TASK in record.axes else scores), "")
    return Ablation(
        record.task, record.split, record.axes, record.baseline, primary_metric, cells, folder, tuple(warnings)
    )


def _compared_cells(record: AblationRecord, finished: Mapping[str, Run]) -> tuple[dict[str, Cell], list[str]]:
    """The runs as cells compared with their task's baseline, and warnings."""
    if TASK not in record.axes:
        return compare_with_baseline(finished, record.baseline)
    settings = {cell["name"]: cell["settings"] for cell in record.cells}
    cells: dict[str, Cell] = {}
    warnings: list[str] = []
    for task in record.axes[TASK]:
        task_settings = {**settings.get(record.baseline, {}), TASK: task}
        baseline = next((name for name, values in settings.items() if values == task_settings), record.baseline)
        runs = {name: run for name, run in finished.items() if settings[name].get(TASK) == task}
        task_cells, task_warnings = compare_with_baseline(runs, baseline)
        cells |= task_cells
        warnings += task_warnings
    return cells, warnings


def _shared_scores(scores: Mapping[str, None], runs: Mapping[str, Run]) -> list[str]:
    """The names of scores, those that all runs have first."""
    return sorted(scores, key=lambda name: not all(name in run.scores for run in runs.values()))


def read_stored(folder: Path) -> AblationRecord:
    """The record in a folder's `ablation.json`. Raises `UserError` if it is missing or damaged."""
    file = folder / ABLATION
    if not file.is_file():
        raise UserError(f"{folder} is not an ablation's folder: there is no {ABLATION} in it")
    try:
        record = read_checked(file)
        schema.check_ablation(record)
    except (checked_json.Damaged, checked_json.Malformed) as error:
        remedy = "start the same ablation again with out=, which finds its runs finished"
        raise UserError(f"{file} is damaged ({error}): {remedy}") from None
    return AblationRecord(
        **{field.name: record[field.name] for field in fields(AblationRecord) if field.name in record}
    )


def read_record(file: Path) -> dict[str, Any] | None:
    """The content of `ablation.json`, None if it is damaged. Raises `UserError` if another version wrote it."""
    try:
        return read_checked(file)
    except checked_json.Damaged:
        return None


def read_checked(file: Path) -> dict[str, Any]:
    """The content of `ablation.json`. Raises `Damaged`, and `UserError` if another version wrote it."""
    check_files(file.parent)
    record = checked_json.load(file, ABLATIONS_READ)
    if not isinstance(record.get("format"), int):
        raise checked_json.Damaged("it has no format")
    check_format(record, ABLATIONS_READ, file.parent)
    cells: Any = record.get("cells")
    if isinstance(cells, list):  # the rest is checked later
        for field, is_typed_elsewhere in (("folder", True), ("predictions", False)):
            names = [cell.get(field) for cell in cells if isinstance(cell, dict)]
            check_parts(file.parent, [name for name in names if isinstance(name, str)], is_typed_elsewhere)
    return record


def _run(folder: Path, cell: Mapping[str, Any]) -> Run | str:
    """A cell's finished run, or why it has none."""
    if cell["error"] is not None or cell["folder"] is None:
        return str(cell["error"])
    try:
        return finished_run(Path(os.path.normpath(folder / cell["folder"])))
    except UserError as error:
        return str(error)


def _failures(name: str, run: Run) -> str:
    """The warning about a run with failed examples; empty if none failed."""
    if not run.failures:
        return ""
    first_id, reason = next(iter(run.failures.items()))
    failed_count, total = len(run.failures), len(run.failures) + len(run.predictions)
    counts = f"{name} has no prediction for {failed_count:,} of {counted(total, 'example')}"
    return f"{counts}; the first, {first_id}: {reason}. The same ablation started again asks for them"


def _cell(folder: Path, cell: Mapping[str, Any], run: Run | str, compared_cell: Cell | None) -> Cell:
    path = None if cell["folder"] is None else Path(os.path.normpath(folder / cell["folder"]))
    if compared_cell is None or compared_cell.run is None:
        return Cell(cell["name"], cell["settings"], cell["recipe"], path, error=str(run))
    without_predictions = replace(compared_cell.run, loaded=None)
    return replace(
        compared_cell, settings=cell["settings"], recipe=cell["recipe"], folder=path, run=without_predictions
    )
