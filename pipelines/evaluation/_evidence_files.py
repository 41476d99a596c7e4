"""The folder of `pipelines.evidence`: what was measured of each cell, and the table in its forms."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import write_pieces, write_whole
from longdoc.links import refuse_links_in
from pipelines.display import csv, markdown, terminal
from pipelines.engine.recording.lines import decode_line, encode_line
from pipelines.results.evidence_tables.evidence_table import EvidenceTable
from pipelines.results.run_folders.record import ABLATION

NAME = "evidence"
CELLS = "cells"


def opened(folder: Path) -> Path:
    """The folder, made where it is new. Raises `UserError` for one that holds something else."""
    if (folder / "run.json").exists() or (folder / ABLATION).exists():
        raise UserError(f"{folder} holds a run or an ablation: choose another folder with out=")
    refuse_links_in(folder)
    refuse_links_in(folder / CELLS)
    (folder / CELLS).mkdir(parents=True, exist_ok=True)
    return folder


def measured(folder: Path | None, key: str) -> list[dict[str, Any]]:
    """What was measured of a cell, by example; empty where it was not, or its file is damaged: it is measured again."""
    if folder is None or not (file := folder / CELLS / f"{key}.jsonl").is_file():
        return []
    entries = [decode_line(line) for line in file.read_bytes().split(b"\n")[:-1]]
    cell = [fields for fields in entries if fields is not None]
    return cell[1:] if cell and len(cell) == len(entries) and cell[0] == _head(cell[1:]) else []


def keep(folder: Path | None, key: str, cell: list[dict[str, Any]]) -> None:
    """Put a cell's file in place at once."""
    if folder is not None:
        write_pieces(folder / CELLS, f"{key}.jsonl", map(encode_line, [_head(cell), *cell]))


def _head(cell: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The first line of a cell's file, by which one that lost lines is found."""
    return {"examples": len(cell)}


def write(table: EvidenceTable, folder: Path) -> None:
    """Write the table in all its forms; plots where matplotlib is installed."""
    write_whole(folder, f"{NAME}.json", terminal.to_json(table.to_dict()) + "\n")
    write_whole(folder, f"{NAME}.csv", csv.rows_csv(table.flat_rows()))
    write_whole(folder, f"{NAME}.md", markdown.text(table))
    for task in table.splits:
        for against, name in (("select", "curves"), ("place", "places")):
            with suppress(UserError):  # no matplotlib, or no evidence in these data
                table.plot(folder / f"{name}-{task.replace('/', '-')}.svg", task, against)
