"""What a run would ask, before anything is asked. Thin: make a plan, hand it to the engine, give back a record."""

from pathlib import Path
from typing import Unpack

from longdoc.folders import output_folder
from pipelines.engine import engines
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.estimate.first_prompt import first_prompt
from pipelines.engine.planning.argument_types import (
    EngineSpec,
    TaskSpec,
)
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.rendered_prompt import RenderedPrompt


def dry_run(
    task: TaskSpec,
    *,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **arguments: Unpack[PlanArguments],
) -> DryRun:
    """What `run` with the same arguments would ask: documents, examples, requests, tokens, pairs, and their price.

    No weights are loaded, save where over 10,000 pairs are compared: some are timed, by a local reader.

    - `pilot`: a local reader answers so many examples, spread over the lengths of prompts, which gives its time for all
      (`DryRun.pilot`). Nothing is ever asked of a reader behind an API.
    - `out`: the run's folder, where a pilot's replies are kept, so that the run goes on from them.

    Raises `UserError`.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    if folder is not None and pilot is not None:
        check_run_path(folder)
    return count_dry_run(make_plan(task, **arguments), driver, pilot, folder)


def prompt(task: TaskSpec, id: str, **arguments: Unpack[PlanArguments]) -> RenderedPrompt:
    """The exact text that the reader gets first for the example `id`, cut as it would be. Raises `UserError`.

    Where pairs of paragraphs are compared, the first pair.
    """
    return first_prompt(make_plan(task, **arguments), id)
