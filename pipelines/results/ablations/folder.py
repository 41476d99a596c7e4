"""An ablation's folder read back: `ablation.json` names the cells and their runs' folders, which hold all else."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from pipelines.results.ablations.against import against
from pipelines.results.ablations.records import Ablation, Cell
from pipelines.results.comparisons.runs import Compared
from pipelines.results.run_folders.finished import FinishedRun, finished_run
from pipelines.results.run_folders.record import ABLATION, ABLATION_FORMAT, check_format

FIELDS = {
    **dict.fromkeys(("task", "split", "baseline"), record_checks.text),
    "axes": record_checks.mapping(record_checks.each(lambda value: True)),
    "metric": record_checks.maybe(record_checks.text),
    "cells": record_checks.each(record_checks.mapping(lambda value: True)),
}


OF_CELL = {
    **dict.fromkeys(("name", "recipe"), record_checks.text),
    **dict.fromkeys(("folder", "error"), record_checks.maybe(record_checks.text)),
    "settings": record_checks.mapping(lambda value: True),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """What `ablation.json` holds: `cells` have name, settings, recipe, folder (from the ablation's) and error."""

    task: str
    split: str
    axes: Mapping[str, Sequence[Any]]
    baseline: str
    metric: str | None
    cells: Sequence[Mapping[str, Any]]


def read(path: str | Path) -> Ablation:
    """The ablation in a folder, its runs read and compared with the baseline. Raises `UserError`."""
    folder = Path(path)
    kept = _kept(folder)
    runs: dict[str, FinishedRun | str] = {cell["name"]: _run(folder, cell) for cell in kept.cells}
    there = {name: run for name, run in runs.items() if isinstance(run, FinishedRun)}
    compared, warnings = against(there, kept.baseline)
    cells = [_cell(folder, cell, runs[cell["name"]], compared.get(cell["name"])) for cell in kept.cells]
    figures = [name for run in there.values() for name in run.scores]
    if kept.metric is not None and kept.metric not in figures:
        warnings.append(f"no cell has a figure {kept.metric!r}; there are {', '.join(dict.fromkeys(figures))}")
    warnings += [told for name, run in there.items() if (told := _missing(name, run))]
    metric = kept.metric if kept.metric in figures else next(iter(figures), "")
    return Ablation(kept.task, kept.split, kept.axes, kept.baseline, metric, cells, folder, tuple(warnings))


def _kept(folder: Path) -> Kept:
    file = folder / ABLATION
    if not file.is_file():
        raise UserError(f"{folder} holds no ablation: there is no {ABLATION} in it")
    record = record_in(file)
    try:
        record_checks.check(record, FIELDS)
        for cell in (record or {})["cells"]:
            record_checks.check(cell, OF_CELL)
    except record_checks.Malformed as error:
        raise UserError(f"{file} is damaged ({error}): start the same ablation again") from None
    return Kept(**{name: (record or {})[name] for name in Kept.__dataclass_fields__})


def record_in(file: Path) -> dict[str, Any] | None:
    """What `ablation.json` holds, None if it is damaged. Raises `UserError` if a newer version wrote it."""
    try:
        record = plain_json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("format"), int):
        return None
    check_format(record, ABLATION_FORMAT, file.parent)
    return record


def _run(folder: Path, cell: Mapping[str, Any]) -> FinishedRun | str:
    if cell["error"] is not None or cell["folder"] is None:
        return str(cell["error"])
    try:
        return finished_run(Path(os.path.normpath(folder / cell["folder"])))
    except UserError as error:
        return str(error)


def _missing(name: str, run: FinishedRun) -> str:
    """What to know of a run some of whose examples failed."""
    if not run.failures:
        return ""
    first, reason = next(iter(run.failures.items()))
    told = (
        f"{name} has no prediction for {len(run.failures):,} of {len(run.failures) + len(run.predictions):,} examples"
    )
    return f"{told}; the first, {first}: {reason}. The same ablation started again asks for them"


def _cell(folder: Path, cell: Mapping[str, Any], run: FinishedRun | str, compared: Compared | None) -> Cell:
    place = None if cell["folder"] is None else Path(os.path.normpath(folder / cell["folder"]))
    if isinstance(run, str) or compared is None:
        return Cell(cell["name"], cell["settings"], cell["recipe"], place, error=str(run))
    return Cell(
        name=cell["name"],
        settings=cell["settings"],
        recipe=cell["recipe"],
        folder=place,
        scores=run.scores,
        signatures=run.signatures,
        not_computed=run.not_computed,
        intervals=compared.intervals,
        differences=compared.differences,
        failures=run.failures,
        **run.counts,
    )
