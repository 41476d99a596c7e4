"""Merge the shards of an ablation: the runs of each cell are merged as those of a single run."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import make_folder, output_folder, write_whole
from longdoc.plain_json import plain_fields
from pipelines.ablations import ablation_folder as ablation_folder
from pipelines.engine.planning.shard import without_suffix
from pipelines.metrics import Metric
from pipelines.plugins.cluster.merging.atomic_folder import OTHER, check_place, replacing
from pipelines.plugins.cluster.merging.merge import write_merged
from pipelines.plugins.cluster.merging.shard_runs import ShardRun, shard_runs
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.ablation_file import AblationRecord, read, read_record, read_stored
from pipelines.results.formats import ABLATION_FORMAT
from pipelines.results.run_folders.record import ABLATION, are_conditions


def is_ablation(folder: Path) -> bool:
    """Whether a folder holds an ablation."""
    return (folder / ABLATION).is_file()


def merge_ablations(folders: Sequence[Path], out: Path | None, known_metrics: Mapping[str, Metric]) -> Ablation:
    """Join the shards of an ablation in a new folder. Raises `UserError`, which names what is wrong with them."""
    if out is None:
        raise UserError("name the merged ablation's folder: out=FOLDER")
    if run := next((folder for folder in folders if not is_ablation(folder)), None):
        raise UserError(f"{run} holds no ablation, but others do: merge ablations with ablations, runs with runs")
    records = {folder: read_stored(folder) for folder in folders}
    for folder, stored in records.items():
        if are_conditions(stored.cells):
            raise UserError(
                f"{folder} holds the runs of a versus, which has no shards: give the shards of one of its runs"
            )
    place = output_folder(out)
    cells = _cells(records)
    shards = _shards(folders, cells)
    _check_place(place, shards)
    first = next(iter(records.values()))
    ablation_record = replace(
        first, command="", cells=[{**cell, "folder": _merged_folder(cell["folder"])} for cell in first.cells]
    )
    with replacing(place) as new:
        for name, cell_shards in shards.items():
            write_merged(cell_shards, make_folder(new / name), known_metrics)
        record = {"format": ABLATION_FORMAT, **plain_fields(ablation_record), "merged": {"shards": len(folders)}}
        write_whole(new, ABLATION, checked_json.dumps(record))
    return read(place)


def _merged_folder(folder: str | None) -> str | None:
    """The folder of a cell's run in the merged ablation, from its folder in a shard."""
    return None if folder is None else f"runs/{without_suffix(Path(folder).name)}"


def _cells(records: Mapping[Path, AblationRecord]) -> Mapping[str, Sequence[Path]]:
    """The folders of the shards' runs, by their merged run's folder. Raises `UserError` for different ablations."""
    (first, record), *others = records.items()
    for folder, other in others:
        if _identity(other) != _identity(record):
            raise UserError(
                f"{folder} and {first} are different ablations: they differ in task, axes, baseline or cells"
            )
    runs: dict[str, dict[Path, None]] = {}
    for folder, ablation_record in records.items():
        for cell in ablation_record.cells:
            if (name := _merged_folder(cell["folder"])) is not None:
                runs.setdefault(name, {})[Path(os.path.normpath(folder / cell["folder"]))] = None
    return {name: list(runs) for name, runs in runs.items()}


def _identity(record: AblationRecord) -> str:
    """A text that is equal for shards of the same ablation."""
    cells = [
        {**cell, "folder": _merged_folder(cell["folder"]), "error": None, "failures": None} for cell in record.cells
    ]
    return json.dumps(plain_fields(replace(record, cells=cells, command="")), sort_keys=True)


def _shards(ablations: Sequence[Path], cells: Mapping[str, Sequence[Path]]) -> dict[str, list[ShardRun]]:
    """The shards of each cell's run, by its folder. Raises one `UserError` with all problems."""
    problems = [f"{folder} is given twice" for folder in ablations if ablations.count(folder) > 1]
    shards: dict[str, list[ShardRun]] = {}
    for name, folders in cells.items():
        try:
            shards[name] = shard_runs(folders)
        except UserError as error:
            problems.append(str(error))
    if problems:
        raise UserError("; ".join(dict.fromkeys(problems)))
    return shards


def _check_place(out: Path, shards: Mapping[str, Sequence[ShardRun]]) -> None:
    """Raise `UserError` for a folder that holds anything but an earlier merge, or a merged run that went on since."""
    ablation_folder.check_path(out)
    if not is_ablation(out):
        if out.is_dir() and any(out.iterdir()):
            raise UserError(f"{out} holds other files: {OTHER}")
        return
    if "merged" not in (read_record(out / ABLATION) or {}):
        raise UserError(f"{out} holds an ablation that was not merged from shards, or went on since: {OTHER}")
    for name, cell_shards in shards.items():
        starts = [start for shard in cell_shards for start in shard.record["starts"]]
        check_place(out / name, cell_shards[0].record["spec"], starts)
