"""The systems of a curve: finished runs, tables of conditions, files of predictions, each with its examples' places."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from chunkers.shared import units
from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.evaluation import predictions as files
from pipelines.evaluation._prediction_run import prediction_run
from pipelines.evaluation.score_predictions import distinct_names
from pipelines.records import Document, Example
from pipelines.results.ablations.ablation_file import read_stored
from pipelines.results.comparisons.runs import Rows
from pipelines.results.conditions import table_folder
from pipelines.results.run_folders.record import ABLATION
from pipelines.results.run_folders.run import Run, examples_of, finished_run
from pipelines.tasks import Task


@dataclass(slots=True)
class System:
    """A system's run, and where its examples are on the axes.

    `lengths`, of the document, and `places` are by example; places are the middles of its pieces of evidence, 0–1 of
    the document. `has_named_lengths`: the lengths are those in the names of files.
    """

    name: str
    rows: Rows
    lengths: dict[str, float] = field(default_factory=dict)
    places: dict[str, tuple[float, ...]] = field(default_factory=dict)
    has_named_lengths: bool = False
    notes: Sequence[str] = ()


@dataclass(slots=True)
class _Measure:
    """Counts documents, each once, and places pieces of evidence."""

    unit: units.Unit
    last: tuple[Document, float] | None = None

    def add(self, system: System, example: Example) -> None:
        """Set where an example of a system is; one whose document's text is absent is nowhere."""
        if example.document.text:
            system.lengths[example.id] = self._length(example.document)
            if example.evidence:
                system.places[example.id] = _places(example)

    def _length(self, document: Document) -> float:
        """The length of a document; examples of one document follow each other."""
        if self.last is None or self.last[0] is not document:
            self.last = document, float(self.unit.counts([document.text])[0])
        return self.last[1]


def _places(example: Example) -> tuple[float, ...]:
    size = len(example.document.text)
    return tuple((start + end) / 2 / size for start, end in example.evidence)


def run_systems(paths: Sequence[str | Path], data: Any, unit: units.Unit) -> list[System]:
    """The runs in folders, and those of the cells of ablations and tables of conditions. Raises `UserError`."""
    systems = []
    for path in paths:
        runs = _runs(Path(path))
        systems += [_run_system(name, finished_run(folder), data, unit) for name, folder in runs.items()]
    names = distinct_names([system.name for system in systems], [system.rows.run.folder for system in systems])
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def _runs(folder: Path) -> dict[str, Path]:
    """The run in a folder by its name, or those of the cells of an ablation or of a table of conditions by theirs."""
    if table_folder.is_here(folder):
        cells = table_folder.stored_conditions(folder).cells
    elif (folder / ABLATION).is_file():
        cells = read_stored(folder).cells
    else:
        return {folder.name or str(folder): folder}
    runs = {
        cell["name"]: folder / cell["folder"]
        for cell in cells
        if cell["folder"] is not None and (folder / cell["folder"] / "scores.json").is_file()
    }
    if not runs:
        raise UserError(f"no cell of {folder} has a finished run: start the same comparison again")
    return runs


def _run_system(name: str, run: Run, data: Any, unit: units.Unit) -> System:
    system = System(name, Rows(run))
    measure, scored = _Measure(unit), system.rows.scored
    for example in examples_of(run, data).examples():
        if example.id in scored:
            measure.add(system, example)
    return system


def file_systems(
    task: Task, paths: Sequence[str | Path], metric: MetricsSpec | None, data: Any, split: str | None, unit: units.Unit
) -> list[System]:
    """The systems of a task's files of predictions; files whose names differ in a length alone are one system's.

    Lengths are those of the data, or without data those in the files' names. Raises `UserError`.
    """
    file_paths = [text for given_path in paths for text in files.systems(task, given_path)]
    groups = _grouped([(_file_system(task, path, metric, data, split), path) for path in file_paths])
    if data is not None and (parts := next((parts for parts in groups.values() if len(parts) > 1), None)):
        raise UserError(f"data= are of one length, and there are {len(parts)} files of {parts[0].name}: give one")
    systems = [_joined(parts, name) for name, parts in groups.items()]
    if data is not None:
        _fill_from_data(task, systems, data, split, unit)
    return systems


def _grouped(systems: Sequence[tuple[System, str]]) -> dict[str, list[System]]:
    """The systems of files with their paths, by name; files whose names differ in a length alone are one system's."""
    groups: dict[tuple[str, str], list[System]] = {}
    for system, path in systems:
        groups.setdefault((system.name, _name_without_length(files.place(path)[0], system)), []).append(system)
    return dict(zip(_group_names(list(groups)), groups.values(), strict=True))


def _group_names(groups: Sequence[tuple[str, str]]) -> list[str]:
    """The systems' names; where several files are of one system, with the words of their names that not all have."""
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
    length = next(iter(system.lengths.values()), None)
    return str(file if length is None else file.with_name(file.name.replace(f"{length / 1000:g}k", "", 1)))


def _file_system(task: Task, path: str, metrics: MetricsSpec | None, data: Any, split: str | None) -> System:
    """A file of predictions, scored, as a system. Raises `UserError`."""
    run, scored = prediction_run(task, path, metrics, data, split)
    lengths = (
        {} if scored.length is None else dict.fromkeys((row.id for row in scored.predictions), float(scored.length))
    )
    return System(scored.system or Path(path).stem, Rows(run), lengths, {}, bool(lengths), scored.warnings)


def _joined(parts: Sequence[System], name: str) -> System:
    """One system of several files, whose examples are told apart by their lengths. Raises `UserError`."""
    if len(parts) == 1:
        return replace(parts[0], name=name)
    runs = [_with_ids(part) for part in parts]
    loaded = [prediction for run in runs for prediction in run.predictions]
    if len({prediction.id for prediction in loaded}) < len(loaded):
        raise UserError(f"files of {parts[0].name} hold the same examples twice: leave all but one of each out")
    lengths = {_id(part, name): length for part in parts for name, length in part.lengths.items()}
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    rows = Rows(replace(runs[0], loaded=tuple(loaded)))
    return System(name, rows, lengths, {}, all(part.has_named_lengths for part in parts), notes)


def _with_ids(part: System) -> Run:
    loaded = (replace(row, id=_id(part, row.id)) for row in part.rows.run.predictions)
    return replace(part.rows.run, loaded=tuple(loaded))


def _id(part: System, name: str) -> str:
    length = next(iter(part.lengths.values()), None)
    return name if length is None else f"{length:g}:{name}"


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
