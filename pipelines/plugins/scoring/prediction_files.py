"""Read files of predictions in the layout that they are in.

The layout is that of the task's benchmark, or `plain`, which any task has.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from longdoc import errors, extensions
from longdoc.errors import UserError, listed
from longdoc.files import expanded, write_whole
from longdoc.messages import counted
from pipelines import tasks
from pipelines.plugins.scoring.predictions import (
    Layout,
    LayoutOfSystems,
    LayoutOfVerdicts,
    PredictionFile,
    plain,
)
from pipelines.records import Prediction
from pipelines.sources import tables, zips
from pipelines.sources.tables import Row
from pipelines.tasks import Task

PLAIN = "plain"
VERDICTS = "verdicts.jsonl"  # a judge's verdicts, in the benchmark's own layout


def write_verdicts(
    task: Task, predictions: Sequence[Prediction], unanswered: Sequence[Prediction], folder: Path
) -> None:
    """Write a judge's verdicts into a folder (`VERDICTS`) where the task's benchmark has a layout for them."""
    if task.predictions and isinstance(layout := _module(task.predictions), LayoutOfVerdicts):
        rows = layout.verdict_rows(predictions, unanswered)
        write_whole(folder, VERDICTS, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def read(task: Task, source: str | Path) -> PredictionFile:
    """The predictions in a file, or those of one of its systems, `FILE::SYSTEM`.

    Raises `UserError` for another layout, repeated ids, no predictions, and a system of a file that has only one.
    """
    path, system = place(source)
    table, first = _opened(path)
    layout = _layout(task, first)
    if system and not isinstance(layout, LayoutOfSystems):
        raise UserError(f"{path} has the predictions of one system: leave ::{system} out")
    with errors.parsing(path):
        file = layout.read(table.rows(), path, task, system)
    if not file.given:
        raise UserError(f"{path} holds no predictions for {task.name}")
    counts = Counter(prediction.example.id for prediction in file.given)
    if repeated := [name for name, count in counts.items() if count > 1]:
        problem = f"{path}: {counted(len(repeated), 'id')} occur{'s' * (len(repeated) == 1)} more than once"
        raise UserError(f"{problem} ({listed(repeated, 3)}): leave out all but one row of each")
    file.warnings += _name_warnings(task, path)
    if layout is _module(PLAIN) and (hint := _layout_hint(task, first)):
        file.warnings.append(f"{path.name}: {hint}")
    return file


def systems(task: Task, source: str | Path) -> list[str]:
    """The sources that a path stands for: itself, or a `FILE::SYSTEM` for each system of its rows.

    Raises `UserError` for a file that is missing, empty or in another layout.
    """
    path, system = place(source)
    table, first = _opened(path)
    layout = _layout(task, first)
    if system or not isinstance(layout, LayoutOfSystems):
        return [str(source)]
    names = dict.fromkeys(name for row in table.rows() for name in layout.systems(row.fields))
    return [f"{path}{zips.SEPARATOR}{name}" for name in names]


def reads(task: Task, source: str | Path) -> bool:
    """Whether a file is in the layout of the task's benchmark. Raises `UserError` for one that is missing or empty."""
    if not task.predictions:
        return False
    path, _ = place(source)
    return (not path.is_file() or tables.is_table(path)) and _module(task.predictions).recognizes(
        _opened(path)[1].fields
    )


def place(source: str | Path) -> tuple[Path, str]:
    """The file and the system of `FILE::SYSTEM`, or the file and ""."""
    path, _, system = str(source).partition(zips.SEPARATOR)
    return expanded(path), system


def _opened(path: Path) -> tuple[tables.Files, Row]:
    """A file's table and its first row. Raises `UserError` where the file is missing, empty, or not a table."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the files of predictions in it")
    table = tables.Files((path,))
    first = next(table.rows(), None)
    if first is None:
        raise UserError(f"{path} holds no predictions")
    return table, first


def _module(name: str) -> Layout:
    return cast(Layout, plain if name == PLAIN else extensions.part(name, "predictions"))


def _layout(task: Task, first: Row) -> Layout:
    """The layout of a task's file. Raises `UserError`, which names the benchmark whose layout it may be."""
    layouts = [_module(name) for name in (task.predictions, PLAIN) if name]
    for layout in layouts:
        if layout.recognizes(first.fields):
            return layout
    accepted = " or ".join(layout.ACCEPTS for layout in layouts)
    fields = ", ".join(first.fields) or "nothing"
    problem = f"{first.location}: expected {accepted}, found {fields}; give a file of that form"
    raise UserError("; ".join(filter(None, (problem, _layout_hint(task, first)))))


def _recognized_tasks(first: Row, own_layout: str) -> list[Task]:
    """The tasks of the first layout other than `own_layout` that recognizes a row."""
    by_layout: dict[str, list[Task]] = {}
    for task in tasks.all_tasks().values():
        if task.predictions and task.predictions != own_layout:
            by_layout.setdefault(task.predictions, []).append(task)
    return next((members for layout, members in by_layout.items() if _module(layout).recognizes(first.fields)), [])


def _layout_hint(task: Task, first: Row) -> str:
    """A hint that a row is in another benchmark's layout, with the command that scores it; "" where it is not."""
    if not (other_tasks := _recognized_tasks(first, task.predictions)):
        return ""
    names = " or ".join(other.name for other in other_tasks)
    return f"these are {_module(other_tasks[0].predictions).ACCEPTS}: longdoc score {names} FILE"


def _name_warnings(task: Task, path: Path) -> list[str]:
    """Warnings of a file that is named like those of another task in the same layout, and not like this task's."""

    def matches(task: Task) -> bool:
        files = [file for names in task.dataset.files.values() for file in names]
        return any(Path(file).stem in path.name for file in files)

    if not task.predictions or matches(task):
        return []
    other_tasks = [
        other for other in tasks.all_tasks().values() if other.predictions == task.predictions and matches(other)
    ]
    return [f"{path.name} is scored as {task.name}, but is named like {other.name}" for other in other_tasks]
