"""The shards of an ablation as one ablation: each cell's runs are merged as those of a run alone."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import make_folder, output_folder
from longdoc.plain_values import plain_fields
from pipelines.ablations import ablation_folder as ablation_folder
from pipelines.engine.merging.atomic_folder import OTHER, check_place, replacing
from pipelines.engine.merging.merge import write_merged
from pipelines.engine.merging.shard_runs import ShardRun, shard_runs
from pipelines.engine.planning.shard import without_suffix
from pipelines.metrics import Metric
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.ablation_file import AblationRecord, read, read_record, read_stored
from pipelines.results.formats import ABLATION_FORMAT
from pipelines.results.run_folders.record import ABLATION, are_conditions


def is_ablation(folder: Path) -> bool:
    """Whether a folder is that of an ablation."""
    return (folder / ABLATION).is_file()


def merge_ablations(folders: Sequence[Path], out: Path | None, given_metrics: Mapping[str, Metric]) -> Ablation:
    """Join the shards of an ablation in a new folder. Raises `UserError`, which names what is wrong with them."""
    if out is None:
        raise UserError("name the merged ablation's folder: out=FOLDER")
    if run := next((folder for folder in folders if not is_ablation(folder)), None):
        raise UserError(f"{run} holds no ablation, and others do: merge ablations with ablations, runs with runs")
    records = {folder: read_stored(folder) for folder in folders}
    for folder, stored in records.items():
        if are_conditions(stored.cells):
            raise UserError(f"{folder} holds the runs of a versus, which has no shards")
    place = output_folder(out)
    cells = _cells(records)
    shards = _shards(folders, cells)
    _check_place(place, shards)
    first = next(iter(records.values()))
    ablation_record = replace(
        first, command="", cells=[{**cell, "folder": _inside(cell["folder"])} for cell in first.cells]
    )
    with replacing(place) as new:
        for name, cell_shards in shards.items():
            write_merged(cell_shards, make_folder(new / name), given_metrics)
        record = {"format": ABLATION_FORMAT, **plain_fields(ablation_record), "merged": {"shards": len(folders)}}
        write_whole(new, ABLATION, checked_json.dumps(record))
    return read(place)


def _inside(folder: str | None) -> str | None:
    """Where the run of a cell lies in the merged ablation, by where it lies in a shard's."""
    return None if folder is None else f"runs/{without_suffix(Path(folder).name)}"


def _cells(records: Mapping[Path, AblationRecord]) -> Mapping[str, Sequence[Path]]:
    """The folders of the shards' runs by the folder of the merged one. Raises `UserError` for other ablations."""
    (first, record), *other_pairs = records.items()
    for folder, other in other_pairs:
        if _identity(other) != _identity(record):
            raise UserError(f"{folder} and {first} are other ablations: they differ in task, axes, baseline or cells")
    runs: dict[str, dict[Path, None]] = {}
    for folder, ablation_record in records.items():
        for cell in ablation_record.cells:
            if (inside := _inside(cell["folder"])) is not None:
                runs.setdefault(inside, {})[Path(os.path.normpath(folder / cell["folder"]))] = None
    return {inside: list(runs) for inside, runs in runs.items()}


def _identity(record: AblationRecord) -> str:
    cells = [{**cell, "folder": _inside(cell["folder"]), "error": None, "failures": None} for cell in record.cells]
    return json.dumps(plain_fields(replace(record, cells=cells, command="")), sort_keys=True)


def _shards(ablations: Sequence[Path], cells: Mapping[str, Sequence[Path]]) -> dict[str, list[ShardRun]]:
    """The shards of each cell's run. Raises one `UserError` with what is wrong with any of them."""
    problems = [f"{folder} is given twice" for folder in ablations if ablations.count(folder) > 1]
    values: dict[str, list[ShardRun]] = {}
    for inside, folders in cells.items():
        try:
            values[inside] = shard_runs(folders)
        except UserError as error:
            problems.append(str(error))
    if problems:
        raise UserError("; ".join(dict.fromkeys(problems)))
    return values


def _check_place(out: Path, shards: Mapping[str, Sequence[ShardRun]]) -> None:
    """Raise `UserError` for a folder that holds anything but an earlier merge, or a merged run that went on since."""
    ablation_folder.check_path(out)
    if not is_ablation(out):
        if out.is_dir() and any(out.iterdir()):
            raise UserError(f"{out} holds other files: {OTHER}")
        return
    if "merged" not in (read_record(out / ABLATION) or {}):
        raise UserError(f"{out} holds an ablation that was not merged from shards, or went on since: {OTHER}")
    for inside, cell_entries in shards.items():
        starts = [start for shard in cell_entries for start in shard.record["starts"]]
        check_place(out / inside, cell_entries[0].record["spec"], starts)
