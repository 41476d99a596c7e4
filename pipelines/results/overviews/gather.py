"""The overview of finished runs of several tasks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import fsum
from pathlib import Path

from longdoc.errors import unknown
from pipelines import tasks
from pipelines.display import numbers
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.comparisons.runs import Rows, with_intervals
from pipelines.results.comparisons.summary import TASK
from pipelines.results.leaderboards.average import TASK_SCORES
from pipelines.results.leaderboards.published import FILES, published
from pipelines.results.overviews.overview import Overview
from pipelines.results.overviews.papers import papers
from pipelines.results.overviews.system import System, TaskScore, short_names
from pipelines.results.overviews.systems import by_system, system_of
from pipelines.results.run_folders.record import ABLATION, read_run
from pipelines.results.run_folders.run import Run, finished_run

MAX_SHOWN = 4  # scores of a task whose own metrics were not asked for
MAX_NAMED = 4  # tasks that are counted in a title instead of named


def overview(
    runs: Sequence[Run],
    benchmark: str = "",
    systems: Mapping[str, Mapping[str, Run]] | None = None,
    metric: str | None = None,
) -> Overview:
    """The runs side by side: all tasks of a benchmark, or the runs' own in their order.

    `systems` are the runs by name and task, by default by recipe. `metric` is the score to show of each task. Raises
    `UserError` for two runs of one task that nothing tells apart.
    """
    named_members = by_system(runs) if systems is None else systems
    ran_tasks = list(dict.fromkeys(run.task for run in runs))
    wanted_tasks = [task.name for task in tasks.group(benchmark)] or _ordered(ran_tasks)
    task_runs = {task: [run for run in runs if run.task == task] for task in ran_tasks}
    columns = [column for task in wanted_tasks for column in columns_of(task, task_runs.get(task, ()), metric)]
    declared = all(
        [column.metric for column in columns if column.task == task] == _declared(task) for task in wanted_tasks
    )
    averaged = benchmark if benchmark in TASK_SCORES and declared else ""  # of its own scores only
    beside = papers(columns, task_runs, averaged)
    made_systems = [_system(name, members, columns if averaged else ()) for name, members in named_members.items()]
    return Overview(
        title=_title(benchmark, wanted_tasks, runs),
        columns=columns,
        systems=made_systems,
        mean="mean" if averaged else "",
        missing=[task for task in wanted_tasks if task not in task_runs],
        published=beside.published,
        not_comparable=beside.not_comparable,
        reasons=beside.reasons,
        notes=[*_notes(made_systems, wanted_tasks, averaged), *_not_computed(runs, wanted_tasks), *beside.notes],
        warnings=_warnings(made_systems, beside.reasons),
    )


def overview_of(folders: Sequence[Path], metric: str | None = None, ablations: bool = True) -> Overview | None:
    """The overview of runs in these folders, or of an ablation; None where they are of one task.

    `metric` is the score to show of each task; `ablations`: False gives none of an ablation. Raises `UserError`.
    """
    if len(folders) == 1 and (folders[0] / ABLATION).is_file():
        from pipelines.results.ablations.ablation_file import read

        return _ablation_overview(read(folders[0]), metric) if ablations else None
    names = {str((read_run(folder) or {}).get("spec", {}).get("task", "")) for folder in folders}
    if len(names) < 2 or "" in names:  # what is no run's folder is refused as in any report
        return None
    runs = [finished_run(folder) for folder in folders]
    whole_text = next((group for group in tasks.GROUPS if names == {task.name for task in tasks.group(group)}), "")
    return overview(runs, "" if metric else whole_text, metric=metric)


def _ablation_overview(ablation: Ablation, metric: str | None) -> Overview | None:
    """The cells of an ablation of several tasks: a system for each combination of the other settings."""
    if len(ablation.axes.get(TASK, ())) < 2:
        return None
    systems: dict[str, dict[str, Run]] = {}
    for cell in ablation.finished:
        if cell.folder is not None:
            other_fields = {name: value for name, value in cell.settings.items() if name != TASK}
            name = numbers.settings(other_fields) or cell.recipe
            systems.setdefault(name, {})[str(cell.settings[TASK])] = finished_run(cell.folder)
    runs = [run for system in systems.values() for run in system.values()]
    return overview(runs, systems=systems, metric=metric or _chosen_text(ablation, runs))


def _chosen_text(ablation: Ablation, runs: Sequence[Run]) -> str | None:
    """The score that an ablation leads with, where all its runs have it."""
    return ablation.primary_metric if all(ablation.primary_metric in run.scores for run in runs) else None


def overview_of_one(runs: Sequence[Run], name: str) -> Overview:
    """Runs that were made together, as one system; with the benchmark's mean where they are all of its tasks."""
    ran_names = [run.task for run in runs]
    whole_text = next(
        (group for group in tasks.GROUPS if {*ran_names} == {task.name for task in tasks.group(group)}), ""
    )
    recipes = {system_of(run) for run in runs}
    called = recipes.pop() if len(recipes) == 1 else name
    made_overview = overview(runs, whole_text, {called: {run.task: run for run in runs}} if runs else {})
    return replace(made_overview, title=name)


def columns_of(task: str, runs: Sequence[Run], metric: str | None = None) -> list[TaskScore]:
    """The scores by which a task is shown: `metric`, or those that its benchmark's paper prints, else the runs' first.

    Raises `UserError` for a metric that no run has.
    """
    if metric is not None:
        if not any(metric in run.scores for run in runs):
            raise unknown(f"score of {task}", metric, {score for run in runs for score in run.scores})
        return [TaskScore(task, metric)]
    present_names = list(dict.fromkeys(score for run in runs for score in run.scores))
    if any(_has_other_metrics(run) for run in runs):
        return [TaskScore(task, text) for text in present_names[:MAX_SHOWN]]
    printed = [text for text in _declared(task) if text in present_names or not present_names]
    return [TaskScore(task, text) for text in printed or present_names[:1]]


def _has_other_metrics(run: Run) -> bool:
    """Whether a run was asked for other metrics than its task's: some of these are not among them."""
    task = tasks.all_tasks().get(run.task)
    return task is not None and not {name.partition(":")[0] for name in task.metrics} <= {
        name.partition(":")[0] for name in run.metrics
    }


def _declared(task: str) -> list[str]:
    """The scores of a task that count for its benchmark: one for SCROLLS and ZeroSCROLLS, those of MuLD's table."""
    suite, _, name = task.rpartition("/")
    return [TASK_SCORES[suite][name]] if suite in TASK_SCORES else list(_printed(task))


def _printed(task: str) -> dict[str, None]:
    """The metrics of MuLD's table for a task."""
    return dict.fromkeys(row.metric for row in published("muld").rows if row.task == task) if FILES else {}


def _ordered(names: Sequence[str]) -> list[str]:
    """Tasks in the order of their benchmarks, others last."""
    known_names = [task.name for group in tasks.GROUPS for task in tasks.group(group)]
    return sorted(names, key=lambda name: known_names.index(name) if name in known_names else len(known_names))


def _system(name: str, runs: Mapping[str, Run], averaged: Sequence[TaskScore]) -> System:
    system = System(
        name,
        {task: replace(with_intervals(Rows(run)), loaded=None) for task, run in runs.items()},
        {task: remark for task, run in runs.items() if (remark := _remark(run))},
    )
    values = [value for column in averaged if (value := system.value(column)) is not None]
    return replace(system, mean=fsum(values) / len(values) if values and len(values) == len(averaged) else None)


def _remark(run: Run) -> str:
    """That a run is of a part of its split, or that examples failed."""
    expected = None
    if run.task in tasks.all_tasks():
        expected = tasks.all_tasks()[run.task].dataset.counts.get(run.split)
    number = len(run.predictions) + len(run.failures)
    expected_text = f" of {expected:,}" if expected is not None and expected > number else ""
    lines = [f"{number:,}{expected_text} examples ({run.part})"] if run.part else []
    lines += [f"{len(run.failures):,} of {number:,} examples failed"] if run.failures else []
    return ", ".join(lines)


def _title(benchmark: str, wanted_names: Sequence[str], runs: Sequence[Run]) -> str:
    """The benchmark or the tasks, and the split where all runs are of one."""
    splits = {run.split for run in runs}
    named_text = benchmark or _some_text(wanted_names)
    return f"{named_text}, {splits.pop()}" if len(splits) == 1 else named_text


def _some_text(names: Sequence[str]) -> str:
    """Some tasks: by name where they are few, else as so many of a benchmark's."""
    if len(names) < MAX_NAMED:
        return ", ".join(names)
    for group in tasks.GROUPS:
        known_names = {task.name for task in tasks.group(group)}
        if {*names} <= known_names:
            return f"{group}, {len(names)} of {len(known_names)} tasks"
    return f"{len(names)} tasks"


def _notes(systems: Sequence[System], wanted_tasks: Sequence[str], averaged: str) -> list[str]:
    short = short_names(wanted_tasks)
    lines = []
    for system in systems:
        if missing := [short[task] for task in wanted_tasks if task not in system.scores]:
            lines.append(f"{system.name}: no run of {', '.join(missing)}")
    names = [f"no mean over fewer tasks: it would not be the score of {averaged}"] if lines and averaged else []
    return [*lines, *names]


def _not_computed(runs: Sequence[Run], wanted_names: Sequence[str]) -> list[str]:
    """The scores of the benchmarks' tables that could not be computed, by reason, with their tasks."""
    short = short_names(wanted_names)
    values: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        for name in _declared(run.task):
            if name in run.scores.not_computed:
                values.setdefault((name, run.scores.not_computed[name]), {})[short[run.task]] = None
    return [f"{name} not computed ({', '.join(values)}): {reason}" for (name, reason), values in values.items()]


def _warnings(systems: Sequence[System], said_names: Collection[str]) -> list[str]:
    """The remarks on runs that are not `said_names` elsewhere."""
    return [
        f"{f'{system.name}: ' if len(systems) > 1 else ''}{task}: {remark}"
        for system in systems
        for task, remark in system.remarks.items()
        if len(systems) > 1 or remark not in said_names
    ]
