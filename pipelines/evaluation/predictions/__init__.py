"""Predictions that somebody else's program made, in the files of a benchmark: read, and scored as a run's are.

A layout is a module here: it recognizes the rows of its benchmark's files and turns each into a `GivenPrediction`.
`Task.predictions` names the layout of a task; `plain` is one for any task.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from longdoc import foreign_files
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import expanded
from longdoc.plurals import counted
from pipelines import tasks
from pipelines.metrics.labels import Label
from pipelines.records import Example, Prediction
from pipelines.sources import parsing, tables, zips
from pipelines.sources.tables import Row
from pipelines.sources.warnings import Warnings
from pipelines.tasks import Task

PLAIN_TEXT = "plain"
VERDICTS = "verdicts.jsonl"  # what a judge says, in the layout of a benchmark that has one for it
SKIPPED = "SKIPPED"  # what benchmarks write where a system was not asked
NONE_TEXT = "without an answer"  # why there is none where the file does not say
_LENGTH = re.compile(r"(?<![a-z0-9])([0-9]{1,6})k(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GivenPrediction:
    """What a system predicted for an example.

    - `example`: its references, its query, and what metrics need of its metadata. Intervals resample by the id of its
      document, "" where the file does not say which one it is: then by example. It has a text where the benchmark's
      data are given beside the predictions.
    - `prediction`: None where the system gave none; `refused` says why: "SKIPPED", "context too long".
    - `label`: what people, or the benchmark's judge, call it in the file; "" where there is no label.
    - `confidence`: how sure the system says it is, the higher the surer; None where the file does not say.
    """

    example: Example
    prediction: str | None
    refused: str = ""
    label: Label = ""
    confidence: float | None = None


@dataclass(slots=True)
class PredictionFile:
    """The predictions of one system, and what is to be said of them.

    `system` is its name where the file tells. `expected` is the number of examples that the benchmark has, None where
    it is not known. `length`: that of the documents in tokens, as the file's name gives it ("8k"), None where it does
    not. `by_order`: the rows have no ids, so that only their order says whose predictions they are.
    `has_refusals`: whether refusing is a label of its own in the file. `empty_refuses`: whether there are empty texts
    that refuse to answer, as in SQuAD 2.0's files; a run's do not.
    `not_joined`: why they cannot be joined to the benchmark's data, empty where they can.
    """

    given: list[GivenPrediction]
    system: str = ""
    expected: int | None = None
    warnings: list[str] = field(default_factory=list)
    by_order: bool = False
    not_joined: str = ""
    has_refusals: bool = False
    empty_refuses: bool = False
    length: int | None = None


class Layout(Protocol):
    """A module that reads a benchmark's files of predictions."""

    ACCEPTS: str

    def recognizes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a first row is of this layout."""

    def read(self, rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
        """The predictions of the file at `path` for a task; of one `system` in a layout of several, else "".

        Raises `UserError` for rows of another layout, and where a system has to be named.
        """


@runtime_checkable
class LayoutOfSystems(Layout, Protocol):
    """A layout whose rows hold the predictions of several systems."""

    def systems(self, fields: Mapping[str, Any]) -> Sequence[str]:
        """The systems whose predictions a row has."""


@runtime_checkable
class LayoutOfVerdicts(Layout, Protocol):
    """A layout that has a judge's verdicts beside the predictions."""

    def verdict_rows(
        self, predictions: Sequence[Prediction], unanswered: Sequence[Prediction]
    ) -> Sequence[Mapping[str, Any]]:
        """The rows of a file with the verdicts in the statistics of predictions, and the examples without any."""


def write_verdicts(
    task: Task, predictions: Sequence[Prediction], unanswered: Sequence[Prediction], folder: Path
) -> None:
    """Write a judge's verdicts into a folder (`VERDICTS`) where the task's benchmark has a layout for them."""
    if task.predictions and isinstance(layout := _module(task.predictions), LayoutOfVerdicts):
        rows = layout.verdict_rows(predictions, unanswered)
        write_whole(folder, VERDICTS, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def read(task: Task, given_path: str | Path) -> PredictionFile:
    """The predictions in a file, or of one system of it, `FILE::SYSTEM`.

    Raises `UserError` for another layout, doubled ids, no prediction at all, and a system of rows that have one.
    """
    path, system = place(given_path)
    table, first = _opened(path)
    layout = _layout(task, first)
    if system and not isinstance(layout, LayoutOfSystems):
        raise UserError(f"{path} has the predictions of one system: leave ::{system} out")
    with foreign_files.parsing(path):
        file = layout.read(table.rows(), path, task, system)
    if not file.given:
        raise UserError(f"{path} holds no predictions for {task.name}")
    counts = Counter(prediction.example.id for prediction in file.given)
    if twice_names := [name for name, count in counts.items() if count > 1]:
        problem = f"{path}: {counted(len(twice_names), 'id')} come{'s' * (len(twice_names) == 1)} twice or more"
        raise UserError(f"{problem} ({first_names(twice_names)}): leave all but one row of each out")
    file.warnings += _another_task_names(task, path)
    if layout is _module(PLAIN_TEXT) and (other := _others_text(task, first)):
        file.warnings.append(f"{path.name}: {other}")
    return file


def systems(task: Task, given_path: str | Path) -> list[str]:
    """The files or `FILE::SYSTEM`s that a path stands for: itself, or one for each of the systems that its rows hold.

    Raises `UserError` for a file that is missing, empty or in another layout.
    """
    path, system = place(given_path)
    table, first = _opened(path)
    layout = _layout(task, first)
    if system or not isinstance(layout, LayoutOfSystems):
        return [str(given_path)]
    names = dict.fromkeys(name for row in table.rows() for name in layout.systems(row.fields))
    return [f"{path}{zips.SEPARATOR}{name}" for name in names]


def reads(task: Task, given_path: str | Path) -> bool:
    """Whether a file is in the layout of the task's benchmark. Raises `UserError` for one that is missing or empty."""
    if not task.predictions:
        return False
    path, _ = place(given_path)
    return (not path.is_file() or tables.is_table(path)) and _module(task.predictions).recognizes(
        _opened(path)[1].fields
    )


def place(given_path: str | Path) -> tuple[Path, str]:
    """The file and the system of `FILE::SYSTEM`, or the file and ""."""
    path, _, system = str(given_path).partition(zips.SEPARATOR)
    return expanded(path), system


def output(value: Any, location: str, field: str) -> tuple[str | None, str]:
    """A prediction as it is written in a row, and why there is none: null, "SKIPPED", `{"error": …}`.

    Raises `UserError` for what is no text.
    """
    if value is None:
        return None, NONE_TEXT
    if value == SKIPPED:
        return None, SKIPPED
    if isinstance(value, Mapping) and "error" in value:
        return None, "with an error"
    return parsing.string(value, location, field), ""


def label_of(word: str, labels: Mapping[str, Label], location: str, warnings: Warnings) -> Label:
    """The label that a file's word stands for, whatever its case; another word is counted, and is no label."""
    by_word = {name.casefold(): label for name, label in labels.items()}
    label = by_word.get(word.strip().casefold(), "")
    if not label and word.strip():
        warnings.count(
            f"labels that are none of {', '.join(labels)}, so that they do not count", f"{location}: {word[:40]!r}"
        )
    return label


def named_length(name: str) -> int | None:
    """The number of tokens that a file's name gives, as `qa1_8k.csv` does; None where it does not."""
    match = _LENGTH.search(name)
    return int(match[1]) * 1000 if match else None


def first_names(names: Iterable[str]) -> str:
    """The first names of several."""
    shown_names = [str(name) for name in names]
    return ", ".join(shown_names[:3]) + (" …" if len(shown_names) > 3 else "")


def _opened(path: Path) -> tuple[tables.Files, Row]:
    """A file's table and its first row. Raises `UserError` where it is missing, empty, or no table."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the files of predictions in it")
    table = tables.Files((path,))
    first = next(table.rows(), None)
    if first is None:
        raise UserError(f"{path} holds no predictions")
    return table, first


def _module(name: str) -> Layout:
    return cast(Layout, import_module(f"{__name__}.{name}"))


def _layout(task: Task, first: Row) -> Layout:
    """The layout of a task's file. Raises `UserError` that says which benchmark's it may be instead."""
    layouts = [_module(name) for name in (task.predictions, PLAIN_TEXT) if name]
    for layout in layouts:
        if layout.recognizes(first.fields):
            return layout
    accepted_text = " or ".join(layout.ACCEPTS for layout in layouts)
    fields = ", ".join(first.fields) or "nothing"
    problem = f"{first.location}: this is not {accepted_text}; found {fields}; give a file of these"
    raise UserError("; ".join(filter(None, (problem, _others_text(task, first)))))


def _recognized_tasks(first: Row, own_layout: str) -> list[Task]:
    """The tasks of the first layout that recognizes a row, but for `own_layout`; none where none does."""
    by_layout: dict[str, list[Task]] = {}
    for task in tasks.all_tasks().values():
        if task.predictions and task.predictions != own_layout:
            by_layout.setdefault(task.predictions, []).append(task)
    return next((names for layout, names in by_layout.items() if _module(layout).recognizes(first.fields)), [])


def _others_text(task: Task, first: Row) -> str:
    """Which other benchmark's predictions a row is, with the command that scores them; empty for none."""
    if not (other_tasks := _recognized_tasks(first, task.predictions)):
        return ""
    names = " or ".join(other.name for other in other_tasks)
    return f"these are {_module(other_tasks[0].predictions).ACCEPTS}: longdoc score {names} FILE"


def _another_task_names(task: Task, path: Path) -> list[str]:
    """A warning where a file is named like those of another task in the same layout, and not like this one's."""

    def accepted_layouts(task: Task) -> list[str]:
        files = [file for names in task.dataset.files.values() for file in names]
        return [stem for file in files if (stem := Path(file).stem) in path.name]

    if not task.predictions or accepted_layouts(task):
        return []
    other_tasks = [
        one_task
        for one_task in tasks.all_tasks().values()
        if one_task.predictions == task.predictions and accepted_layouts(one_task)
    ]
    return [f"{path.name} is scored as {task.name}, but is named like {other.name}" for other in other_tasks]
