"""Content of a report: what a page, a table or a plot shows of runs or of an ablation, gathered once for all of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.ablations.records import Ablation, Cell
from pipelines.comparisons.records import Difference, Interval
from pipelines.engine.folder import read_run
from pipelines.finished_runs import FinishedRun, finished_run
from pipelines.published_results import Published, published
from pipelines.results import remarks

What = str | Path | Ablation | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class RunContent:
    """One run, or one cell of an ablation. Figures are 0–100.

    `settings` are the values of the axes, empty outside an ablation; `tokens_shown` the mean of prompt tokens an example;
    `cut` the examples whose prompts lost tokens, and these tokens; `failures` what went wrong by example. A failed cell
    has `error` and no scores. `differences` are to the baseline's figures. `run` is the folder's content where it was
    read already.
    """

    name: str
    recipe: str
    folder: Path | None
    scores: Mapping[str, float] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    not_computed: Mapping[str, str] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    examples: int = 0
    scored: int = 0
    documents: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_shown: float = 0.0
    cut: tuple[int, int] = (0, 0)
    cost: float | None = None
    error: str | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    failed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    run: FinishedRun | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Content:
    """All of a report. `metric` is the figure that it leads with, `baseline` a run's name, None outside an ablation.

    `part` says what was asked for of the split, empty for all of it. `published` is None for a task that no paper at
    hand has figures of.
    """

    task: str
    split: str
    runs: tuple[RunContent, ...]
    metric: str
    axes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    baseline: str | None = None
    part: str = ""
    published: Published | None = None
    warnings: tuple[str, ...] = ()

    @property
    def finished(self) -> tuple[RunContent, ...]:
        """The runs that have scores."""
        return tuple(run for run in self.runs if run.error is None)

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of all scores, the leading one first."""
        names = dict.fromkeys(name for run in self.runs for name in run.scores)
        return tuple(sorted(names, key=lambda name: name != self.metric))


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
        from pipelines.ablations.folder import read

        return _of_ablation(read(ablations[0]))
    return _of_runs([finished_run(folder) for folder in folders])


def recipe_of(spec: Mapping[str, Any]) -> str:
    """The recipe of a run's spec in a line, as the run itself prints it."""
    chunker, reader = spec.get("chunker", {}), spec.get("model", {})
    size = chunker.get("size") or chunker.get("max_input_tokens")
    selected = f" budget={spec['budget']}" if spec.get("budget") else f" k={spec['k']}" if spec.get("k") else ""
    asked = f" by {spec['query']}" if spec.get("query") else ""
    model = reader.get("model")
    steps = (
        _named(chunker) + (f":{size}" if size else ""),
        _named(spec.get("retriever", {})) + asked + selected,
        _named(spec.get("strategy", {})),
        model if isinstance(model, str) else _named(reader),
    )
    return " → ".join(steps)


def _named(component: Mapping[str, Any]) -> str:
    return str(component.get("name", "?"))


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
    names = _names([run.folder for run in runs])
    found = tuple(_run(name, run) for name, run in zip(names, runs, strict=True))
    metric = next((name for run in found for name in run.scores), "")
    part = ", ".join(dict.fromkeys(run.part for run in runs if run.part))
    return Content(first.task, first.split, found, metric, part=part, published=_published(first.task))


def _run(name: str, run: FinishedRun) -> RunContent:
    scored = json.loads((run.folder / "scores.json").read_text(encoding="utf-8"))
    record = read_run(run.folder) or {}
    predictions = run.predictions
    tokens_in = sum(p.tokens_in for p in predictions)
    warnings = remarks(predictions)
    if scored.get("not_scored"):
        warnings.append(f"{len(predictions) - scored.get('scored', 0)} of {len(predictions)} examples: no references")
    return RunContent(
        name,
        recipe_of(run.spec),
        run.folder,
        run.scores,
        scored.get("signatures", {}),
        scored.get("not_computed", {}),
        examples=len(predictions),
        scored=scored.get("scored", len(predictions)),
        documents=len({p.document for p in predictions}),
        requests=sum(p.requests for p in predictions),
        tokens_in=tokens_in,
        tokens_out=sum(p.tokens_out for p in predictions),
        tokens_shown=tokens_in / len(predictions) if predictions else 0.0,
        cut=(sum(p.cut > 0 for p in predictions), sum(p.cut for p in predictions)),
        failures=run.failures,
        failed=len(run.failures),
        versions=_versions(record),
        warnings=tuple(warnings),
        run=run,
    )


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
        published=_published(ablation.task),
        warnings=tuple(ablation.warnings),
    )


def _cell(cell: Cell, home: Path) -> RunContent:
    """A cell with what its folder tells beyond it; the cell's own figures stand."""
    names = RunContent.__dataclass_fields__.keys() & Cell.__dataclass_fields__.keys() - {"failures"}
    given = {name: getattr(cell, name) for name in names} | {"failed": cell.failures, "scored": cell.examples}
    folder = cell.folder
    if folder is not None and not folder.is_absolute() and not folder.exists():
        folder = home / folder
    known = RunContent(**given | {"folder": folder})
    if cell.error is not None or folder is None or not (folder / "scores.json").is_file():
        return known
    found = _run(cell.name, finished_run(folder))
    more = {name: getattr(found, name) for name in ("scored", "cut", "failures", "versions", "warnings", "run")}
    return replace(known, **more)


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
