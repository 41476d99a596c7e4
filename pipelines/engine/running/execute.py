"""Runs from plan to final files: each prediction is logged as soon as it is finished; in the end all are scored."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.visible import note
from pipelines.engine import interruption_note, training_data
from pipelines.engine.engines import Engine, IsWanted
from pipelines.engine.estimate import pair_counts
from pipelines.engine.inference import shared_replies
from pipelines.engine.inference.inference import Inference
from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.sampling import run_examples
from pipelines.engine.running.active_run import ActiveRun
from pipelines.engine.running.execution_options import DEFAULT, ExecutionOptions
from pipelines.engine.running.progress import FITTING, Progress
from pipelines.engine.running.receivers import say_receivers
from pipelines.records import Example
from pipelines.results.result import Result

COUNTED_BYTES = 64_000_000  # local data up to this size are counted beforehand, to show the time left


def execute(plan: Plan, out: str | Path | None, engine: Engine, options: ExecutionOptions = DEFAULT) -> Result:
    """Make a run in its folder, or resume it. Raises `UserError`; what was finished before stays finished."""
    with engine, shared_replies.opened(options.reply_cache) as replies:
        return _execute(ActiveRun(engine.placed(plan), out, replies, options.go_on), engine)


def _execute(run: ActiveRun, engine: Engine) -> Result:
    examples: int | None = None
    try:
        with interruption_note.noting_errors(lambda: run.kept(examples)):
            warn_early([run])
            say_receivers(run.plan.reader, engine=engine)
            pair_counts.warn(run.plan, run.lacks)
            inference = Inference(engine.answering(run.plan.reader), [run.session])
            examples = total(run.plan)
            with Progress(examples) as progress:
                _make(run, engine, inference, progress)
            engine.finish()
            return run.result()
    finally:
        run.close()


def _make(run: ActiveRun, engine: Engine, inference: Inference, progress: Progress) -> None:
    progress.doing = FITTING if not run.plan.reader.fitted else ""
    training_data.fit(run.plan)
    progress.doing = ""
    for finished in inference.run(engine.prepare(run.plan, counting(run, progress))):
        if prediction := run.add(finished):
            progress.advance(prediction.document, prediction.tokens_in + prediction.tokens_out)


def counting(run: ActiveRun, progress: Progress) -> IsWanted:
    """`run.wanted`, which counts the examples that earlier starts have finished as done."""

    def wanted(example: Example) -> bool:
        before = run.resumed
        wants = run.wanted(example)
        progress.skip(run.resumed - before)
        return wants

    return wanted


def warn_early(runs: Sequence[ActiveRun]) -> None:
    """Report at the start which prompts suit their readers badly, and which retrievers have nothing to rank."""
    for advice in dict.fromkeys(advice for run in runs for advice in run.plan.advice):
        note(advice)


def total(plan: Plan) -> int | None:
    """The number of a run's examples; None where only reading large data to the end would tell.

    Data may hold fewer than were asked for: those of known or countable size are not said to hold more.
    """
    asked_count = plan.limit or plan.sample
    size: Any = plan.data.fingerprint.get("size")
    if plan.shard is not None:
        return sum(1 for _ in run_examples(plan)) if isinstance(size, int) and size < COUNTED_BYTES else None
    number = plan.data.expected
    if number is None and isinstance(size, int) and size < COUNTED_BYTES:
        number = sum(1 for _ in islice(plan.data.examples(), asked_count))
    return asked_count if number is None else number if asked_count is None else min(asked_count, number)
