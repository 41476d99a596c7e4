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
    """The scores of runs on the tasks of a benchmark, one system for each recipe, and the papers' beside.

    - `name`: "muld", "scrolls", "zero_scrolls", "longbench" or "infinitebench". The mean over the tasks of SCROLLS and
      of ZeroSCROLLS is given for systems that have all of them.
    - `runs`: folders of finished runs of its tasks, or folders that hold such runs.

    Published scores stand beside where the split, the number of examples and the metric are the benchmark's. Raises
    `UserError` for a run of another task, and for two runs of one task that nothing tells apart.
    """
    if name not in tasks.GROUPS:
        raise unknown("benchmark", name, tasks.GROUPS)
    known_names = [task.name for task in tasks.group(name)]
    found_runs: list[Run] = []
    left_out_names: list[str] = []
    for place in [runs] if isinstance(runs, (str, Path)) else runs:
        if read_run(Path(place)) is not None:
            found_runs.append(_benchmark_finished_run(finished_run(place), name, known_names))
            continue
        inside, unfinished = _below(Path(place), known_names)
        found_runs += inside
        left_out_names += unfinished
    if not found_runs:
        raise UserError(f"no finished run of {name}: longdoc run {name} makes them, or name their folders")
    made_overview = overview(found_runs, name)
    return replace(
        made_overview,
        warnings=[*made_overview.warnings, *(f"left out, not finished: {text}" for text in left_out_names)],
    )


def _benchmark_finished_run(run: Run, name: str, known_names: Sequence[str]) -> Run:
    if run.task not in known_names:
        raise UserError(f"{run.folder} is a run of {run.task}, which is no task of {name}: leave it out")
    return run


def _below(place: Path, known_names: Sequence[str]) -> tuple[list[Run], list[str]]:
    """The finished runs of the tasks in a folder, or in an ablation's, and the folders of those that are not."""
    if not place.is_dir():
        raise UserError(f"there is no folder {place}; longdoc runs list lists the runs that there are")
    runs: list[Run] = []
    unfinished: list[str] = []
    for folder in _run_folders(place):
        record = read_run(folder)
        if record is None or record.get("spec", {}).get("task") not in known_names:
            continue
        if (folder / "scores.json").is_file() and (folder / "predictions.jsonl").is_file():
            runs.append(finished_run(folder))
        else:
            unfinished.append(str(folder))
    return runs, unfinished


def _run_folders(place: Path) -> Iterator[Path]:
    yield from (file.parent for file in sorted(place.glob("*/run.json")))
    yield from (file.parent for file in sorted(place.glob("runs/*/run.json")))
