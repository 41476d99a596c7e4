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
from pipelines.results.leaderboards.average import task_scores
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
    """The overview of runs, on all tasks of a benchmark or on the runs' own.

    `systems` are the runs by name and task, by default by recipe. `metric` is the score to show for each task. Raises
    `UserError` for two runs of one task with the same recipe.
    """
    runs_by_system = by_system(runs) if systems is None else systems
    ran_tasks = list(dict.fromkeys(run.task for run in runs))
    shown_tasks = [task.name for task in tasks.group(benchmark)] or _ordered_tasks(ran_tasks)
    task_runs = {task: [run for run in runs if run.task == task] for task in ran_tasks}
    columns = [column for task in shown_tasks for column in columns_of(task, task_runs.get(task, ()), metric)]
    is_declared = all(
        [column.metric for column in columns if column.task == task] == _declared(task) for task in shown_tasks
    )
    averaged_benchmark = benchmark if benchmark in task_scores() and is_declared else ""  # of its own scores only
    paper_scores = papers(columns, task_runs, averaged_benchmark)
    shown_systems = [
        _system(name, members, columns if averaged_benchmark else ()) for name, members in runs_by_system.items()
    ]
    return Overview(
        title=_title(benchmark, shown_tasks, runs),
        columns=columns,
        systems=shown_systems,
        mean="mean" if averaged_benchmark else "",
        missing=[task for task in shown_tasks if task not in task_runs],
        published=paper_scores.published,
        not_comparable=paper_scores.not_comparable,
        reasons=paper_scores.reasons,
        notes=[
            *_notes(shown_systems, shown_tasks, averaged_benchmark),
            *_not_computed(runs, shown_tasks),
            *paper_scores.notes,
        ],
        warnings=_warnings(shown_systems, paper_scores.reasons),
    )


def overview_of(folders: Sequence[Path], metric: str | None = None, ablations: bool = True) -> Overview | None:
    """The overview of runs in these folders, or of an ablation; None if they are of one task.

    `metric` is the score to show for each task; `ablations`: False returns None for an ablation. Raises `UserError`.
    """
    if len(folders) == 1 and (folders[0] / ABLATION).is_file():
        from pipelines.results.ablations.ablation_file import read

        return _ablation_overview(read(folders[0]), metric) if ablations else None
    names = {str((read_run(folder) or {}).get("spec", {}).get("task", "")) for folder in folders}
    if len(names) < 2 or "" in names:  # what is no run's folder is refused as in any report
        return None
    runs = [finished_run(folder) for folder in folders]
    whole_benchmark = next(
        (group for group in tasks.groups() if names == {task.name for task in tasks.group(group)}), ""
    )
    return overview(runs, "" if metric else whole_benchmark, metric=metric)


def _ablation_overview(ablation: Ablation, metric: str | None) -> Overview | None:
    """The overview of an ablation of several tasks, a system for each combination of other settings; else None."""
    if len(ablation.axes.get(TASK, ())) < 2:
        return None
    systems: dict[str, dict[str, Run]] = {}
    for cell in ablation.finished:
        if cell.folder is not None:
            other_settings = {name: value for name, value in cell.settings.items() if name != TASK}
            name = numbers.settings(other_settings) or cell.recipe
            systems.setdefault(name, {})[str(cell.settings[TASK])] = finished_run(cell.folder)
    runs = [run for system in systems.values() for run in system.values()]
    return overview(runs, systems=systems, metric=metric or _leading_score(ablation, runs))


def _leading_score(ablation: Ablation, runs: Sequence[Run]) -> str | None:
    """The primary metric of an ablation, if all runs have it; else None."""
    return ablation.primary_metric if all(ablation.primary_metric in run.scores for run in runs) else None


def overview_of_one(runs: Sequence[Run], name: str) -> Overview:
    """The overview of runs that were made together, as one system; with the mean if they are a whole benchmark."""
    run_tasks = [run.task for run in runs]
    whole_benchmark = next(
        (group for group in tasks.groups() if {*run_tasks} == {task.name for task in tasks.group(group)}), ""
    )
    recipes = {system_of(run) for run in runs}
    system_name = recipes.pop() if len(recipes) == 1 else name
    result = overview(runs, whole_benchmark, {system_name: {run.task: run for run in runs}} if runs else {})
    return replace(result, title=name)


def columns_of(task: str, runs: Sequence[Run], metric: str | None = None) -> list[TaskScore]:
    """The scores that are shown for a task: `metric`, or those of its benchmark's paper, else the runs' first.

    Raises `UserError` for a metric that no run has.
    """
    if metric is not None:
        if not any(metric in run.scores for run in runs):
            raise unknown(f"score of {task}", metric, {score for run in runs for score in run.scores})
        return [TaskScore(task, metric)]
    run_scores = list(dict.fromkeys(score for run in runs for score in run.scores))
    if any(_has_other_metrics(run) for run in runs):
        return [TaskScore(task, name) for name in run_scores[:MAX_SHOWN]]
    shown_scores = [name for name in _declared(task) if name in run_scores or not run_scores]
    return [TaskScore(task, name) for name in shown_scores or run_scores[:1]]


def _has_other_metrics(run: Run) -> bool:
    """Whether a run lacks some of its task's metrics, as others were asked for."""
    task = tasks.all_tasks().get(run.task)
    return task is not None and not {name.partition(":")[0] for name in task.metrics} <= {
        name.partition(":")[0] for name in run.metrics
    }


def _declared(task: str) -> list[str]:
    """The scores of a task that count for its benchmark: the one in its mean, or those in its paper's tables."""
    suite, _, name = task.rpartition("/")
    if suite in task_scores():
        return [task_scores()[suite][name]]
    benchmark = suite or next((group for group in tasks.groups() if task in {t.name for t in tasks.group(group)}), "")
    rows = published(benchmark).rows if benchmark in FILES and not suite else ()
    return list(dict.fromkeys(row.metric for row in rows if row.task == task))


def _ordered_tasks(names: Sequence[str]) -> list[str]:
    """Tasks in the order of their benchmarks, others last."""
    order = [task.name for group in tasks.groups() for task in tasks.group(group)]
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def _system(name: str, runs: Mapping[str, Run], averaged_columns: Sequence[TaskScore]) -> System:
    system = System(
        name,
        {task: replace(with_intervals(Rows(run)), loaded=None) for task, run in runs.items()},
        {task: remark for task, run in runs.items() if (remark := _remark(run))},
    )
    values = [value for column in averaged_columns if (value := system.value(column)) is not None]
    return replace(system, mean=fsum(values) / len(values) if values and len(values) == len(averaged_columns) else None)


def _remark(run: Run) -> str:
    """The remark that a run is of a part of its split, or that examples failed; else empty."""
    expected = None
    if run.task in tasks.all_tasks():
        expected = tasks.all_tasks()[run.task].dataset.counts.get(run.split)
    total = len(run.predictions) + len(run.failures)
    of_expected = f" of {expected:,}" if expected is not None and expected > total else ""
    lines = [f"{total:,}{of_expected} examples ({run.part})"] if run.part else []
    lines += [f"{len(run.failures):,} of {total:,} examples failed"] if run.failures else []
    return ", ".join(lines)


def _title(benchmark: str, shown_tasks: Sequence[str], runs: Sequence[Run]) -> str:
    """The benchmark or the tasks, with the split if all runs are of one."""
    splits = {run.split for run in runs}
    title = benchmark or _task_list(shown_tasks)
    return f"{title}, {splits.pop()}" if len(splits) == 1 else title


def _task_list(names: Sequence[str]) -> str:
    """A few tasks by name, or many as `scrolls, 5 of 7 tasks`."""
    if len(names) < MAX_NAMED:
        return ", ".join(names)
    for group in tasks.groups():
        group_tasks = {task.name for task in tasks.group(group)}
        if {*names} <= group_tasks:
            return f"{group}, {len(names)} of {len(group_tasks)} tasks"
    return f"{len(names)} tasks"


def _notes(systems: Sequence[System], shown_tasks: Sequence[str], averaged_benchmark: str) -> list[str]:
    short = short_names(shown_tasks)
    lines = []
    for system in systems:
        if missing := [short[task] for task in shown_tasks if task not in system.scores]:
            lines.append(f"{system.name}: no run of {', '.join(missing)}")
    mean_notes = (
        [f"no mean over fewer tasks: it would not be the score of {averaged_benchmark}"]
        if lines and averaged_benchmark
        else []
    )
    return [*lines, *mean_notes]


def _not_computed(runs: Sequence[Run], shown_tasks: Sequence[str]) -> list[str]:
    """The scores of the benchmarks' tables that could not be computed, by reason, with their tasks."""
    short = short_names(shown_tasks)
    tasks_by_reason: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        for name in _declared(run.task):
            if name in run.scores.not_computed:
                tasks_by_reason.setdefault((name, run.scores.not_computed[name]), {})[short[run.task]] = None
    return [
        f"{name} not computed ({', '.join(task_names)}): {reason}"
        for (name, reason), task_names in tasks_by_reason.items()
    ]


def _warnings(systems: Sequence[System], reasons: Collection[str]) -> list[str]:
    """The remarks on runs, without those that the reasons for published scores already say."""
    return [
        f"{f'{system.name}: ' if len(systems) > 1 else ''}{task}: {remark}"
        for system in systems
        for task, remark in system.remarks.items()
        if len(systems) > 1 or remark not in reasons
    ]
