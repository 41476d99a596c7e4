"""Estimates of a run before it is made. Thin: make a plan, hand it to the engine, give back a record."""

from pathlib import Path
from typing import Unpack

from longdoc.files import output_folder
from pipelines.engine import engines
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.estimate.first_prompt import first_prompt
from pipelines.engine.planning.argument_types import (
    EngineSpec,
    TaskSpec,
)
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.engine.recording.run_folder import check_run_path
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.rendered_prompt import RenderedPrompt


def dry_run(
    task: TaskSpec,
    *,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **arguments: Unpack[PlanOptions],
) -> DryRun:
    """Count the documents, examples, requests, tokens and pairs of `run` with the same arguments, and their price.

    No weights are loaded, unless over 10,000 pairs are compared: a local reader then times some of them.

    - `pilot`: a local reader answers so many examples, of all lengths of prompts, to estimate its time for the run
      (`DryRun.pilot`). A reader behind an API is never asked.
    - `out`: the run's folder, where the pilot's replies are kept, so that the run goes on from them.

    Raises `UserError`.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    if folder is not None and pilot is not None:
        check_run_path(folder)
    return count_dry_run(make_plan(task, **arguments), driver, pilot, folder)


def prompt(task: TaskSpec, id: str, **arguments: Unpack[PlanOptions]) -> RenderedPrompt:
    """The exact text that the reader gets first for the example `id`, truncated as in a run. Raises `UserError`.

    Where a strategy compares pairs of paragraphs, it is the first pair.
    """
    return first_prompt(make_plan(task, **arguments), id)
