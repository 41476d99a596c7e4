"""Original releases for the builders of benchmarks: their splits, and SCROLLS' cleansing."""

import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.builders import BuildStats
from pipelines.records import Example
from pipelines.sources import Dataset, reading, split_names, zips
from pipelines.sources import load as open_source
from pipelines.sources.originals import narrativeqa
from pipelines.sources.originals.cleansing import Cleansing
from pipelines.tasks import Task

SPLITS = ("train", "validation", "test")
PLACED_TEXT = "examples called by their place in the file, because the original has no id that the published rows take"
_PLACE = re.compile(rf"(?:{'|'.join(SPLITS)})(?:-\d+)+")


def splits_of(task: Task, source: Path, name: str | None = None) -> dict[str, Dataset]:
    """The splits of a source, loaded: those that its files name, or the one of that name.

    A source whose files name no split is taken for the task's scored one; the warnings say so, and why another split
    could not be read. Raises `UserError` for a source that has none.
    """
    if name is not None:
        split = split_names.canonical(name)
        return {split: _open(task, source, split)}
    splits, problems = {}, []
    for split in SPLITS:
        try:
            opened = _open(task, source, split)
        except UserError as error:
            problems.append(f"without {split}: {error}")
            continue
        if _names(source, opened, split):
            splits[split] = opened
    if not splits:
        splits = {task.split: _open(task, source, task.split)}
        problems = [f"{source.name} names no split and is taken for {task.split}"]
    next(iter(splits.values())).warnings += problems
    return splits


def _open(task: Task, source: Path, split: str) -> Dataset:
    info = replace(task.dataset, cleansing="")  # builders cleanse by themselves, since they keep counts
    return open_source(task.name, info, reading.existing(source), split)


def _names(source: Path, opened: Dataset, split: str) -> bool:
    """Whether the loaded files are named after the split, or contain it among others."""
    if source.is_dir() and narrativeqa.recognizes_folder(source):
        return bool(narrativeqa.stories(source, split))
    files = [value["name"] for value in opened.fingerprint["files"]]
    return any(
        split in split_names.splits_named_in(Path(name).name)
        for file in files
        for name in (file, *_inside(source, file))
    )


def _inside(source: Path, file: str) -> list[str]:
    """The names of the files in a zip, nothing for other files."""
    path = source / file if source.is_dir() else source
    return zips.names(path) if zipfile.is_zipfile(path) else []


def fingerprint(opened: Mapping[str, Dataset]) -> dict[str, Any]:
    """What identifies the data: the files of all splits, each once, and digests of the documents that they name."""
    files = {value["name"]: value for dataset in opened.values() for value in dataset.fingerprint["files"]}
    documents = {
        name: dataset.fingerprint["documents"] for name, dataset in opened.items() if "documents" in dataset.fingerprint
    }
    return {"files": list(files.values()), **({"documents": documents} if documents else {})}


def note_id(example: Example, stats: BuildStats) -> None:
    """Count an example whose id is its position in the file."""
    if _PLACE.fullmatch(example.id):
        stats.notes[PLACED_TEXT] += 1


def cleansing(task: Task, stats: BuildStats) -> Cleansing:
    """The benchmark's rules for a task, own rows included. What is done to texts is counted in the stats."""

    def count(description: str, location: str) -> None:
        stats.notes[description] += 1

    return Cleansing(task.dataset.cleansing, count)
