"""Finding the entries of the index page; later calls read only what has changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipelines.results.index_page.entries import Entry, entry
from pipelines.results.index_page.other_entries import EVIDENCE, TRAINING, evidence_table, trained_model
from pipelines.results.run_folders.entry import FolderReader, file_states
from pipelines.results.run_folders.listed_run import ListedRun
from pipelines.results.run_folders.listing import folders, holds_runs, with_cells, without_cells


class Gatherer:
    """Reads the entries below some folders."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(roots)
        self._read = FolderReader()
        self._tables: dict[Path, tuple[Any, Entry]] = {}

    def __call__(self) -> list[Entry]:
        """The entries: running ones first, then by score and time. Raises `UserError`."""
        runs: list[ListedRun] = []
        entries: list[Entry] = []
        for path in folders(self._roots, _is_ours):
            if holds_runs(path):
                runs.append(self._read(path))
                continue
            entries.append(self._other(path, file_states(path, (TRAINING, EVIDENCE))))
        own_runs, _ = without_cells(runs)
        own_ids = {id(run) for run in own_runs}
        cells = [run for run in with_cells(runs)[0] if id(run) not in own_ids]
        ablation_folders = {cell.folder.resolve(): run.folder for run in runs for cell in run.runs}
        run_entries = [entry(run) for run in own_runs] + [
            entry(run, ablation_folders[run.folder.resolve()]) for run in cells
        ]
        return sorted([*run_entries, *entries], key=_rank)

    def _other(self, path: Path, states: dict[str, tuple[int, int]]) -> Entry:
        """The entry of a folder without runs; a table is read again only if it has changed."""
        if TRAINING in states:
            return trained_model(path, states)
        if path not in self._tables or self._tables[path][0] != states:
            self._tables[path] = states, evidence_table(path, states)
        return self._tables[path][1]


def _is_ours(folder: Path) -> bool:
    """Whether the page lists a folder; an evidence.json alone may come from another program."""
    if holds_runs(folder) or (folder / TRAINING).is_file():
        return True
    return (folder / EVIDENCE).is_file() and (folder / "cells").is_dir()


def _rank(entry: Entry) -> tuple[Any, ...]:
    best = next(iter(entry.run.scores.values()), None)
    return entry.run.state != "running", best is None, -(best or 0.0), -entry.run.time, str(entry.run.folder)
