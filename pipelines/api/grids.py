"""A task in many ways, compared. Thin: make a plan, hand it to the engine, give back a record."""

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
from pipelines.engine.planning.options import JUDGE
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

    - `task`: one, several, or a benchmark. Of several, `data` is a mapping from their names, or a folder with the files
      of all; a cell is compared with the cell of its task that is otherwise as the baseline, and the means over tasks
      of the scores that all have come last. The page has the scores of all, and links to those of the runs.
    - `grid`: named variants beside the axes: a `Grid`, its list of mappings, or a YAML file.
    - `baseline`: the cell that the others are compared with, by its name or its settings; the first by default.
    - `primary_metric`: the score that tables and plots lead with; the task's first by default.
    - `out`: the ablation's folder, with its runs in `runs/`; by default the runs lie where `run` would put them, and
      the ablation beside them. What was run before is not run again, so that a longer list computes the new cells only.
    - `report`: False writes no pages, neither the ablation's nor those of its runs.
    - `yes`: start a grid of many cells.

    Documents are read once for all cells, split once for each chunker, indexed once for each retriever; equal requests
    are asked once. The models of all cells are in memory together; where they do not fit, run each alone with the same
    `out`, then all, which finds them finished and loads none.

    The plan is shown on stderr first. A cell that fails keeps its error, and the others go on. Raises `UserError` for
    an empty grid, a large one without `yes`, and where no cell can run.
    """
    start_time = time.monotonic()
    driver = engines.get(engine)  # what was typed is checked before the data are read
    if arguments.keys() & {*JUDGE}:
        raise UserError("an ablation asks no judge: longdoc score RUN --judge MODEL judges each of its runs")
    request = ablation_request(
        task=task, grid=grid, baseline=baseline, primary_metric=primary_metric, out=out, yes=yes, **arguments
    )
    ablation, data = run_ablation(request, driver, ExecutionOptions(go_on))
    with interruption_note.noting_errors(lambda: interruption_note.without_page("ablation", ablation.folder)):
        report_ablation(ablation, data, report)
    return replace(ablation, seconds=time.monotonic() - start_time)


def plan_ablation(
    task: TaskSpec | Sequence[TaskSpec] | None = None, *, engine: EngineSpec = "local", **arguments: Any
) -> AblationPlan:
    """What `ablate` with the same arguments would do: cells, requests, about how long and for how much.

    A small pilot is split, indexed and asked to tell the time, so weights are loaded; nothing is written.
    """
    engines.get(engine)
    return make_ablation_plan(ablation_request(task=task, **arguments))


def report_ablation(ablation: Ablation, data: Mapping[Path, Dataset | None], report: bool) -> None:
    """Write the pages of an ablation and of those of its runs that have no current one; or remove outdated ones."""
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
