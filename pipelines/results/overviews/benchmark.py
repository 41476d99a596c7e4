"""A benchmark's table from the folders of finished runs: tasks and systems, with the papers' scores beside."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from pipelines import tasks
from pipelines.results.overviews.gather import overview
from pipelines.results.overviews.overview import Overview
from pipelines.results.run_folders.record import read_run
from pipelines.results.run_folders.run import Run, finished_run


@checks_names
def benchmark(name: str, runs: str | Path | Sequence[str | Path] = "runs") -> Overview:
    """The scores of runs on the tasks of a benchmark, one system for each recipe, with comparable published scores.

    - `name`: "muld", "scrolls", "zero_scrolls", "longbench" or "infinitebench". The mean over the tasks of SCROLLS and
      of ZeroSCROLLS is given for systems that have all of them.
    - `runs`: folders of finished runs of its tasks, or folders that contain such runs.

    Published scores are added if split, number of examples and metric are the benchmark's. Raises `UserError` for a run
    of another task, and for two runs of one task with the same recipe.
    """
    if not tasks.group(name):
        raise unknown("benchmark", name, tasks.groups())
    benchmark_tasks = [task.name for task in tasks.group(name)]
    finished_runs: list[Run] = []
    unfinished_folders: list[str] = []
    for place in [runs] if isinstance(runs, (str, Path)) else runs:
        if read_run(Path(place)) is not None:
            finished_runs.append(_run_of_benchmark(finished_run(place), name, benchmark_tasks))
            continue
        runs_below, unfinished = _below(Path(place), benchmark_tasks)
        finished_runs += runs_below
        unfinished_folders += unfinished
    if not finished_runs:
        raise UserError(f"no finished run of {name}: longdoc run {name} makes them, or name their folders")
    result = overview(finished_runs, name)
    return replace(
        result,
        warnings=[*result.warnings, *(f"left out, not finished: {text}" for text in unfinished_folders)],
    )


def _run_of_benchmark(run: Run, name: str, benchmark_tasks: Sequence[str]) -> Run:
    """The run itself. Raises `UserError` if its task is not one of the benchmark's."""
    if run.task not in benchmark_tasks:
        raise UserError(f"{run.folder} is a run of {run.task}, which is not a task of {name}: leave it out")
    return run


def _below(place: Path, benchmark_tasks: Sequence[str]) -> tuple[list[Run], list[str]]:
    """The finished runs of the tasks below a folder or an ablation, and the folders of unfinished ones."""
    if not place.is_dir():
        raise UserError(f"there is no folder {place}; longdoc runs list shows your runs")
    runs: list[Run] = []
    unfinished: list[str] = []
    for folder in _run_folders(place):
        record = read_run(folder)
        if record is None or record.get("spec", {}).get("task") not in benchmark_tasks:
            continue
        if (folder / "scores.json").is_file() and (folder / "predictions.jsonl").is_file():
            runs.append(finished_run(folder))
        else:
            unfinished.append(str(folder))
    return runs, unfinished


def _run_folders(place: Path) -> Iterator[Path]:
    yield from (file.parent for file in sorted(place.glob("*/run.json")))
    yield from (file.parent for file in sorted(place.glob("runs/*/run.json")))
