"""Fill the hub cache with what runs need, for a machine without network."""

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from models import hub, registry
from pipelines import tasks


@checks_names
def fetch(*names: str, split: str | None = None, revision: str | None = None) -> dict[str, str]:
    """Fill the hub cache with the files of tasks and models, for a machine without network; their paths, by name."""
    paths: dict[str, str] = {}
    for name in map(tasks.full_name, names):
        paths |= _task(name, split, revision) if name in tasks.all_tasks() else _model(name, revision)
    return paths


def _model(name: str, revision: str | None) -> dict[str, str]:
    """Fetch a model; its path, by name."""
    model = registry.parse(name)[1]["model"] if name in registry.presets else name
    return {name: str(hub.folder(model, revision).path)}


def _task(name: str, split: str | None, revision: str | None) -> dict[str, str]:
    """Fetch the files of a task's split; their paths, by `TASK/FILE`."""
    task = tasks.all_tasks()[name]
    if not task.dataset.files:
        raise UserError(f"{name} has no published files to fetch: run it on your own, data=PATH")
    split = split or task.split
    if split not in task.dataset.files:
        raise unknown(f"split of {name}", split, task.dataset.files)
    files = task.dataset.downloads(split)
    return {f"{name}/{file}": str(hub.file(task.dataset.repository, file, revision).path) for file in files}
