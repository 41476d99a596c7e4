"""Predictions that somebody else's program made, in the files of a benchmark: read, and scored as a run's are.

A layout is a module here: it recognizes the rows of its benchmark's files and turns each into a `GivenPrediction`.
`Task.predictions` names the layout of a task.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from longdoc.errors import UserError
from pipelines.records import Example
from pipelines.sources import _tables, _zip
from pipelines.sources._tables import Row
from pipelines.tasks import Task


@dataclass(frozen=True, slots=True)
class GivenPrediction:
    """What a system predicted for an example.

    - `example`: its references, its query, and what metrics need of its metadata. Its document's id is what intervals
      resample by; it has a text where the benchmark's data are given beside the predictions.
    - `prediction`: None where the system gave none; `refused` says why: "SKIPPED", "context too long".
    """

    example: Example
    prediction: str | None
    refused: str = ""


@dataclass(slots=True)
class PredictionFile:
    """The predictions of one system, and what is to be said of them.

    `system` is its name where the file tells. `expected` is the number of examples that the benchmark has, None where
    it is not known.
    """

    given: list[GivenPrediction]
    system: str = ""
    expected: int | None = None
    warnings: list[str] = field(default_factory=list)


class Layout(Protocol):
    """A module that reads a benchmark's files of predictions."""

    ACCEPTS: str

    def recognizes(self, fields: Mapping[str, Any]) -> bool:
        """Whether a first row is of this layout."""

    def read(self, rows: Iterator[Row], path: Path, task: Task, system: str) -> PredictionFile:
        """The predictions of the file at `path` for a task; of one `system` where rows have several, "" if not given.

        Raises `UserError` for rows of another layout, and where a system has to be named.
        """


def read(task: Task, given: str | Path) -> PredictionFile:
    """The predictions in a file, or of one system of it, `FILE::SYSTEM`.

    Raises `UserError` for a task whose benchmark publishes none, another layout, doubled ids, and no prediction at all.
    """
    if not task.predictions:
        raise UserError(
            f"no layout of prediction files is known for {task.name}: "
            f"longdoc score {task.name} PREDICTIONS REFERENCES scores files of your own"
        )
    place, _, system = str(given).partition(_zip.SEPARATOR)
    path = Path(place).expanduser()
    layout = cast(Layout, import_module(f"{__name__}.{task.predictions}"))
    table = _tables.Files((path,))
    first = next(table.rows(), None)
    if first is None:
        raise UserError(f"{path} holds no predictions")
    if not layout.recognizes(first.fields):
        raise UserError(f"{first.where}: this is not {layout.ACCEPTS}; found {', '.join(first.fields)}")
    found = layout.read(table.rows(), path, task, system)
    if not found.given:
        raise UserError(f"{path} holds no predictions for {task.name}")
    counts = Counter(one.example.id for one in found.given)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise UserError(f"{path}: {len(twice)} ids come twice, {twice[0]!r} first: leave one of each out")
    return found
