"""The content of a report, gathered once for all formats, from run folders or an ablation."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.results import selection_counts
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.ablations.comparison import compare_with_baseline
from pipelines.results.analysis.lost_evidence import stages_of
from pipelines.results.comparisons.comparison import Cell
from pipelines.results.leaderboards.published import Published, published
from pipelines.results.remarks import remarks
from pipelines.results.reports.report_content import Content, RunContent
from pipelines.results.run_folders.finished_run import FinishedRun, finished_run
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.versions import mixed_versions
from pipelines.results.unread import unread_warnings

__all__ = ["Content", "RunContent", "ReportSource", "gather"]

ReportSource = str | Path | Ablation | Sequence[str | Path]


def gather(source: ReportSource, primary_metric: str | None = None) -> Content:
    """The content of run folders, of an ablation's folder or of an `Ablation`, which leads with `primary_metric`.

    Raises `UserError` for folders that contain neither, for runs that do not belong in one report, and for a score
    that no run has.
    """
    content = _gathered(source)
    if primary_metric is None:
        return content
    if primary_metric not in content.score_names:
        raise unknown("score", primary_metric, content.score_names)
    return replace(content, primary_metric=primary_metric)


def _gathered(source: ReportSource) -> Content:
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


def _runs_content(runs: Sequence[FinishedRun]) -> Content:
    first = runs[0]
    for other in runs[1:]:
        for field, value, other_value in (
            ("tasks", first.task, other.task),
            ("splits", first.split, other.split),
            ("data", first.spec.get("data"), other.spec.get("data")),
        ):
            if value != other_value:
                raise UserError(f"{first.folder} and {other.folder} are runs of other {field}: report them apart")
    named_runs = dict(zip(_names([run.folder for run in runs]), runs, strict=True))
    baseline = next(iter(named_runs))
    compared, warnings = compare_with_baseline(named_runs, baseline)
    contents = tuple(
        replace(
            _run(name, run),
            intervals=compared[name].intervals,
            no_interval=compared[name].no_interval,
            differences=compared[name].differences,
            same_as=compared[name].repeated_run,
        )
        for name, run in named_runs.items()
    )
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


def _run(name: str, run: FinishedRun) -> RunContent:
    return RunContent(
        name=name,
        settings={},
        recipe=recipe_of_spec(run.spec),
        folder=run.folder,
        scores=run.scores,
        signatures=run.signatures,
        not_computed=run.not_computed,
        failures=run.failures,
        **run.counts,
        **_beyond_cell(run),
    )


def _beyond_cell(run: FinishedRun) -> dict[str, Any]:
    """The fields of `RunContent` that a `Cell` does not have."""
    predictions = run.predictions
    scored = sum(bool(prediction.references) for prediction in predictions)
    warnings = [*mixed_versions(run.versions), *unread_warnings(run.usage), *remarks(predictions, run.spec)]
    stages = stages_of(run, limit=0)
    return {
        "scored": scored,
        "truncated": {
            "examples": sum(prediction.truncated_tokens > 0 for prediction in predictions),
            "tokens": sum(prediction.truncated_tokens for prediction in predictions),
        },
        "selection": selection_counts.count(predictions),
        "versions": {name: ", ".join(versions) for name, versions in run.versions.items()},
        "warnings": tuple(warnings),
        "stages": stages if stages.stages or stages.text else None,
        "run": run,
    }


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
        part=_part(run.run for run in runs),
        published=_published(ablation.task),
        warnings=tuple(ablation.warnings),
    )


def _cell(cell: Cell, home: Path) -> RunContent:
    """A cell with further fields from its folder; the cell's own scores are kept."""
    values = {field.name: getattr(cell, field.name) for field in fields(Cell)}
    folder = cell.folder
    if folder is not None and not folder.is_absolute() and not folder.exists():
        folder = home / folder
    values["folder"] = folder
    if cell.error is not None or folder is None or not (folder / "scores.json").is_file():
        return RunContent(**values, scored=cell.examples)
    return RunContent(**values, **_beyond_cell(finished_run(folder)))


def _part(runs: Iterable[FinishedRun | None]) -> str:
    """The part of the split that was run, empty for all of it: `limit=4`, `all, limit=4` where runs differ."""
    parts = dict.fromkeys(run.part for run in runs if run is not None)
    return ", ".join(part or "all" for part in parts) if any(parts) else ""


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' names, with as much of their paths as makes them distinct."""
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
