"""An ablation's folder: `ablation.json` names the cells and the folders of their runs, which hold everything else."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc import checked_json, files
from longdoc.errors import UserError
from longdoc.files import clear_unfinished, make_folder, write_whole
from longdoc.links import refuse_links_in
from longdoc.plain_json import plain_fields
from pipelines.ablations.cells import PlannedCell
from pipelines.ablations.request import AblationRequest
from pipelines.results.ablations.ablation_file import AblationRecord, read_record
from pipelines.results.formats import ABLATION_FORMAT
from pipelines.results.run_folders.record import ABLATION, are_conditions, read_run


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a folder, made if need be, for this process. Raises `UserError` if another process has it."""
    make_folder(path)
    refuse_links_in(path)
    lock = files.locked(path)
    if lock is None:
        raise UserError(
            f"another process is running the ablation in {path}; wait for it, or choose another folder with out="
        )
    try:
        clear_unfinished(path)
        yield
    finally:
        lock.release()


def write(path: Path, ablation_record: AblationRecord) -> None:
    """Write `ablation.json` atomically, unless only the command differs, which would make the page look outdated."""
    record = {"format": ABLATION_FORMAT, **plain_fields(ablation_record)}
    existing = _existing_record(path) or {}
    if existing.get("command") and existing | {"command": ablation_record.command} == json.loads(json.dumps(record)):
        return
    write_whole(path, ABLATION, checked_json.dumps(record))


def all_cells(request: AblationRequest, cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of the cells for `ablation.json`, with the fields and cells that a table of conditions adds."""
    return [*({**cell, **request.condition_fields.get(cell["name"], {})} for cell in cells), *request.given_cells]


def check_path(path: Path) -> None:
    """Raise `UserError` for a path that cannot be an ablation's folder."""
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is a file; an ablation needs a folder: choose another with out=")
    if read_run(path) is not None:
        raise UserError(f"{path} holds a run; an ablation needs a folder of its own: choose another with out=")
    _existing_record(path)


def _existing_record(path: Path) -> dict[str, Any] | None:
    """The record of the ablation in a folder; None where there is none, or a damaged one."""
    return read_record(path / ABLATION) if (path / ABLATION).is_file() else None


def check(path: Path, task: str, description: str = "ablation") -> None:
    """Raise `UserError` for a folder that cannot hold an ablation of this task, or this one's further cells."""
    check_path(path)
    record = _existing_record(path)
    is_versus = are_conditions((record or {}).get("cells"))
    if description == "ablation" and is_versus:
        raise UserError(f"{path} holds the runs of a versus: choose another folder with out=")
    if description == "versus" and record is not None and not is_versus:
        raise UserError(f"{path} holds an ablation: a versus needs a folder of its own, choose another with out=")
    if record is not None and (recorded_task := record.get("task")) != task:
        kind = "a versus" if is_versus else "an ablation"
        raise UserError(f"{path} holds {kind} of {recorded_task}, not of {task}: choose another folder with out=")


def cell_record(
    path: Path, cell: PlannedCell, error: str | None, failures: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The record of a cell for `ablation.json`; its run's folder is relative to `path`, so that both can be moved.

    `failures` are the reasons by example where none could be answered.
    """
    return {
        "name": cell.settings.name,
        "settings": dict(cell.settings.values),
        "recipe": cell.recipe,
        "folder": None if cell.folder is None else os.path.relpath(cell.folder, path),
        "error": error,
        **({"failures": dict(failures)} if failures else {}),
    }
