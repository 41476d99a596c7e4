"""The same run several times, with other seeds."""

from functools import partial
from typing import Unpack

from pipelines.api.running import run
from pipelines.engine.planning.argument_types import TaskSpec
from pipelines.engine.planning.run_arguments import RunChanges
from pipelines.engine.planning.signatures import takes_arguments
from pipelines.evaluation._repeated_runs import RepeatedRuns, with_seeds
from pipelines.evaluation.repeats import repeats


@takes_arguments(RunChanges)
def run_repeats(task: TaskSpec, *, repeat: int, **arguments: Unpack[RunChanges]) -> RepeatedRuns:
    """Make a run `repeat` times, with the seeds `seed`, `seed` + 1 and so on, and say how its scores vary.

    All other arguments are those of `run`. `out` is a folder for the runs, `OUT/repeat-1` and so on; by default they
    lie where `run` would put them. What differs between runs is what the seed decides (a random selection, a model that
    samples) and what a server does of itself. The same call again resumes. Raises `UserError` for fewer than two, and
    for `sample`, which draws other examples with another seed.
    """
    results = with_seeds(partial(run, task), repeat, arguments)
    return RepeatedRuns(tuple(results), repeats([result.folder for result in results]))
