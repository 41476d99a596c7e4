"""The folder of `pipelines.evidence`: what was measured of each cell, and the table in its forms."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.results.display import terminal
from pipelines.results.evidence_tables import render
from pipelines.results.evidence_tables.records import EvidenceTable
from pipelines.results.run_folders.record import ABLATION

NAME = "evidence"
CELLS = "cells"


def opened(folder: Path) -> Path:
    """The folder, made where it is new. Raises `UserError` for one that holds something else."""
    if (folder / "run.json").exists() or (folder / ABLATION).exists():
        raise UserError(f"{folder} holds a run or an ablation: choose another folder with out=")
    (folder / CELLS).mkdir(parents=True, exist_ok=True)
    return folder


def measured(folder: Path | None, key: str) -> list[dict[str, Any]]:
    """What was measured of a cell, by example; empty where it was not, or its file is damaged."""
    if folder is None or not (file := folder / CELLS / f"{key}.jsonl").is_file():
        return []
    with suppress(plain_json.NotJSON, UnicodeDecodeError):
        return [plain_json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return []


def keep(folder: Path | None, key: str, cell: list[dict[str, Any]]) -> None:
    """Put a cell's file in place at once."""
    if folder is not None:
        write_whole(folder / CELLS, f"{key}.jsonl", "".join(f"{json.dumps(one)}\n" for one in cell))


def write(table: EvidenceTable, folder: Path) -> None:
    """Write the table in all its forms; plots where matplotlib is installed."""
    write_whole(folder, f"{NAME}.json", terminal.to_json(table.to_dict()) + "\n")
    write_whole(folder, f"{NAME}.csv", render.csv_text(table))
    write_whole(folder, f"{NAME}.md", render.markdown_text(table))
    for task in table.splits:
        for against, name in (("select", "curves"), ("place", "places")):
            with suppress(UserError):  # no matplotlib, or no evidence in these data
                table.plot(folder / f"{name}-{task.replace('/', '-')}.svg", task, against)
