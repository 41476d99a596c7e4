"""Layouts of files with predictions that other programs made; their predictions are scored as those of a run.

A layout is a module here: it recognizes the rows of its benchmark's files and turns each into a `GivenPrediction`.
`Task.predictions` names the layout of a task; `plain` is one for any task.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pipelines.metrics.labels import Label
from pipelines.records import Example, Prediction
from pipelines.sources import parsing
from pipelines.sources.tables import Row
from pipelines.sources.warnings import Warnings
from pipelines.tasks import Task

SKIPPED = "SKIPPED"  # written by benchmarks where a system was not asked
NO_ANSWER = "without an answer"  # the reason for a missing prediction where the file gives none
_LENGTH = re.compile(r"(?<![a-z0-9])([0-9]{1,6})k(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GivenPrediction:
    """A system's prediction for an example.

    - `example`: its references, its query, and what metrics need of its metadata. Intervals resample by the id of its
      document, "" where the file does not say which one it is: then by example. It has a text where the benchmark's
      data are given beside the predictions.
    - `prediction`: None where the system made none; `refused` says why: "SKIPPED", "context too long".
    - `label`: the label in the file by people, or the benchmark's judge; "" where there is no label.
    - `confidence`: the system's confidence, higher for surer predictions; None where the file has none.
    """

    example: Example
    prediction: str | None
    refused: str = ""
    label: Label = ""
    confidence: float | None = None


@dataclass(slots=True)
class PredictionFile:
    """The predictions of one system in a file.

    `system` is its name where the file tells. `expected` is the number of examples that the benchmark has, None where
    it is not known. `length`: the length of the documents in tokens, as the file's name gives it ("8k"), None where it
    does not. `by_order`: the rows have no ids, and are matched to examples by their order.
    `has_refusals`: whether refusing is a label of its own in the file. `empty_refuses`: whether some texts are empty,
    which is a refusal to answer, as in SQuAD 2.0's files; those of a run are not.
    `not_joined`: why the predictions cannot be joined to the benchmark's data, empty where they can.
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
        """The systems with a prediction in a row."""


@runtime_checkable
class LayoutOfVerdicts(Layout, Protocol):
    """A layout for a judge's verdicts beside the predictions."""

    def verdict_rows(
        self, predictions: Sequence[Prediction], unanswered: Sequence[Prediction]
    ) -> Sequence[Mapping[str, Any]]:
        """The rows of a file of verdicts, which are in the predictions' statistics; `unanswered` have none."""


def output(value: Any, location: str, key: str) -> tuple[str | None, str]:
    """The prediction in a row, or None and the reason: null, "SKIPPED", `{"error": …}`.

    Raises `UserError` for a value that is not a text.
    """
    if value is None:
        return None, NO_ANSWER
    if value == SKIPPED:
        return None, SKIPPED
    if isinstance(value, Mapping) and "error" in value:
        return None, "with an error"
    return parsing.string(value, location, key), ""


def label_of(word: str, labels: Mapping[str, Label], location: str, warnings: Warnings) -> Label:
    """The label of a file's word, whatever its case; for an unknown word "", and a warning."""
    by_word = {name.casefold(): label for name, label in labels.items()}
    label = by_word.get(word.strip().casefold(), "")
    if not label and word.strip():
        warnings.count(f"labels other than {', '.join(labels)}, which do not count", f"{location}: {word[:40]!r}")
    return label


def named_length(name: str) -> int | None:
    """The number of tokens in a file's name, as in `qa1_8k.csv`; None where there is none."""
    match = _LENGTH.search(name)
    return int(match[1]) * 1000 if match else None
