"""Which data are whose, where several tasks are run or measured together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines import tasks
from pipelines.sources.several_tasks import find_task


def data_of(task: tasks.Task, chosen_tasks: Sequence[tasks.Task], data: Any, split: str | None = None) -> Any:
    """The data of one of the `chosen_tasks`: `data`, its entry of a mapping from tasks' names, its file in a folder.

    `split` is looked for in a folder, by default the task's own. Raises `UserError` for a name that is none of theirs,
    for a folder without the task's file, and where several tasks are given one set of data other than "sample".
    """
    if not isinstance(data, Mapping) or hasattr(data, "with_format"):  # a DatasetDict is a mapping, too
        if data is None or (isinstance(data, str) and data == "sample") or len(chosen_tasks) == 1:
            return data
        if isinstance(data, (str, Path)):
            return find_task(expanded(data), task.name, task.dataset, split or task.split)
        names = ", ".join(f'"{task.name}": …' for task in chosen_tasks)
        raise UserError(f"several tasks have data each: data={{{names}}} (--data {chosen_tasks[0].name}=PATH …)")
    by_name = {tasks.full_name(str(name)): value for name, value in data.items()}
    if unknown := set(by_name) - {task.name for task in chosen_tasks}:
        raise UserError(
            f"data= names {min(unknown)}, which is none of the tasks {', '.join(task.name for task in chosen_tasks)}"
        )
    return by_name.get(task.name)
