"""The data of each task where several tasks are run or measured together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import expanded
from pipelines import tasks
from pipelines.sources.several_tasks import find_task


def data_of(task: tasks.Task, chosen_tasks: Sequence[tasks.Task], data: Any, split: str | None = None) -> Any:
    """The data of one of the `chosen_tasks`: `data`, the task's entry where it is a mapping, its file in a folder.

    `split` is looked for in a folder, by default the task's own. Raises `UserError` where a mapping names another task,
    for a folder without the task's file, and where several tasks are given one set of data other than "sample".
    """
    if not isinstance(data, Mapping) or hasattr(data, "with_format"):  # a DatasetDict is a mapping, too
        if data is None or (isinstance(data, str) and data == "sample") or len(chosen_tasks) == 1:
            return data
        if isinstance(data, (str, Path)):
            return find_task(expanded(data), task.name, task.dataset, split or task.split)
        names = ", ".join(f'"{task.name}": …' for task in chosen_tasks)
        raise UserError(
            f"several tasks need data for each: give data={{{names}}} (--data {chosen_tasks[0].name}=PATH …)"
        )
    by_name = {tasks.full_name(str(name)): value for name, value in data.items()}
    if unknown := set(by_name) - {task.name for task in chosen_tasks}:
        raise UserError(
            f"data= has an entry for {min(unknown)}, which is not one of the tasks "
            f"{', '.join(task.name for task in chosen_tasks)}"
        )
    return by_name.get(task.name)
