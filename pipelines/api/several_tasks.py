"""Several tasks with the same arguments. Thin: make a plan, hand it to the engine, give back a record."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from longdoc.folders import output_folder
from longdoc.plurals import counted
from longdoc.visible import note, visible
from pipelines.api.running import judge_of
from pipelines.engine import engines
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.argument_types import (
    DataSpec,
    EngineSpec,
    ReaderSpec,
    TaskSpec,
)
from pipelines.engine.planning.run_arguments import RecipeArguments
from pipelines.engine.planning.sampling import shown_data
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.engine.running.run_tasks import plan_tasks, run_planned
from pipelines.evaluation.judging.judge_run import judge_run, with_verdicts
from pipelines.results import reports
from pipelines.results.judge_record import lines
from pipelines.results.overviews.gather import overview_of_one
from pipelines.results.overviews.task_results import TaskDryRuns, TaskResults
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run


def run_tasks(
    tasks: str | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    go_on: bool = False,
    report: bool = True,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
    **arguments: Unpack[RecipeArguments],
) -> TaskResults:
    """Run several tasks with the same arguments, one after the other, each as `run` does it alone.

    - `tasks`: a benchmark ("muld", "scrolls", "zero_scrolls", "longbench", "infinitebench"), names with commas between,
      or a list.
    - `data`: a folder with the files of all, as they are published or in a folder for each task; a mapping from tasks'
      names; or "sample". None for the published files.
    - `out`: a folder for the runs, `OUT/<task>`; by default they lie where `run` would put them.
    - `judge`: as for `run`; it is asked of each task when that is finished.

    What cannot run (its data are missing, an argument does not fit it) is said on stderr before the first task starts
    and is in `not_run`; a task that fails later is in `failed`. The others go on. The same call again resumes: what is
    finished is not asked again. Raises `UserError` where no task can run.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    planned = plan_tasks(tasks, folder, {"data": data, **arguments})
    plans = {name: plan for name, (_, plan) in planned.plans.items()}
    judges = {name: judge_of(plan, judge, judge_prompts_from) for name, plan in plans.items()}
    print(visible(f"longdoc: {planned.summary}"), file=sys.stderr)
    results: dict[str, Result] = {}
    failed: dict[str, str] = {}
    for name, plan, result in run_planned(planned, driver, ExecutionOptions(go_on)):
        if isinstance(result, str):
            failed[name] = result
            note(f"{name} failed: {result}")
            continue
        asked_judge = judges[name]
        verdicts = asked_judge and judge_run(result.folder, asked_judge)
        results[name] = with_verdicts(result, verdicts) if verdicts else result
        for line in lines(results[name].judging):
            note(f"{name}: {line}")
        note(f"{name}: {counted(result.examples, 'example')} done, in {result.folder}")
        if report:
            stale = reports.is_stale(result.folder)
            page = reports.write_for(result.folder, shown_data(plan)) if stale else result.folder / reports.PAGE
            results[name] = replace(results[name], report=page)
        else:
            reports.remove_stale(result.folder)
    overview = overview_of_one([finished_run(result.folder) for result in results.values()], planned.name)
    return TaskResults(planned.name, results, overview, planned.not_run, failed, time.monotonic() - start_time)


def dry_run_tasks(
    tasks: str | Sequence[TaskSpec],
    *,
    data: DataSpec | Mapping[str, DataSpec] | None = None,
    engine: EngineSpec = "local",
    pilot: int | None = None,
    out: str | Path | None = None,
    **arguments: Unpack[RecipeArguments],
) -> TaskDryRuns:
    """What `run_tasks` with the same arguments would ask, by task; `pilot` and `out` as for `dry_run`.

    Raises `UserError` where no task can run.
    """
    driver = engines.get(engine)
    folder = None if out is None else output_folder(out)
    planned = plan_tasks(tasks, folder, {"data": data, **arguments})
    counts = {name: count_dry_run(plan, driver, pilot, path) for name, (path, plan) in planned.plans.items()}
    return TaskDryRuns(planned.name, counts, planned.not_run)
