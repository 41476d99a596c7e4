"""The same run several times, with other seeds."""

from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import output_folder
from longdoc.visible import note
from pipelines.api.running import run
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.evaluation._repeated_runs import RepeatedRuns, repeated_runs


def run_repeats(
    task: TaskSpec, *, repeat: int, out: str | Path | None = None, seed: int = 0, **arguments: Any
) -> RepeatedRuns:
    """Make a run `repeat` times, with the seeds `seed`, `seed` + 1 and so on, and say how its scores vary.

    All other arguments are those of `run`. `out` is a folder for the runs, `OUT/repeat-1` and so on; by default they
    lie where `run` would put them. What differs between runs is what the seed decides (a random selection, a model that
    samples) and what a server does of itself. The same call again resumes. Raises `UserError` for fewer than two, and
    for `sample`, which draws other examples with another seed.
    """
    if repeat < 2:
        raise UserError(f"repeat must be at least 2, got {repeat}: one run is longdoc run without it")
    if arguments.get("sample") is not None:
        raise UserError("sample= draws other examples with each seed: give limit=, or leave it out")
    folder = None if out is None else output_folder(out)
    results = []
    for number in range(1, repeat + 1):
        place: dict[str, Any] = {} if folder is None else {"out": folder / f"repeat-{number}"}
        results.append(run(task, seed=seed + number - 1, **place, **arguments))
        note(f"repeat {number} of {repeat}: {results[-1].folder}")
    return repeated_runs(results)
