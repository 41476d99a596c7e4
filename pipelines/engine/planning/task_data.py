"""Which data are whose, where several tasks are run or measured together."""

from collections.abc import Mapping, Sequence
from typing import Any

from longdoc.errors import UserError
from pipelines import tasks


def data_of(task: tasks.Task, chosen: Sequence[tasks.Task], data: Any) -> Any:
    """The data of one of the `chosen` tasks: `data`, or its entry where that is a mapping from tasks' names.

    Raises `UserError` for a name that is none of theirs, and where several tasks are given one set of data other than
    "sample".
    """
    if not isinstance(data, Mapping) or hasattr(data, "with_format"):  # a DatasetDict is a mapping, too
        if data is not None and data != "sample" and len(chosen) > 1:
            names = ", ".join(f'"{one.name}": …' for one in chosen)
            raise UserError(f"several tasks have data each: data={{{names}}} (--data {chosen[0].name}=PATH …)")
        return data
    by_name = {tasks.full_name(str(name)): value for name, value in data.items()}
    if unknown := set(by_name) - {one.name for one in chosen}:
        raise UserError(
            f"data= names {min(unknown)}, which is none of the tasks {', '.join(one.name for one in chosen)}"
        )
    return by_name.get(task.name)


def several_tasks(given: Sequence[Any]) -> list[tasks.Task]:
    """The tasks by name. Raises `UserError` for one that is given twice."""
    chosen = [tasks.get(one) for one in given]
    if len({one.name for one in chosen}) < len(chosen):
        raise UserError("a task is given twice: leave one out")
    return chosen
