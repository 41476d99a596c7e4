"""Whether a task fits harnesses that ask a model one text an example."""

from longdoc.errors import UserError
from models.requests import Generate
from pipelines import strategies, tasks


def check_one_prompt(task: tasks.Task) -> None:
    """Raises `UserError` for a task whose strategy makes other requests than one prompt an example."""
    strategy = strategies.get(task.strategy)
    if not strategy.one_prompt or strategy.needs != {Generate}:
        note = f"its strategy, {task.strategy}, is made of other requests"
        raise UserError(f"{task.name} does not ask one prompt an example ({note}): longdoc run {task.name}")
