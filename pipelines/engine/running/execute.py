"""A run from plan to final files: each prediction is logged as soon as it is finished; at the end all are scored."""

from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.messages import note
from pipelines.engine import interruption_note
from pipelines.engine.engines import Engine
from pipelines.engine.estimate import pair_counts
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.running.active_run import ActiveRun, with_recorded_date
from pipelines.engine.running.execution_options import DEFAULT, ExecutionOptions
from pipelines.engine.running.progress import Progress
from pipelines.engine.running.run_group import add_predictions, say_early, say_use
from pipelines.results.result import Result

COUNTED_BYTES = 64_000_000  # the largest local data whose examples are counted before a run, to show the time left


def execute(plan: Plan, out: str | Path | None, engine: Engine, options: ExecutionOptions = DEFAULT) -> Result:
    """Make a run in its folder, or resume it. Raises `UserError`; finished examples are kept."""
    plan = with_recorded_date(plan, out)
    with engine:
        return _execute(ActiveRun(engine.placed(plan), out, options.go_on), engine)


def _execute(run: ActiveRun, engine: Engine) -> Result:
    """Make a run as a group of one. Its error is raised, with a note on what is kept."""
    examples: int | None = None
    try:
        with interruption_note.noting_errors(lambda: run.kept_note(examples)):
            say_early([run], engine)
            pair_counts.warn(run.plan, run.lacks)
            examples = total(run.plan)
            if remaining := run.remaining_note(examples):
                note(remaining)
            with Progress(examples) as progress:
                add_predictions([run], engine, progress)
            say_use([run])
            if run.session.broken is not None:
                raise run.session.broken
            engine.finish()
            return run.result()
    finally:
        run.close()


def total(plan: Plan) -> int | None:
    """The number of a run's examples; None where large data would have to be read to the end to know it.

    It is at most the number of examples in the data, where that is known or quick to count.
    """
    requested = plan.limit or plan.sample
    size: Any = plan.data.fingerprint.get("size")
    if plan.shard is not None:
        return sum(1 for _ in run_examples(plan)) if isinstance(size, int) and size < COUNTED_BYTES else None
    count = plan.data.expected
    if count is None and isinstance(size, int) and size < COUNTED_BYTES:
        count = sum(1 for _ in islice(plan.data.examples(), requested))
    return requested if count is None else count if requested is None else min(requested, count)
