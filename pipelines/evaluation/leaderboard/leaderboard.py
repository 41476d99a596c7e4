"""A leaderboard of everything on a disk: each file of predictions that is recognized is scored, and runs stand beside.

A benchmark's table has a row for each system and a column for each task: the leading score, by the task's own metrics,
with the interval over documents where the files say which these are. Coverage is said, as systems answer different
numbers of examples. Nothing is asked of a model, so a score that a judge gives is not there.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.folders import make_folder, output_folder
from pipelines.evaluation import predictions as files
from pipelines.evaluation._prediction_scores import PredictionScores
from pipelines.evaluation.curves.bin_scores import BinScores
from pipelines.evaluation.curves.curve import SHARE, length_curves, score_of
from pipelines.evaluation.curves.systems import System, file_system, grouped, joined
from pipelines.evaluation.leaderboard.prediction_files import tables_below, task_of
from pipelines.results.curves.axis import POWERS
from pipelines.results.curves.curve_set import CurveSet
from pipelines.results.leaderboard_pages.leaderboard import Leaderboard, ScoredSystem
from pipelines.results.leaderboard_pages.pages import write_pages
from pipelines.results.reports import PAGE
from pipelines.results.run_folders.listed_run import ListedRun
from pipelines.results.run_folders.listing import runs
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED


@dataclass(frozen=True, slots=True)
class _ScoredFile:
    """A file of predictions, `FILE::SYSTEM` for one of several, as a system, and its scores."""

    path: str
    system: System
    scores: PredictionScores


@checks_names
def leaderboard(folder: str | Path, *more_folders: str | Path, out: str | Path | None = None) -> Leaderboard:
    """Score all files of predictions below folders whose benchmark is recognized, and list finished runs beside them.

    `out` is the folder for its pages: `leaderboard.html` with the tables and curves, and one for each file, with its
    examples. A file in a benchmark's layout that cannot be scored is in `unread`, with why. Raises `UserError` for a
    missing folder, and where there is nothing to list.
    """
    roots = [Path(root) for root in (folder, *more_folders)]
    for root in roots:
        if not root.is_dir():
            raise UserError(f"there is no folder {root}: name those of the predictions")
    pages_folder = None if out is None else output_folder(out)
    unread: dict[str, str] = {}
    by_task: dict[str, list[_ScoredFile]] = {}
    for root in roots:
        for path in tables_below(root):
            for file in _scored_files(path, unread):
                by_task.setdefault(file.scores.task, []).append(file)
    systems = [system for task_files in by_task.values() for system in _systems(task_files)]
    systems += _run_systems([run for root in roots for run in runs(root, all=True).runs if _is_listed(run)])
    if not systems:
        names = ", ".join(map(str, roots))
        raise UserError(f"{names}: no file of predictions that is recognized, and no finished run")
    board = Leaderboard(systems, [curves for task_files in by_task.values() for curves in _curves(task_files)], unread)
    if pages_folder is None:
        return board
    make_folder(pages_folder)
    return write_pages(board, pages_folder)


def _scored_files(path: Path, unread: dict[str, str]) -> list[_ScoredFile]:
    """The systems of a file; why it, or one of them, is not scored goes into `unread`."""
    try:
        task = task_of(path)
        if task is None:
            return []
        names = files.systems(task, path)
    except UserError as error:
        unread[str(path)] = str(error)
        return []
    scored = []
    for name in names:
        try:
            scored.append(_ScoredFile(name, *file_system(task, name)))
        except UserError as error:
            unread[name] = str(error)
    return scored


def _systems(task_files: Sequence[_ScoredFile]) -> list[ScoredSystem]:
    """The systems of a task by name."""
    by_system = {id(file.system): file for file in task_files}
    groups = grouped([(file.system, file.path) for file in task_files])
    return [_file_entry(name, by_system[id(part)]) for name, parts in groups.items() for part in parts]


def _file_entry(name: str, file: _ScoredFile) -> ScoredSystem:
    scores = file.scores
    length = "" if scores.length is None else f"{scores.length / 1000:g}k"
    return ScoredSystem(
        system=name,
        task=scores.task,
        kind="predictions",
        path=file.path,
        scores=scores.scores,
        examples=len(scores.predictions),
        expected=scores.expected,
        refusals=len(scores.unanswered),
        part=length,
        warnings=scores.warnings,
        predictions=(*scores.predictions, *scores.unanswered),
        values=_values(file),
    )


def _values(file: _ScoredFile) -> list[float | None]:
    """The leading score of each prediction; None where it has none by itself."""
    leading = next(iter(file.scores.scores), "")
    values = file.system.rows.run.example_scores.get(leading, [])
    return [*values, *[None] * (len(file.scores.predictions) + len(file.scores.unanswered) - len(values))]


def _curves(task_files: Sequence[_ScoredFile]) -> list[CurveSet]:
    """The curves of a task whose files are of several lengths."""
    if len({file.scores.length for file in task_files} - {None}) < 2:
        return []
    groups = grouped([(file.system, file.path) for file in task_files if file.scores.length is not None])
    systems = [joined(parts, name) for name, parts in groups.items()]
    scorer = BinScores(score_of(systems, None), SHARE, LEVEL, RESAMPLES, SEED)
    curves = length_curves(systems, scorer, POWERS, "tokens")
    return [replace(curves, crossovers=[row for row in curves.crossovers if row.is_paired])]  # others: another task's


def _is_listed(run: ListedRun) -> bool:
    return run.state == "finished" and run.cells is None and bool(run.scores)


def _run_systems(listed_runs: Sequence[ListedRun]) -> list[ScoredSystem]:
    """Runs by recipe; where several of one task have the same, with their folders' names."""
    counts = Counter((run.task, run.recipe) for run in listed_runs)
    return [
        _run_system(run, f"{run.recipe} ({run.folder.name})" if counts[run.task, run.recipe] > 1 else run.recipe)
        for run in listed_runs
    ]


def _run_system(run: ListedRun, name: str) -> ScoredSystem:
    page = run.folder / PAGE
    return ScoredSystem(
        system=name,
        task=run.task,
        kind="run",
        path=str(run.folder),
        scores=run.scores,
        examples=run.examples,
        expected=run.total,
        refusals=run.failed,
        cost=run.cost,
        page=str(page) if page.is_file() else "",
    )
