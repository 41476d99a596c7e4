"""Reading the folder of a finished run: its task, its data, its predictions and scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines import sources, tasks
from pipelines.records import Prediction
from pipelines.results import output_counts, reference_counts, selection_counts
from pipelines.results.example_scores import ExampleScores, example_scores
from pipelines.results.final_files import read_predictions, read_scores
from pipelines.results.run_folders.record import part, read_run
from pipelines.results.run_folders.spec_differences import data_in_words
from pipelines.results.run_folders.versions import examples_by_version
from pipelines.statistics.intervals import Interval, interval_of


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """`spec` is everything that determines the predictions, `metrics`, `limit` and `shard` what the run was asked for.

    `failures` maps ids without a prediction to error messages; `data` says where the data are; `usage` is what the
    predictions took: requests, tokens, cost; `versions` the number of examples by name and version of what made them.
    `intervals` is None for runs of older versions, which did not keep them; `no_interval` says why a score has none.
    `judging` is what a judge said and took, empty where there was none.
    """

    folder: Path
    task: str
    split: str
    spec: Mapping[str, Any]
    scores: Mapping[str, float]
    failures: Mapping[str, str]
    predictions: tuple[Prediction, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    not_computed: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    versions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    intervals: Mapping[str, Interval] | None = None
    no_interval: Mapping[str, str] = field(default_factory=dict)
    judging: Mapping[str, Any] = field(default_factory=dict)
    shard: str | None = None

    @property
    def declared_task(self) -> tasks.Task:
        """The task that the run's record names. Raises `UserError` where this version has no such task."""
        known_tasks = tasks.all_tasks()
        if self.task not in known_tasks:
            raise unknown("task", self.task, known_tasks)
        return known_tasks[self.task]

    @property
    def part(self) -> str:
        """The part of the split that was run, empty for all of it: `limit=5`, `sample=20`, `limit=5 shard=1/3`."""
        return part({"limit": self.limit, "spec": self.spec, "shard": self.shard})

    @property
    def counts(self) -> dict[str, Any]:
        """Counts of examples, documents, requests and tokens, mean prompt tokens and words shown, cost, outputs."""
        sums = {
            name: sum(getattr(p, name) for p in self.predictions) for name in ("requests", "tokens_in", "tokens_out")
        }
        return sums | {
            "examples": len(self.predictions),
            "documents": len({p.document for p in self.predictions}),
            "tokens_shown": sums["tokens_in"] / max(len(self.predictions), 1),
            "words_shown": selection_counts.words_shown(self.predictions),
            "cost": self.usage.get("cost"),
            "outputs": output_counts.count(self.predictions),
        }

    @property
    def reference_notes(self) -> list[str]:
        """How many examples have no reference, and how many questions no answer."""
        return reference_counts.notes(self.predictions)

    @property
    def example_scores(self) -> ExampleScores:
        """For each score, the value of each prediction by itself; see `example_scores`."""
        return example_scores(self.folder, self.metrics, self.predictions, self.scores)


def run_record(path: Path) -> dict[str, Any]:
    """The `run.json` of a run's folder, finished or not. Raises `UserError` where there is none, or a damaged one."""
    record = read_run(path, is_complete=True)
    if record is None:
        inner = sorted(file.parent for file in path.glob("runs/*/run.json"))
        location = f"; its runs are in {path / 'runs'}, as {inner[0]}" if inner else ""
        raise UserError(
            f"{path} is no run's folder: there is no run.json in it{location}; longdoc runs list FOLDER lists "
            "those below a folder"
        )
    return record


def finished_run(folder: str | Path) -> FinishedRun:
    """Read a run's folder. Raises `UserError` where no run has finished, with what to do."""
    path = Path(folder)
    record = run_record(path)
    spec, file = record["spec"], path / "predictions.jsonl"
    if not file.is_file() or not (path / "scores.json").is_file():
        raise UserError(f"the run in {path} is not finished: start it again as before, with out={path}")
    scored = read_scores(path)
    predictions = tuple(read_predictions(path, scored))
    intervals = scored.get("intervals")
    return FinishedRun(
        path,
        spec["task"],
        spec["split"],
        spec,
        scored.get("scores", {}),
        scored.get("failures", {}),
        predictions,
        record.get("data", {}),
        scored.get("signatures", {}),
        scored.get("not_computed", {}),
        scored.get("usage", {}),
        record["metrics"],
        record.get("limit"),
        examples_by_version(record, len(predictions)),
        None if intervals is None else {name: interval_of(value) for name, value in intervals.items()},
        scored.get("no_interval", {}),
        scored.get("judging", {}),
        record.get("shard"),
    )


def examples_of(run: FinishedRun, data: Any = None) -> sources.Dataset:
    """The data of a run, read from where they were then, or from `data`.

    Raises `UserError` where they are gone, or are not the run's data.
    """
    data_spec = data if data is not None else run.data.get("given")
    if data is None and "given" not in run.data:
        raise UserError(f"the run in {run.folder} does not say where its data lie: give data=PATH")
    task = run.declared_task
    revision = run.data.get("revision") if data is None else None
    dataset = sources.load(task.name, task.dataset, data_spec, run.split, revision)
    recorded, fingerprint = run.spec.get("data", {}), dict(dataset.fingerprint)
    if recorded != fingerprint:
        recorded_text, current_text = data_in_words(recorded, fingerprint)
        note = f"{recorded_text} then, {current_text} now" if recorded_text else "the content differs"
        raise UserError(f"these are not the data of the run in {run.folder} ({note}): give data=PATH of those")
    return dataset
