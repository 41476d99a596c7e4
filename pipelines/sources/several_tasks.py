"""A folder with the files of several tasks, as a benchmark is published or with a folder per task: whose file is which.

`data/vlsp_test.json.bz2` is looked for as the hub has it, without `data/`, and unpacked; `qmsum.zip` also as
`qmsum/validation.jsonl`. A folder, or a file, that is called as the task may hold its data in any layout that the task
reads.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from longdoc.errors import UserError
from longdoc.links import check_inside
from pipelines.sources import DatasetInfo, split_names, zips

UNPACKED = (".json", ".jsonl", ".json.gz", ".jsonl.gz")  # what `.json.bz2` may have become


def find_task(folder: Path, task: str, info: DatasetInfo, split: str) -> Path:
    """The file or folder with a task's split: `folder` itself, or in it. Raises `UserError` where there is none."""
    return check_inside(_find_task(folder, task, info, split), folder)


def _find_task(folder: Path, task: str, info: DatasetInfo, split: str) -> Path:
    if not folder.exists():
        raise UserError(f"{folder} does not exist")
    if not folder.is_dir():
        if zips.published_files(folder, info.files.get(split_names.canonical(split), ())):
            return folder
        raise UserError(f"{folder} is a file: of several tasks say whose it is, data={{{task!r}: …}} (--data {task}=…)")
    if info.layout == "lara":
        return _lara_path(folder, task)
    published = info.files.get(split_names.canonical(split), ())
    for name in published:
        for place in _places(name):
            if (folder / place).is_file():
                return _with_other_splits(folder, place, name)
    for name in _names(task, published):
        if (folder / name).is_dir():
            return folder / name
        if unpacked := next((folder / f"{name}{end}" for end in UNPACKED if (folder / f"{name}{end}").is_file()), None):
            return unpacked
    if info.layout == "leval":
        return _leval_path(folder, task)
    candidates = [*(name.partition(zips.SEPARATOR)[0] for name in published), f"a folder {task.rpartition('/')[2]}"]
    raise UserError(f"no data of {task} in {folder}, which would be {' or '.join(candidates)}")


def _leval_path(folder: Path, task: str) -> Path:
    """The only file called as a task in the folders of L-Eval's. Raises `UserError` where there is none, or several."""
    name = task.rpartition("/")[2]
    files = [path for end in UNPACKED for path in sorted(folder.glob(f"*/{name}{end}")) if path.is_file()]
    if len(files) != 1:
        raise UserError(f"no data of {task} in {folder}, which would be one {name}.jsonl, in it or in a folder of it")
    return files[0]


def _lara_path(folder: Path, task: str) -> Path:
    """LaRA's file of questions of a task. Raises `UserError` where there is none, or several."""
    from pipelines.sources.published import lara

    if (path := lara.question_file(folder, task)) is None:
        raise UserError(f"no data of {task} in {folder}, which would be a file LENGTH_TYPE_LEVEL.jsonl")
    return path


def _with_other_splits(folder: Path, place: str, name: str) -> Path:
    """What to read a file by, so that a reader that has to be fitted finds the training split beside it.

    That is the folder for a file that lies as on the hub, and the folder of a file that a zip has; else the file.
    """
    if place == name:
        return folder
    return (folder / place).parent if place == name.partition(zips.SEPARATOR)[2] else folder / place


def _places(name: str) -> Iterator[str]:
    """Where a published file may lie, seen from the folder."""
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
    """What a task's own folder may be called: `qmsum`, `scrolls-qmsum`, and as its files are (`character_id`)."""
    files = [PurePosixPath(name.partition(zips.SEPARATOR)[0]).name.partition(".")[0] for name in published]
    stems = [name.rpartition("_")[0] for name in files if split_names.splits_named_in(name.rpartition("_")[2])]
    return list(dict.fromkeys([task.rpartition("/")[2], task.replace("/", "-"), *stems]))
