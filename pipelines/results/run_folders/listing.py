"""Listing the runs below folders, with their progress and scores."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines import tasks
from pipelines.results.run_folders.entry import FolderReader
from pipelines.results.run_folders.listed_run import ListedRun, Listing
from pipelines.results.run_folders.record import ABLATION

Sort = Literal["score", "time"]
FIRST = "longdoc run narrativeqa --data sample --model extractive"


@checks_names
def runs(
    folder: str | Path = "runs",
    *more_folders: str | Path,
    task: str | None = None,
    sort: Sort = "score",
    all: bool = False,
) -> Listing:
    """The runs in folders and everything below them; an ablation is one entry, which has its cells in `runs`.

    `task` keeps those of one task. They are sorted by task, then by the first score, or with `sort="time"` by time, the
    latest first. With `all` the cells of ablations are entries of their own too, else only those cells that were also
    started as runs. Raises `UserError` for a missing folder.
    """
    if sort not in ("score", "time"):
        raise UserError(f"sort must be score or time, got {sort!r}")
    full_task = tasks.full_name(task) if task is not None else None
    reader = FolderReader()
    listed_runs = [reader(path) for path in folders((folder, *more_folders), holds_runs)]
    entries, left_out = with_cells(listed_runs) if all else without_cells(listed_runs)
    task_runs = [run for run in entries if full_task is None or full_task in run.task.split()]
    key = _by_time if sort == "time" else _by_score
    return Listing(Path(folder), sorted(task_runs, key=key), left_out)


def holds_runs(folder: Path) -> bool:
    """Whether a folder is that of a run or an ablation."""
    return (folder / "run.json").is_file() or (folder / ABLATION).is_file()


def folders(roots: Iterable[str | Path], is_wanted: Callable[[Path], bool]) -> list[Path]:
    """The wanted folders in `roots` and below, each once; wanted folders are not searched for further ones.

    Raises `UserError` for a missing root.
    """
    paths: dict[Path, Path] = {}
    for root in map(Path, roots):
        if not root.is_dir():
            raise UserError(f"there is no folder {root}: name the one your runs are in, or make a first run: {FIRST}")
        paths |= {path.resolve(): path for path in _matching_folders(root, is_wanted)}
    return list(paths.values())


def _matching_folders(root: Path, is_wanted: Callable[[Path], bool]) -> Iterator[Path]:
    if is_wanted(root):
        yield root
        return
    try:
        subfolders = sorted(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return
    for path in subfolders:
        if not path.name.startswith("."):
            yield from _matching_folders(path, is_wanted)


def with_cells(runs: list[ListedRun]) -> tuple[list[ListedRun], int]:
    """The entries and the cells of ablations among them, each once; and 0, the number of cells left out."""
    entries = {run.folder.resolve(): run for run in runs}
    for ablation in runs:
        for cell in ablation.runs:
            path = cell.folder.resolve()
            run = entries.get(path)
            if run is None or run.of_ablation:
                entries[path] = cell
    return list(entries.values()), 0


def without_cells(runs: list[ListedRun]) -> tuple[list[ListedRun], int]:
    """The entries without runs that are only cells of ablations among them; and the number of cells left out."""
    cells = {cell.folder.resolve() for ablation in runs for cell in ablation.runs}
    paths = {run.folder.resolve() for run in runs if not run.of_ablation}
    return [run for run in runs if not run.of_ablation or run.folder.resolve() not in cells], len(cells - paths)


def _by_score(run: ListedRun) -> tuple[Any, ...]:
    best = next(iter(run.scores.values()), None)
    return run.task == "", run.task, run.split, best is None, -(best or 0.0), str(run.folder)


def _by_time(run: ListedRun) -> tuple[Any, ...]:
    return run.task == "", run.task, -run.time, str(run.folder)
