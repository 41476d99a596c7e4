"""The same run several times, and how its scores vary."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from longdoc.errors import UserError
from longdoc.folders import output_folder
from longdoc.visible import note
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.evaluation._repeats_table import RepeatsTable
from pipelines.results.result import Result


class InFolder(Protocol):
    """What lies in a folder: a run, or a table of several."""

    @property
    def folder(self) -> Path | None:
        """The folder; None where nothing is written."""


Outcome = TypeVar("Outcome", bound=InFolder)


@dataclass(frozen=True, slots=True)
class RepeatedRuns(View):
    """The `results` of runs that differ in their seed alone, with what varies between them."""

    results: tuple[Result, ...]
    variation: RepeatsTable

    def to_dict(self) -> dict[str, Any]:
        """The runs' folders, and what varies between them."""
        return {"folders": [str(result.folder) for result in self.results], "variation": self.variation.to_dict()}

    def tables(self) -> Sequence[Table]:
        """What varies."""
        return self.variation.tables()

    def lines_below(self) -> list[str]:
        """Where the runs are."""
        return [f"in {result.folder}" for result in self.results]


def with_seeds(make: Callable[..., Outcome], repeat: Any, arguments: Mapping[str, Any]) -> list[Outcome]:
    """What `make` gives for the seeds `seed`, `seed` + 1 and so on, each into a folder `repeat-N` of `out`.

    Raises `UserError` for fewer than two, and for `sample`, which draws other examples with another seed.
    """
    if type(repeat) is not int or repeat < 2:
        raise UserError(f"repeat must be a number of at least 2, got {repeat!r}: one run is made without it")
    if arguments.get("sample") is not None:
        raise UserError("sample= draws other examples with each seed: give limit=, or leave it out")
    out, seed = arguments.get("out"), arguments.get("seed", 0)
    folder = None if out is None else output_folder(out)
    outcomes = []
    for number in range(1, repeat + 1):
        run_folder = None if folder is None else folder / f"repeat-{number}"
        outcomes.append(make(**{**arguments, "seed": seed + number - 1, "out": run_folder}))
        note(f"repeat {number} of {repeat}: {outcomes[-1].folder}")
    return outcomes
