"""A task's data for an analysis, and what its texts are counted in."""

from chunkers.shared import units
from pipelines import sources, tasks
from pipelines.sources import Dataset, DataSpec
from pipelines.tasks import Task, TaskSpec


def load_split(task: TaskSpec, data: DataSpec | None, split: str | None) -> tuple[Task, str, Dataset]:
    """The task, the split (by default the scored one) and its examples. Raises `UserError` as `run` does."""
    chosen_task = tasks.get(task)
    name = split or chosen_task.split
    return chosen_task, name, sources.load(chosen_task.name, chosen_task.dataset, data, name)


def tokenizer_unit(tokenizer: str) -> units.Unit:
    """The unit of a model, whose tokens are counted: a hub id, a folder, or a name in `models.hub.PACKAGED`."""
    from models import hub

    return units.unit_of(str(hub.folder(tokenizer).path) if tokenizer in hub.PACKAGED else tokenizer)
