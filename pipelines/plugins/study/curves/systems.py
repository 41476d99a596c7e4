"""The systems of a curve, out of finished runs, tables of conditions or files of predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chunkers.shared import units
from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.plugins.scoring import prediction_files as files
from pipelines.plugins.scoring._prediction_run import prediction_run
from pipelines.plugins.scoring.score_predictions import distinct_names
from pipelines.records import Document, Example
from pipelines.results.ablations.ablation_file import read_stored
from pipelines.results.comparisons.runs import Rows
from pipelines.results.run_folders.record import ABLATION
from pipelines.results.run_folders.run import Run, examples_of, finished_run
from pipelines.tasks import Task


@dataclass(slots=True)
class System:
    """A system's run, and the positions of its examples on the axes.

    `lengths` has the length of each example's document, `places` the middles of its pieces of evidence, 0–1 of the
    document. `has_named_lengths`: the lengths are those in the names of files.
    """

    name: str
    rows: Rows
    lengths: dict[str, float] = field(default_factory=dict)
    places: dict[str, tuple[float, ...]] = field(default_factory=dict)
    has_named_lengths: bool = False
    notes: Sequence[str] = ()


@dataclass(slots=True)
class _Measure:
    """Sets the lengths and places of examples; the length of a document is counted once."""

    unit: units.Unit
    last_length: tuple[Document, float] | None = None

    def add(self, system: System, example: Example) -> None:
        """Set the length and places of an example of a system; those of a document without a text stay unknown."""
        if example.document.text:
            system.lengths[example.id] = self._length(example.document)
            if example.evidence:
                system.places[example.id] = _places(example)

    def _length(self, document: Document) -> float:
        """The length of a document; examples of one document follow each other."""
        if self.last_length is None or self.last_length[0] is not document:
            self.last_length = document, float(self.unit.counts([document.text])[0])
        return self.last_length[1]


def _places(example: Example) -> tuple[float, ...]:
    document_length = len(example.document.text)
    return tuple((start + end) / 2 / document_length for start, end in example.evidence)


def systems_of_runs(paths: Sequence[str | Path], data: Any, unit: units.Unit) -> list[System]:
    """The runs in folders, and those of the cells of ablations and tables of conditions. Raises `UserError`."""
    systems = []
    for path in paths:
        runs = _runs(Path(path))
        systems += [_system_of_run(name, finished_run(folder), data, unit) for name, folder in runs.items()]
    names = distinct_names([system.name for system in systems], [system.rows.run.folder for system in systems])
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def _runs(folder: Path) -> dict[str, Path]:
    """The folders of runs by name: that of one run, or those of the cells of an ablation or a table of conditions."""
    if not (folder / ABLATION).is_file():
        return {folder.name or str(folder): folder}
    runs = {
        cell["name"]: folder / cell["folder"]
        for cell in read_stored(folder).cells
        if cell["folder"] is not None and (folder / cell["folder"] / "scores.json").is_file()
    }
    if not runs:
        raise UserError(f"no cell of {folder} has a finished run: start the same comparison again")
    return runs


def _system_of_run(name: str, run: Run, data: Any, unit: units.Unit) -> System:
    """A run as a system, with the lengths and places of its scored examples."""
    system = System(name, Rows(run))
    measure, scored = _Measure(unit), system.rows.scored
    for example in examples_of(run, data).examples():
        if example.id in scored:
            measure.add(system, example)
    return system


def systems_of_files(
    task: Task, paths: Sequence[str | Path], metrics: MetricsSpec | None, data: Any, split: str | None, unit: units.Unit
) -> list[System]:
    """The systems of a task's files of predictions; files whose names differ in a length alone are one system's.

    Lengths are those of the data, or without data those in the files' names. Raises `UserError`.
    """
    file_paths = [file_path for path in paths for file_path in files.systems(task, path)]
    groups = _grouped([(_system_of_file(task, path, metrics, data, split), path) for path in file_paths])
    if data is not None and (parts := next((parts for parts in groups.values() if len(parts) > 1), None)):
        raise UserError(
            f"data= has one length, and {parts[0].name} has {len(parts)} files for several: give one of them"
        )
    systems = [_joined(parts, name) for name, parts in groups.items()]
    if data is not None:
        _fill_from_data(task, systems, data, split, unit)
    return systems


def _grouped(systems: Sequence[tuple[System, str]]) -> dict[str, list[System]]:
    """By name the systems of files, with their paths; files whose names differ in a length alone are one group."""
    groups: dict[tuple[str, str], list[System]] = {}
    for system, path in systems:
        groups.setdefault((system.name, _name_without_length(files.place(path)[0], system)), []).append(system)
    return dict(zip(_group_names(list(groups)), groups.values(), strict=True))


def _group_names(groups: Sequence[tuple[str, str]]) -> list[str]:
    """The names of groups: the system's, with the words that distinguish its file from the system's other files."""
    names = []
    for system, file in groups:
        words = [_words(other_file) for other_system, other_file in groups if other_system == system]
        shared_words = {word for word in _words(file) if all(word in other_words for other_words in words)}
        distinct_words = [word for word in _words(file) if word not in shared_words and word not in system]
        names.append(" ".join([system, *distinct_words]))
    return distinct_names(names, [Path(file) for _, file in groups])


def _words(file: str) -> list[str]:
    return [word for word in Path(file).stem.split("_") if word]


def _name_without_length(file: Path, system: System) -> str:
    """The file's path without the length in its name, such as "8k"."""
    length = next(iter(system.lengths.values()), None)
    return str(file if length is None else file.with_name(file.name.replace(f"{length / 1000:g}k", "", 1)))


def _system_of_file(task: Task, path: str, metrics: MetricsSpec | None, data: Any, split: str | None) -> System:
    """A file of predictions, scored, as a system. Raises `UserError`."""
    run, scored = prediction_run(task, path, metrics, data, split)
    lengths = (
        {}
        if scored.length is None
        else dict.fromkeys((prediction.id for prediction in scored.predictions), float(scored.length))
    )
    return System(scored.system or Path(path).stem, Rows(run), lengths, {}, bool(lengths), scored.warnings)


def _joined(parts: Sequence[System], name: str) -> System:
    """The parts as one system; the names of its examples begin with their length. Raises `UserError`."""
    if len(parts) == 1:
        return replace(parts[0], name=name)
    lengths = [next(iter(part.lengths.values()), None) for part in parts]
    system = joined(name, parts, ["" if length is None else f"{length:g}" for length in lengths])
    predictions = system.rows.run.predictions
    if len({prediction.id for prediction in predictions}) < len(predictions):
        raise UserError(f"the files of {parts[0].name} have the same examples twice: give one file for each length")
    return system


def joined(name: str, parts: Sequence[System], keys: Sequence[str], notes: Sequence[str] = ()) -> System:
    """The parts as one system; the names of its examples and documents begin with the key of their part."""
    pairs = list(zip(keys, parts, strict=True))
    predictions = tuple(
        replace(prediction, id=_keyed(key, prediction.id), document=_keyed(key, prediction.document))
        for key, part in pairs
        for prediction in part.rows.run.predictions
    )
    return System(
        name=name,
        rows=Rows(replace(parts[0].rows.run, loaded=predictions)),
        lengths={_keyed(key, example_id): length for key, part in pairs for example_id, length in part.lengths.items()},
        places={_keyed(key, example_id): middles for key, part in pairs for example_id, middles in part.places.items()},
        has_named_lengths=all(part.has_named_lengths for part in parts),
        notes=(*notes, *dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _keyed(key: str, name: str) -> str:
    return f"{key}:{name}" if key and name else name


def _fill_from_data(task: Task, systems: Sequence[System], data: Any, split: str | None, unit: units.Unit) -> None:
    """Set lengths and places from the benchmark's data, read once for all systems."""
    source = None if isinstance(data, str) and data == "published" else data
    dataset = sources.load(task.name, task.dataset, source, split or task.split, has_texts=False)
    measure = _Measure(unit)
    for system in systems:
        system.lengths, system.has_named_lengths = {}, False
    for example in dataset.examples():
        for system in systems:
            if example.id in system.rows.scored:
                measure.add(system, example)
