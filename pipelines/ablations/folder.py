"""An ablation's folder: `ablation.json` names the cells and where their runs lie; the runs hold everything else."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc import plain_json, record_checks
from longdoc.errors import UserError
from longdoc.folders import made
from pipelines.ablations.cells import Ready
from pipelines.engine.run_folder import check_format, clear_unfinished, read_run, write_whole
from pipelines.results.ablations.against import against
from pipelines.results.ablations.records import Ablation, Cell
from pipelines.results.comparisons.runs import Compared
from pipelines.results.run_folders.finished import FinishedRun, finished_run

FORMAT = 1
FILE = "ablation.json"
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


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a folder, made if need be, for one process. Raises `UserError` if another one has it."""
    from filelock import FileLock, Timeout

    made(path)
    try:
        with FileLock(path / ".lock", timeout=0):
            clear_unfinished(path)
            yield
    except Timeout:
        raise UserError(f"another process is at the ablation in {path}; wait for it, or choose another out=") from None


def write(path: Path, kept: Kept) -> None:
    """Put `ablation.json` in place at once."""
    record = {"format": FORMAT, **{name: getattr(kept, name) for name in Kept.__dataclass_fields__}}
    write_whole(path, FILE, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def check_place(path: Path) -> None:
    """Raise `UserError` for a path where no ablation can be, whichever it is."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; an ablation needs a folder: choose another with out=")
    if read_run(path) is not None:
        raise UserError(f"{path} holds a run; an ablation needs a folder of its own: choose another with out=")
    _there(path)


def _there(path: Path) -> dict[str, Any] | None:
    """The record of the ablation in a folder; None where there is none, or a damaged one."""
    return _record(path / FILE) if (path / FILE).is_file() else None


def check(path: Path, task: str) -> None:
    """Raise `UserError` for a folder that cannot become, or grow, an ablation of this task."""
    check_place(path)
    record = _there(path)
    if record is not None and (there := record.get("task")) != task:
        raise UserError(f"{path} holds an ablation of {there}, not of {task}: choose another folder with out=")


def kept_cell(path: Path, cell: Ready, error: str | None) -> dict[str, Any]:
    """A cell as `ablation.json` has it; its run's folder as seen from `path`, so that both can be moved together."""
    folder = None if cell.folder is None else os.path.relpath(cell.folder, path)
    named = {"name": cell.settings.name, "settings": dict(cell.settings.values), "recipe": cell.recipe}
    return named | {"folder": folder, "error": error}


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
    file = folder / FILE
    if not file.is_file():
        raise UserError(f"{folder} holds no ablation: there is no {FILE} in it")
    record = _record(file)
    try:
        record_checks.check(record, FIELDS)
        for cell in (record or {})["cells"]:
            record_checks.check(cell, OF_CELL)
    except record_checks.Malformed as error:
        raise UserError(f"{file} is damaged ({error}): start the same ablation again") from None
    return Kept(**{name: (record or {})[name] for name in Kept.__dataclass_fields__})


def _record(file: Path) -> dict[str, Any] | None:
    """What `ablation.json` holds, None if it is damaged. Raises `UserError` if a newer version wrote it."""
    try:
        record = plain_json.loads(file.read_text(encoding="utf-8", errors="surrogatepass"))
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("format"), int):
        return None
    check_format(record, FORMAT, file.parent)
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
