"""Several tasks with the same arguments. Thin: make a plan, hand it to the engine, give back a record."""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from longdoc.files import output_folder
from longdoc.messages import counted, note, visible
from pipelines.api.after_run import last_steps, with_last_steps
from pipelines.engine import engines
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.argument_types import (
    EngineSpec,
    TaskSpec,
)
from pipelines.engine.planning.options import UNPLANNED, default_of
from pipelines.engine.planning.run_options import PlanOptions, RunOptions
from pipelines.engine.planning.sampling import shown_data
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.engine.running.run_tasks import plan_tasks, run_planned
from pipelines.results import reports
from pipelines.results.judge_record import lines
from pipelines.results.overviews.gather import overview_of_one
from pipelines.results.overviews.task_results import TaskDryRuns, TaskResults
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run


def run_tasks(tasks: str | Sequence[TaskSpec], **options: Unpack[RunOptions]) -> TaskResults:
    """Run several tasks with the same arguments, one after the other, each as `run` does it alone.

    - `tasks`: a benchmark ("muld", "scrolls", "zero_scrolls", "longbench", "infinitebench"), names with commas between,
      or a list.
    - `data`: a folder with the files of all, as they are published or in a folder for each task; a mapping from tasks'
      names; or "sample". None for the published files.
    - `out`: a folder for the runs, `OUT/<task>`; by default they are where `run` would put them.
    - `judge`, `judge_prompts_from`: as for `run`; the judge is asked when each task is finished.

    A task that cannot run (its data are missing, an argument does not fit it) is named on stderr before the first task
    starts and is in `not_run`; a task that fails later is in `failed`. The others go on. The same call again resumes:
    finished examples are not asked again. Raises `UserError` where no task can run.
    """
    start_time = time.monotonic()
    values = {name: default_of(name) for name in UNPLANNED} | dict(options)
    driver = engines.get(values["engine"])
    folder = None if values["out"] is None else output_folder(values["out"])
    recipe = {name: value for name, value in values.items() if name not in UNPLANNED}
    task_plans = plan_tasks(tasks, folder, recipe)
    plans = {name: plan for name, (_, plan) in task_plans.plans.items()}
    steps = {name: last_steps(plan.task, values, plan.shard is not None) for name, plan in plans.items()}
    print(visible(f"longdoc: {task_plans.summary}"), file=sys.stderr)
    results: dict[str, Result] = {}
    failed: dict[str, str] = {}
    for name, plan, result in run_planned(task_plans, driver, ExecutionOptions(values["go_on"])):
        if isinstance(result, str):
            failed[name] = result
            note(f"{name} failed: {result}")
            continue
        results[name] = with_last_steps(result, steps[name])
        for line in lines(results[name].judging):
            note(f"{name}: {line}")
        note(f"{name}: {counted(result.examples, 'example')} done, in {result.folder}")
        if values["report"]:
            stale = reports.is_stale(result.folder)
            page = reports.write_for(result.folder, shown_data(plan)) if stale else result.folder / reports.PAGE
            results[name] = replace(results[name], report=page)
        else:
            reports.remove_stale(result.folder)
    overview = overview_of_one([finished_run(result.folder) for result in results.values()], task_plans.name)
    return TaskResults(task_plans.name, results, overview, task_plans.not_run, failed, time.monotonic() - start_time)


def dry_run_tasks(
    tasks: str | Sequence[TaskSpec],
    *,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **options: Unpack[PlanOptions],
) -> TaskDryRuns:
    """The dry run of each task of `run_tasks` with the same arguments; `pilot` and `out` as for `dry_run`.

    Raises `UserError` where no task can run.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    task_plans = plan_tasks(tasks, folder, options)
    counts = {name: count_dry_run(plan, driver, pilot, path) for name, (path, plan) in task_plans.plans.items()}
    return TaskDryRuns(task_plans.name, counts, task_plans.not_run)
