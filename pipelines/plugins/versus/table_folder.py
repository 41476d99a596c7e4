"""The folder of a table of conditions: an ablation's, whose cells have a `kind` of condition."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.plugins.versus.condition_comparison import compare_conditions
from pipelines.plugins.versus.condition_table import ConditionTable
from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.plugins.versus.given_predictions import read_given_predictions
from pipelines.results.ablations.ablation_file import AblationRecord, read_record, read_stored
from pipelines.results.run_folders.record import ABLATION, are_conditions
from pipelines.results.run_folders.run import Run, finished_run

UNFINISHED = "it is not finished: start the same comparison again"


def is_here(folder: Path) -> bool:
    """Whether a folder holds a table of conditions."""
    record = read_record(folder / ABLATION) if (folder / ABLATION).is_file() else None
    return are_conditions((record or {}).get("cells"))


def read(path: str | Path, primary_metric: str | None = None) -> ConditionTable:
    """The table of conditions in a folder, its runs read and compared. Raises `UserError`."""
    folder = Path(path)
    record = stored_conditions(folder)
    results = [_condition_results(folder, record, cell) for cell in record.cells]
    primary = primary_metric or record.primary_metric
    return compare_conditions(record.task, record.split, results, primary, folder, record.notes)


def stored_conditions(folder: Path) -> AblationRecord:
    """The record of a table in its folder. Raises `UserError` where it is damaged or absent."""
    record = read_stored(folder) if (folder / ABLATION).is_file() else None
    if record is None or not are_conditions(record.cells):
        raise UserError(f"{folder} holds no table of ways: `longdoc versus TASK --out {folder}` makes one")
    return record


def _condition_results(folder: Path, record: AblationRecord, cell: Mapping[str, Any]) -> ConditionResults:
    path = None if cell["folder"] is None else Path(os.path.normpath(folder / cell["folder"]))
    outcome: Run | str
    expected = None
    try:
        if failures := cell.get("failures"):  # no example was answered
            outcome = Run(path or folder, record.task, record.split, {}, failures=failures, loaded=())
        elif cell["error"] is not None:
            outcome = cell["error"]
        elif cell["predictions"] is not None:
            outcome, expected = read_given_predictions(folder / cell["predictions"])
        elif path is None or not (path / "scores.json").is_file():
            outcome = UNFINISHED
        else:
            outcome = finished_run(path)
    except UserError as error:
        outcome = str(error)
    return ConditionResults(
        cell["name"], cell["kind"], outcome, cell["line"], cell["amount"], path, cell["source"], expected
    )
