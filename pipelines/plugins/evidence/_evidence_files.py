"""The folder of `pipelines.evidence`: the measurements of each cell, and the table in its forms."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import write_pieces, write_whole
from longdoc.links import refuse_links_in
from pipelines.display import csv, markdown, terminal
from pipelines.engine.recording.lines import decode_line, encode_line
from pipelines.plugins.evidence.evidence_table import EvidenceTable
from pipelines.results.run_folders.record import ABLATION

NAME = "evidence"
CELLS = "cells"


def open_folder(folder: Path) -> Path:
    """The folder, made where it is new. Raises `UserError` for a folder that holds something else."""
    if (folder / "run.json").exists() or (folder / ABLATION).exists():
        raise UserError(f"{folder} holds a run or an ablation: choose another folder with out=")
    refuse_links_in(folder)
    refuse_links_in(folder / CELLS)
    (folder / CELLS).mkdir(parents=True, exist_ok=True)
    return folder


def read_measurements(folder: Path | None, key: str) -> list[dict[str, Any]]:
    """The measurements of a cell's examples; empty where there are none yet, or their file is damaged."""
    if folder is None or not (file := folder / CELLS / f"{key}.jsonl").is_file():
        return []
    lines = [decode_line(line) for line in file.read_bytes().split(b"\n")[:-1]]
    measurements = [measurement for measurement in lines if measurement is not None]
    is_whole = bool(measurements) and len(measurements) == len(lines) and measurements[0] == _head(measurements[1:])
    return measurements[1:] if is_whole else []


def write_measurements(folder: Path | None, key: str, measurements: list[dict[str, Any]]) -> None:
    """Write a cell's measurements into its file, all at once."""
    if folder is not None:
        write_pieces(folder / CELLS, f"{key}.jsonl", map(encode_line, [_head(measurements), *measurements]))


def _head(measurements: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The first line of a cell's file, which shows whether the file has lost lines."""
    return {"examples": len(measurements)}


def write(table: EvidenceTable, folder: Path) -> None:
    """Write the table in all its forms; plots where matplotlib is installed."""
    write_whole(folder, f"{NAME}.json", terminal.to_json(table.to_dict()) + "\n")
    write_whole(folder, f"{NAME}.csv", csv.rows_csv(table.flat_rows()))
    write_whole(folder, f"{NAME}.md", markdown.text(table))
    for task in table.splits:
        for against, name in (("budget", "curves"), ("place", "places")):
            with suppress(UserError):  # no matplotlib, or no evidence in these data
                table.plot(folder / f"{name}-{task.replace('/', '-')}.svg", task, against)
