"""A task's data for an analysis, and the unit in which its texts are counted."""

from chunkers.shared import units
from pipelines import sources, tasks
from pipelines.sources import Dataset, DataSpec
from pipelines.tasks import Task, TaskSpec


def load_split(task: TaskSpec, data: DataSpec | None, split: str | None) -> tuple[Task, str, Dataset]:
    """The task, the split (by default the scored one) and its examples. Raises `UserError` as `run` does."""
    chosen_task = tasks.get(task)
    chosen_split = split or chosen_task.split
    return chosen_task, chosen_split, sources.load(chosen_task.name, chosen_task.dataset, data, chosen_split)


def tokenizer_unit(tokenizer: str) -> units.Unit:
    """The tokens of a model as a unit: of a hub id, a folder, or a name in `models.hub.PACKAGED`."""
    from models import hub

    return units.unit_of(str(hub.folder(tokenizer).path) if tokenizer in hub.PACKAGED else tokenizer)
