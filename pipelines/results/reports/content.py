"""The content of a report, gathered once for all forms of it: of run folders, or of an ablation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.results.ablations.against import against
from pipelines.results.ablations.records import Ablation, Cell
from pipelines.results.leaderboards.published import Published, published
from pipelines.results.records import remarks
from pipelines.results.reports.records import Content, RunContent
from pipelines.results.run_folders.finished import FinishedRun, finished_run
from pipelines.results.run_folders.record import read_run, recipe_in

__all__ = ["Content", "RunContent", "What", "of"]

What = str | Path | Ablation | Sequence[str | Path]


def of(what: What) -> Content:
    """The content of run folders, of an ablation's folder or of an `Ablation`.

    Raises `UserError` for folders that hold neither, and for runs that do not belong in one report.
    """
    if isinstance(what, Ablation):
        return _of_ablation(what)
    folders = [Path(what)] if isinstance(what, (str, Path)) else [Path(one) for one in what]
    if not folders:
        raise UserError("no run was named: give the folder of at least one")
    ablations = [folder for folder in folders if (folder / "ablation.json").is_file()]
    if ablations and len(folders) > 1:
        raise UserError(f"{ablations[0]} is an ablation: report it alone, or name the folders of its runs")
    if ablations:
        from pipelines.results.ablations.folder import read

        return _of_ablation(read(ablations[0]))
    return _of_runs([finished_run(folder) for folder in folders])


def _of_runs(runs: Sequence[FinishedRun]) -> Content:
    first = runs[0]
    for other in runs[1:]:
        for what, here, there in (
            ("task", first.task, other.task),
            ("split", first.split, other.split),
            ("data", first.spec.get("data"), other.spec.get("data")),
        ):
            if here != there:
                raise UserError(f"{first.folder} and {other.folder} are runs of another {what}: report them apart")
    named = dict(zip(_names([run.folder for run in runs]), runs, strict=True))
    baseline = next(iter(named))
    compared, warnings = against(named, baseline)
    found = tuple(
        replace(_run(name, run), intervals=compared[name].intervals, differences=compared[name].differences)
        for name, run in named.items()
    )
    return Content(
        first.task,
        first.split,
        found,
        next((name for run in found for name in run.scores), ""),
        baseline=baseline if len(found) > 1 else None,
        part=_part(runs),
        published=_published(first.task),
        warnings=tuple(warnings),
    )


def _run(name: str, run: FinishedRun) -> RunContent:
    return RunContent(
        name=name,
        settings={},
        recipe=recipe_in(run.spec),
        folder=run.folder,
        scores=run.scores,
        signatures=run.signatures,
        not_computed=run.not_computed,
        failures=run.failures,
        **run.counts,
        **_beyond(run),
    )


def _beyond(run: FinishedRun) -> dict[str, Any]:
    """What a report tells of a run beyond a cell's record."""
    predictions = run.predictions
    scored = sum(bool(one.references) for one in predictions)
    warnings = remarks(predictions)
    if scored < len(predictions):
        warnings.append(f"{len(predictions) - scored} of {len(predictions)} examples: no references, so not scored")
    return {
        "scored": scored,
        "cut": (sum(one.truncated_tokens > 0 for one in predictions), sum(one.truncated_tokens for one in predictions)),
        "versions": _versions(read_run(run.folder) or {}),
        "warnings": tuple(warnings),
        "run": run,
    }


def _of_ablation(ablation: Ablation) -> Content:
    if not ablation.cells:
        raise UserError(f"the ablation in {ablation.folder} has no runs")
    runs = tuple(_cell(cell, ablation.folder) for cell in ablation.cells)
    return Content(
        ablation.task,
        ablation.split,
        runs,
        ablation.metric,
        ablation.axes,
        ablation.baseline,
        part=_part(run.run for run in runs),
        published=_published(ablation.task),
        warnings=tuple(ablation.warnings),
    )


def _cell(cell: Cell, home: Path) -> RunContent:
    """A cell with what its folder tells beyond it; the cell's own figures stand."""
    given = {name: getattr(cell, name) for name in Cell.__dataclass_fields__}
    folder = cell.folder
    if folder is not None and not folder.is_absolute() and not folder.exists():
        folder = home / folder
    given["folder"] = folder
    if cell.error is not None or folder is None or not (folder / "scores.json").is_file():
        return RunContent(**given, scored=cell.examples)
    return RunContent(**given, **_beyond(finished_run(folder)))


def _part(runs: Iterable[FinishedRun | None]) -> str:
    """What was asked for of the split."""
    return ", ".join(dict.fromkeys(run.part for run in runs if run is not None and run.part))


def _versions(record: Mapping[str, Any]) -> dict[str, str]:
    """What ran: this project, Python, and the libraries, as `run.json` has them."""
    python = record.get("environment", {}).get("python")
    own = {"longdoc": record.get("longdoc"), "python": python}
    return {name: str(version) for name, version in (own | dict(record.get("versions", {}))).items() if version}


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' names; with as much of the path before them as tells all apart."""
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
