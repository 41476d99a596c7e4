"""Run a task in many ways and compare them. Thin: make a plan, hand it to the engine, give back a record."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.ablations.ablate import make_ablation_plan, run_ablation
from pipelines.ablations.plan import AblationPlan
from pipelines.ablations.request import GridSpec, ablation_request
from pipelines.engine import engines, interruption_note
from pipelines.engine.planning.argument_types import (
    EngineSpec,
    TaskSpec,
)
from pipelines.engine.planning.options import PLUGIN_ARGUMENTS
from pipelines.engine.running.execution_options import ExecutionOptions
from pipelines.results import reports
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.reports.report import report as write_report
from pipelines.sources import Dataset


def ablate(
    task: TaskSpec | Sequence[TaskSpec] | None = None,
    *,
    grid: GridSpec | None = None,
    baseline: str | Mapping[str, Any] | None = None,
    primary_metric: str | None = None,
    out: str | Path | None = None,
    engine: EngineSpec = "local",
    go_on: bool = False,
    report: bool = True,
    yes: bool = False,
    **arguments: Any,
) -> Ablation:
    """Run a task many ways and compare them: `arguments` are `run`'s, and a list given to one of them is an axis.

    - `task`: one, several, or a benchmark. For several, `data` is a mapping from their names, or a folder with the
      files of all. A cell is compared with the cell of its task that is otherwise like the baseline. The means over
      tasks of the scores that all have come last. The page has the scores of all tasks, and links to the runs' pages.
    - `grid`: named variants beside the axes: a `Grid`, its list of mappings, or a YAML file.
    - `baseline`: the cell that the others are compared with, by its name or its settings; the first by default.
    - `primary_metric`: the score that tables and plots lead with; the task's first by default.
    - `out`: the ablation's folder, with its runs in `runs/`; by default the runs are where `run` would put them, and
      the ablation beside them. Finished cells are not run again, so a longer list runs the new cells only.
    - `report`: False writes no pages, neither the ablation's nor those of its runs.
    - `yes`: start a grid of many cells.

    Documents are read once for all cells, split once for each chunker, indexed once for each retriever; equal requests
    are asked once. The models of all cells are in memory together. If they do not fit, run each alone with the same
    `out`, then all together: finished cells load no model.

    The plan is shown on stderr first. A cell that fails keeps its error, and the others go on. Raises `UserError` for
    an empty grid, a large one without `yes`, and where no cell can run.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)  # first, so that a wrong name is an error before the data are read
    if arguments.keys() & {*PLUGIN_ARGUMENTS}:
        raise UserError("an ablation takes no judge: judge each of its runs with longdoc score RUN --judge MODEL")
    request = ablation_request(
        task=task, grid=grid, baseline=baseline, primary_metric=primary_metric, out=out, yes=yes, **arguments
    )
    ablation, data = run_ablation(request, driver, ExecutionOptions(go_on))
    with interruption_note.noting_errors(lambda: interruption_note.missing_page_note("ablation", ablation.folder)):
        report_ablation(ablation, data, report)
    return replace(ablation, seconds=time.monotonic() - start_time)


def plan_ablation(
    task: TaskSpec | Sequence[TaskSpec] | None = None, *, engine: EngineSpec = "local", **arguments: Any
) -> AblationPlan:
    """The plan of `ablate` with the same arguments: its cells, and an estimate of its requests, time and cost.

    To estimate the time, a few examples are split, indexed and asked, so weights are loaded. Nothing is written.
    """
    engines.get(engine)
    return make_ablation_plan(ablation_request(task=task, **arguments))


def report_ablation(ablation: Ablation, data: Mapping[Path, Dataset | None], report: bool) -> None:
    """Write the page of an ablation, and of its runs without a current one; without `report`, remove old pages."""
    has_several_tasks = len(ablation.axes.get("task", ())) > 1
    if report and not has_several_tasks:
        reports.write_for(ablation.folder, next(iter(data.values())), ablation)
    elif not report:
        reports.remove_stale(ablation.folder, ablation)
    for folder in dict.fromkeys(cell.folder for cell in ablation.finished if cell.folder is not None):
        if not report:
            reports.remove_stale(folder)
        elif reports.is_stale(folder):
            reports.write_for(folder, data[folder])
    if report and has_several_tasks:  # after the runs' pages, to which it links
        write_report(ablation.folder)
