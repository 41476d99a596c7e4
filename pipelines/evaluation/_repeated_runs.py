"""The same run several times, and how its scores vary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.evaluation._repeats_table import RepeatsTable
from pipelines.results.result import Result


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
