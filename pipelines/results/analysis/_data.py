"""A task's data for an analysis."""

from pipelines import sources, tasks
from pipelines.sources import Dataset, DataSpec
from pipelines.tasks import Task, TaskSpec


def load_split(task: TaskSpec, data: DataSpec | None, split: str | None) -> tuple[Task, str, Dataset]:
    """The task, the split (by default the scored one) and its examples. Raises `UserError` as `run` does."""
    chosen = tasks.get(task)
    name = split or chosen.split
    return chosen, name, sources.load(chosen.name, chosen.dataset, data, name)
