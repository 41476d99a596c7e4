"""Files of predictions in folders: found by their rows' layout, each with the task that it is of."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from longdoc.errors import UserError
from pipelines.evaluation import predictions as files
from pipelines.results.run_folders.listing import holds_runs
from pipelines.sources import tables
from pipelines.tasks import Task

MOST_FILES = 20_000


def tables_below(root: Path) -> Iterator[Path]:
    """The files below a folder that may be tables, in order; not in folders of runs, nor behind links.

    Raises `UserError` for more files than a disk of predictions has.
    """
    count = 0
    for folder in _folders(root):
        for path in sorted(folder.iterdir()):
            if path.is_symlink() or not path.is_file():
                continue
            count += 1
            if count > MOST_FILES:
                raise UserError(f"{root} has more than {MOST_FILES:,} files: name the folders of the predictions")
            if tables.is_table(path):
                yield path


def _folders(folder: Path) -> Iterator[Path]:
    if holds_runs(folder):
        return
    yield folder
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield from _folders(path)


def task_of(path: Path) -> Task | None:
    """The task of a benchmark's file of predictions, None for another file. Raises `UserError` where it is not clear.

    The layout is that of the first row; of a benchmark's tasks it is the one that the file's name names, or the only
    one that reads the file.
    """
    layout_tasks = _layout_tasks(path)
    if len(layout_tasks) < 2:
        return next(iter(layout_tasks), None)
    named_tasks = [task for task in layout_tasks if any(name in path.name for name in _names(task))]
    if named_tasks:
        return max(named_tasks, key=lambda task: max(len(name) for name in _names(task) if name in path.name))
    reading = [task for task in layout_tasks if _is_read(task, path)]
    if len(reading) != 1:
        names = ", ".join(task.name for task in layout_tasks)
        raise UserError(f"which task it is of is not clear from its name ({names}): longdoc score TASK {path}")
    return reading[0]


def _layout_tasks(path: Path) -> list[Task]:
    """The tasks of the first benchmark whose layout a file has; none where it is no table, or of no benchmark."""
    try:
        return files.recognized_tasks(path)
    except UserError:
        return []


def _names(task: Task) -> Sequence[str]:
    """What the names of a task's files have in them."""
    stems = [Path(file).stem for names in task.dataset.files.values() for file in names]
    return [*stems, task.name.rpartition("/")[2]]


def _is_read(task: Task, path: Path) -> bool:
    try:
        files.read(task, path)
    except UserError:
        return False
    return True
