"""Original releases for the builders of benchmarks: their splits, and SCROLLS' cleansing."""

import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.benchmarks.muld.layouts import narrativeqa
from pipelines.benchmarks.scrolls.cleansing import Cleansing
from pipelines.plugins.builders.builder import BuildStats
from pipelines.records import Example
from pipelines.sources import Dataset, reading, split_names, zips
from pipelines.sources import load as open_source
from pipelines.tasks import Task

SPLITS = ("train", "validation", "test")
NAMED_BY_PLACE = (
    "examples called by their place in the file, because the original has no id that the published rows take"
)
_PLACE_AS_ID = re.compile(rf"(?:{'|'.join(SPLITS)})(?:-\d+)+")


def splits_of(task: Task, source: Path, name: str | None = None) -> dict[str, Dataset]:
    """The data of each split that the files of a source name, or of the split `name`.

    A source whose files name no split is taken for the split that the task scores. The warnings say so, and why other
    splits could not be read. Raises `UserError` for a source without a split.
    """
    if name is not None:
        split = split_names.canonical(name)
        return {split: _open(task, source, split)}
    splits, problems = {}, []
    for split in SPLITS:
        try:
            dataset = _open(task, source, split)
        except UserError as error:
            problems.append(f"without {split}: {error}")
            continue
        if _has_split(source, dataset, split):
            splits[split] = dataset
    if not splits:
        splits = {task.split: _open(task, source, task.split)}
        problems = [f"{source.name} names no split and is taken for {task.split}"]
    next(iter(splits.values())).warnings += problems
    return splits


def _open(task: Task, source: Path, split: str) -> Dataset:
    info = replace(task.dataset, cleansing=None)  # builders cleanse by themselves, since they keep counts
    return open_source(task.name, info, reading.existing(source), split)


def _has_split(source: Path, dataset: Dataset, split: str) -> bool:
    """Whether the loaded files are named after the split, or contain it among others."""
    if source.is_dir() and narrativeqa.recognizes_folder(source):
        return bool(narrativeqa.stories(source, split))
    files = [file["name"] for file in dataset.fingerprint["files"]]
    return any(
        split in split_names.splits_named_in(Path(name).name)
        for file in files
        for name in (file, *_inside(source, file))
    )


def _inside(source: Path, file: str) -> list[str]:
    """The names of the files in a zip; empty for other files."""
    path = source / file if source.is_dir() else source
    return zips.names(path) if zipfile.is_zipfile(path) else []


def fingerprint(datasets: Mapping[str, Dataset]) -> dict[str, Any]:
    """What identifies the data: the files of all splits, each once, and digests of the documents that they name."""
    files = {file["name"]: file for dataset in datasets.values() for file in dataset.fingerprint["files"]}
    documents = {
        name: dataset.fingerprint["documents"]
        for name, dataset in datasets.items()
        if "documents" in dataset.fingerprint
    }
    return {"files": list(files.values()), **({"documents": documents} if documents else {})}


def note_id(example: Example, stats: BuildStats) -> None:
    """Count an example whose id is its position in the file."""
    if _PLACE_AS_ID.fullmatch(example.id):
        stats.notes[NAMED_BY_PLACE] += 1


def cleansing(task: Task, stats: BuildStats) -> Cleansing:
    """The benchmark's cleansing for a task, for rows of one's own too; the stats count the texts that it changes."""

    def count(description: str, location: str) -> None:
        stats.notes[description] += 1

    rules = task.dataset.cleansing
    return Cleansing("" if rules is None else rules.name, count)
