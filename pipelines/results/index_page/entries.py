"""The entries of the index page: runs, ablations, evidence tables and trained models."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipelines.results.reports import PAGE
from pipelines.results.run_folders.listed_run import ListedRun

Kind = Literal["run", "ablation", "evidence table", "trained model"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A folder as the page shows it.

    `done` is the progress in words, `share` the same as a number from 0 to 1, None if unknown. `problems` are remarks
    on failed examples and outputs; `note` says why a folder is unreadable, or how to resume it if no `command` is
    known. `files` are links (text, name of the file), the most useful first. `cell_of` is the folder of the ablation
    that a run is a cell of, if it was never started by itself.
    """

    kind: Kind
    run: ListedRun
    done: str = ""
    share: float | None = None
    problems: Sequence[str] = ()
    note: str = ""
    command: str = ""
    files: Sequence[tuple[str, str]] = ()
    cell_of: Path | None = None

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks; an evidence table may have several."""
        return tuple(self.run.task.split())


def entry(run: ListedRun, cell_of: Path | None = None) -> Entry:
    """The entry of a run or an ablation."""
    is_ablation = run.cells is not None
    failures = [f"{run.failed:,} {'cells' if is_ablation else 'examples'} failed"] if run.failed else []
    return Entry(
        "ablation" if is_ablation else "run",
        run,
        _done(run),
        _share(run),
        (*failures, *run.outputs),
        "" if run.command else run.note,
        run.command,
        [("report", PAGE)] if (run.folder / PAGE).is_file() else [],
        cell_of,
    )


def _done(run: ListedRun) -> str:
    """The progress: `12/68`; of an ablation `1/4 cells`, with the examples while it is unfinished."""
    if run.cells is None:
        return run.done
    examples = f", {run.examples:,}/{run.total:,}" if run.state != "finished" and run.total else ""
    return f"{run.done} cells{examples}"


def _share(run: ListedRun) -> float | None:
    """The share of examples (or of cells, if the number of examples is unknown) that is done; None if unknown."""
    if run.state == "finished":
        return 1.0
    done, total = (run.examples, run.total) if run.total or run.cells is None else (run.finished or 0, run.cells)
    return min(done / total, 1.0) if total else None
