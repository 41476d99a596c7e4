"""The content of a report, gathered once for all formats, from run folders or an ablation."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from longdoc.errors import UserError, unknown
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.comparison import compare_with_baseline
from pipelines.results.comparisons.cell import Cell
from pipelines.results.leaderboards.published import Published, published
from pipelines.results.lost_evidence.blame import stages_of
from pipelines.results.remarks import remarks
from pipelines.results.reports.report_content import Content, RunContent
from pipelines.results.run_folders.run import Run, finished_run
from pipelines.results.run_folders.versions import mixed_versions
from pipelines.results.unread import unread_warnings

__all__ = ["Content", "RunContent", "ReportSource", "gather"]

ReportSource = str | Path | Ablation | Sequence[str | Path]


def gather(source: ReportSource, primary_metric: str | None = None) -> Content:
    """The content of run folders, of an ablation's folder or of an `Ablation`, which leads with `primary_metric`.

    Raises `UserError` for folders that contain neither, for runs that do not belong in one report, and for a score
    that no run has.
    """
    content = _content_of(source)
    if primary_metric is None:
        return content
    if primary_metric not in content.score_names:
        raise unknown("score", primary_metric, content.score_names)
    return replace(content, primary_metric=primary_metric)


def _content_of(source: ReportSource) -> Content:
    if isinstance(source, Ablation):
        return _ablation_content(source)
    folders = [Path(source)] if isinstance(source, (str, Path)) else [Path(path) for path in source]
    if not folders:
        raise UserError("no run was named: give the folder of at least one")
    ablations = [folder for folder in folders if (folder / "ablation.json").is_file()]
    if ablations and len(folders) > 1:
        raise UserError(f"{ablations[0]} is an ablation: report it alone, or name the folders of its runs")
    if ablations:
        from pipelines.results.ablations.ablation_file import read

        return _ablation_content(read(ablations[0]))
    return _runs_content([finished_run(folder) for folder in folders])


def _runs_content(runs: Sequence[Run]) -> Content:
    first = runs[0]
    for other in runs[1:]:
        for noun, value, other_value in (
            ("tasks", first.task, other.task),
            ("splits", first.split, other.split),
            ("data", first.spec.get("data"), other.spec.get("data")),
        ):
            if value != other_value:
                raise UserError(f"{first.folder} and {other.folder} are runs of other {noun}: report them apart")
    named_runs = dict(zip(_names([run.folder for run in runs]), runs, strict=True))
    baseline = next(iter(named_runs))
    cells, warnings = compare_with_baseline(named_runs, baseline)
    contents = tuple(_content(cell, cell.run) for name in named_runs if (cell := cells[name]).run is not None)
    return Content(
        first.task,
        first.split,
        contents,
        next((name for run in contents for name in run.scores), ""),
        baseline=baseline if len(contents) > 1 else None,
        part=_part(runs),
        published=_published(first.task),
        warnings=tuple(warnings),
    )


def _content(cell: Cell, run: Run) -> RunContent:
    """The report's content on a run: its cell, and what is in its folder; the cell's own scores are kept."""
    warnings = [*mixed_versions(run.versions), *unread_warnings(run.usage), *remarks(run.predictions, run.spec)]
    stages = stages_of(run, limit=0)
    run_content = _cell_content(replace(cell, run=run))
    return replace(
        run_content, warnings=tuple(warnings), stages=stages if stages.stages or stages.text else None, is_readable=True
    )


def _cell_content(cell: Cell) -> RunContent:
    """The report's content on a cell whose run's folder cannot be read."""
    return RunContent(**{field.name: getattr(cell, field.name) for field in fields(Cell)})


def _ablation_content(ablation: Ablation) -> Content:
    if not ablation.cells:
        raise UserError(f"the ablation in {ablation.folder} has no runs")
    runs = tuple(_cell(cell, ablation.folder) for cell in ablation.cells)
    return Content(
        ablation.task,
        ablation.split,
        runs,
        ablation.primary_metric,
        ablation.axes,
        ablation.baseline,
        part=_part(run.readable_run for run in runs),
        published=_published(ablation.task),
        warnings=tuple(ablation.warnings),
    )


def _cell(cell: Cell, home: Path) -> RunContent:
    """The report's content on an ablation's cell, from its run's folder if that is there."""
    folder = cell.folder
    if folder is not None and not folder.is_absolute() and not folder.exists():
        folder = home / folder
    cell = replace(cell, folder=folder)
    if cell.run is None or folder is None or not (folder / "scores.json").is_file():
        return _cell_content(cell)
    return _content(cell, replace(finished_run(folder), scores=cell.scores))


def _part(runs: Iterable[Run | None]) -> str:
    """The part of the split that was run: `limit=4`, or `all, limit=4` if runs differ; empty for all of it."""
    parts = dict.fromkeys(run.part for run in runs if run is not None)
    return ", ".join(part or "all" for part in parts) if any(parts) else ""


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' names, with as much of their paths as makes them different."""
    paths = [folder.resolve() for folder in folders]
    if len(set(paths)) < len(paths):
        raise UserError("a run was named twice: name each once")
    for parts in range(1, max(len(path.parts) for path in paths) + 1):
        names = ["/".join(path.parts[-parts:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _published(task: str) -> Published | None:
    try:
        return published(task)
    except UserError:
        return None
