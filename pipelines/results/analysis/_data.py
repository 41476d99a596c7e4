"""A task's data for an analysis."""

from typing import Any

from pipelines import sources, tasks
from pipelines.sources import Dataset
from pipelines.tasks import Task


def opened(task: Any, data: Any, split: str | None) -> tuple[Task, str, Dataset]:
    """The task, the split (by default the scored one) and its examples. Raises `UserError` as `run` does."""
    chosen = tasks.get(task)
    of = split or chosen.split
    return chosen, of, sources.load(chosen.name, chosen.dataset, data, of)
