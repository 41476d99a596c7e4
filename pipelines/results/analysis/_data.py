"""A task's data for an analysis."""

from typing import Any

from pipelines import sources, tasks
from pipelines.sources import Dataset
from pipelines.tasks import Task


def load_split(task: Any, data: Any, split: str | None) -> tuple[Task, str, Dataset]:
    """The task, the split (by default the scored one) and its examples. Raises `UserError` as `run` does."""
    chosen = tasks.get(task)
    name = split or chosen.split
    return chosen, name, sources.load(chosen.name, chosen.dataset, data, name)
