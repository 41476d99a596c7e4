"""Finds a task's files in a folder that has the files of several tasks, as published or with a folder per task.

`data/vlsp_test.json.bz2` is looked for as the hub has it, without `data/`, and unpacked; `qmsum.zip` also as
`qmsum/validation.jsonl`. A folder, or a file, that has the name of the task may contain its data in any layout that the
task reads.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.sources import DatasetInfo, layouts, split_names, zips
from pipelines.sources.layouts import LayoutOfSeveralFiles
from pipelines.sources.tables import UNPACKED


def find_task(folder: Path, task: str, info: DatasetInfo, split: str) -> Path:
    """The file or folder with a task's split: `folder` itself, or in it. Raises `UserError` where there is none."""
    return check_inside(_find_task(folder, task, info, split), folder)


def _find_task(folder: Path, task: str, info: DatasetInfo, split: str) -> Path:
    if not folder.exists():
        raise UserError(f"{folder} does not exist")
    if not folder.is_dir():
        if zips.published_files(folder, info.files.get(split_names.canonical(split), ())):
            return folder
        raise UserError(
            f"{folder} is a file; with several tasks, say whose it is: data={{{task!r}: …}} (--data {task}=…)"
        )
    published = info.files.get(split_names.canonical(split), ())
    for name in published:
        for relative_path in _candidate_paths(name):
            if (folder / relative_path).is_file():
                return _with_other_splits(folder, relative_path, name)
    for name in _names(task, published):
        if (folder / name).is_dir():
            return folder / name
        if unpacked := next((folder / f"{name}{end}" for end in UNPACKED if (folder / f"{name}{end}").is_file()), None):
            return unpacked
    if isinstance(layout := layouts.layout(info.layout), LayoutOfSeveralFiles):
        return layout.task_file(folder, task)
    candidates = [*(name.partition(zips.SEPARATOR)[0] for name in published), f"a folder {task.rpartition('/')[2]}"]
    raise UserError(f"{folder} has no data of {task}; expected {' or '.join(candidates)}")


def _with_other_splits(folder: Path, relative_path: str, name: str) -> Path:
    """The path to read a split from: a folder if other splits may be beside it, for readers that need training data.

    It is `folder` for a file that lies as on the hub, the folder of a file that was unpacked from a zip, or the file.
    """
    if relative_path == name:
        return folder
    is_unpacked = relative_path == name.partition(zips.SEPARATOR)[2]
    return (folder / relative_path).parent if is_unpacked else folder / relative_path


def _candidate_paths(name: str) -> Iterator[str]:
    """The paths, relative to the folder, at which a published file may be."""
    archive, _, inside = name.partition(zips.SEPARATOR)
    if inside:
        yield inside
        if not split_names.splits_named_in(PurePosixPath(inside).name):  # `test.jsonl` could be any task's
            yield PurePosixPath(inside).name
        yield archive
        return
    file = PurePosixPath(archive)
    stem = file.name.partition(".")[0]
    for base in (str(file.parent), ""):
        yield f"{base}/{file.name}".lstrip("/")
        yield from (f"{base}/{stem}{suffix}".lstrip("/") for suffix in UNPACKED)


def _names(task: str, published: tuple[str, ...]) -> list[str]:
    """The names that a task's own folder may have: `qmsum`, `scrolls-qmsum`, and as its files are (`character_id`)."""
    files = [PurePosixPath(name.partition(zips.SEPARATOR)[0]).name.partition(".")[0] for name in published]
    stems = [name.rpartition("_")[0] for name in files if split_names.splits_named_in(name.rpartition("_")[2])]
    return list(dict.fromkeys([task.rpartition("/")[2], task.replace("/", "-"), *stems]))
