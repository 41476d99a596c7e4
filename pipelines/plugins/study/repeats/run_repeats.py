"""Makes the same run several times, with other seeds, and measures how its scores vary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from longdoc.errors import UserError
from longdoc.files import output_folder
from longdoc.messages import note
from pipelines.api.running import run
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.options import refuse_unknown
from pipelines.engine.planning.run_options import RunOptions
from pipelines.plugins.study.repeats._repeats_table import RepeatsTable
from pipelines.plugins.study.repeats.repeats import repeats
from pipelines.results.result import Result


@dataclass(frozen=True, slots=True)
class RepeatedRuns(View):
    """The `results` of runs that differ in their seed alone, with the variation of their scores."""

    results: tuple[Result, ...]
    variation: RepeatsTable

    def to_dict(self) -> dict[str, Any]:
        """The runs' folders, and the variation of their scores."""
        return {"folders": [str(result.folder) for result in self.results], "variation": self.variation.to_dict()}

    def tables(self) -> Sequence[Table]:
        """The variation of the scores."""
        return self.variation.tables()

    def lines_below(self) -> list[str]:
        """The runs' folders, one a line."""
        return [f"in {result.folder}" for result in self.results]


def run_repeats(task: TaskSpec, *, repeat: int, **arguments: Unpack[RunOptions]) -> RepeatedRuns:
    """Make a run `repeat` times, with the seeds `seed`, `seed` + 1 and so on, and say how its scores vary.

    All other arguments are those of `run`. `out` is a folder for the runs, `OUT/repeat-1` and so on; by default they
    lie where `run` would put them. What differs between runs is what the seed decides (a random selection, a model that
    samples) and what a server does of itself. The same call again resumes. Raises `UserError` for fewer than two, and
    for `sample`, which draws other examples with another seed.
    """
    refuse_unknown(arguments)
    if type(repeat) is not int or repeat < 2:
        raise UserError(f"repeat must be a number of at least 2, got {repeat!r}: one run is made without it")
    if arguments.get("sample") is not None:
        raise UserError("sample= draws other examples with each seed: give limit=, or leave it out")
    out, seed = arguments.get("out"), arguments.get("seed", 0)
    folder = None if out is None else output_folder(out)
    results = []
    for number in range(1, repeat + 1):
        run_folder = None if folder is None else folder / f"repeat-{number}"
        changes: Any = {**arguments, "seed": seed + number - 1, "out": run_folder}
        results.append(run(task, **changes))
        note(f"repeat {number} of {repeat}: {results[-1].folder}")
    return RepeatedRuns(tuple(results), repeats([result.folder for result in results]))
