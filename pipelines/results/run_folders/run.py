"""Reading the folder of a finished run: its task, its data, its predictions and scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError, unknown
from pipelines import metrics, sources, tasks
from pipelines.records import Prediction
from pipelines.results import output_counts, reference_counts, selection_counts
from pipelines.results.example_scores import ExampleScores, example_scores
from pipelines.results.final_files import read_predictions, read_scores
from pipelines.results.run_folders.record import part, read_run, recipe_of_spec
from pipelines.results.run_folders.spec_differences import data_in_words
from pipelines.results.scores import Scored, Scores


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums and means over the predictions of a run.

    `tokens_shown` is the mean number of prompt tokens per example, `words_shown` that of the words of documents that
    were shown, headings counted, None where it is not known; `cost` is None where the reader has no prices. `outputs`
    counts the model's outputs that stopped at their length limit, are empty or were refused, and their examples.
    """

    examples: int = 0
    documents: int = 0
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_shown: float = 0.0
    words_shown: float | None = None
    cost: float | None = None
    outputs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Run(Scored):
    """A finished run, as its folder says; its predictions are read when they are first used.

    `spec` is everything that determines the predictions, `metrics`, `limit` and `shard` what the run was asked for.

    `failures` maps ids without a prediction to error messages; `data` says where the data are; `usage` is what the
    predictions took: requests, tokens, cost; `versions` the number of examples by name and version of what made them.
    `judging` is what a judge said and took (`pipelines.results.judge_record`), empty where there was none. `record`
    is the content of `scores.json`. `loaded` are predictions that need not be read from the folder.
    """

    folder: Path
    task: str
    split: str
    spec: Mapping[str, Any]
    scores: Scores = field(default_factory=Scores)
    failures: Mapping[str, str] = field(default_factory=dict)
    loaded: tuple[Prediction, ...] | None = field(default=None, repr=False)
    data: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    versions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    judging: Mapping[str, Any] = field(default_factory=dict)
    shard: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)

    is_log: ClassVar[bool] = False  # whether it stands for a log of another harness, and has no folder

    def __fspath__(self) -> str:
        """The folder, for functions that take a path."""
        return str(self.folder)

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """The predictions in the order of the data. Raises `UserError` where the folder is damaged."""
        return tuple(read_predictions(self.folder, self.record)) if self.loaded is None else self.loaded

    @property
    def recipe(self) -> str:
        """The recipe on one line: `chunker → retriever k=5 → strategy → reader`."""
        return recipe_of_spec(self.spec) if self.spec else ""

    @property
    def examples(self) -> int:
        """The number of predictions."""
        return int(self._recorded("examples", len))

    @property
    def scored(self) -> int:
        """The number of predictions whose examples have references."""
        return int(self._recorded("scored", lambda predictions: sum(bool(p.references) for p in predictions)))

    @property
    def truncated(self) -> Mapping[str, int]:
        """The numbers of "examples" with cut prompts, and of the "tokens" cut from them."""
        return self._recorded("truncated", _truncated)  # type: ignore[no-any-return]

    @property
    def outputs(self) -> Mapping[str, Mapping[str, int]]:
        """By kind (`output_counts.DESCRIPTIONS`), the numbers of "outputs" and of their "examples"."""
        return self._recorded("outputs", output_counts.count)  # type: ignore[no-any-return]

    @property
    def selection(self) -> Mapping[str, float]:
        """The mean numbers of passages "selected" for an example and "read" by the model ("shown" if none was asked),
        and of "words" shown, with headings; empty if pairs of paragraphs were compared.
        """
        return self._recorded("selection", selection_counts.count)  # type: ignore[no-any-return]

    def _recorded(self, name: str, count: Callable[[Sequence[Prediction]], Any]) -> Any:
        """A count from `scores.json`, or from the predictions if an older version wrote it without."""
        return self.record[name] if name in self.record else count(self.predictions)

    @property
    def declared_task(self) -> tasks.Task:
        """The task that the run's record names. Raises `UserError` if this version has no such task."""
        all_tasks = tasks.all_tasks()
        if self.task not in all_tasks:
            raise unknown("task", self.task, all_tasks)
        return all_tasks[self.task]

    @property
    def part(self) -> str:
        """The part of the split that was run, empty for all of it: `limit=5`, `sample=20`, `limit=5 shard=1/3`."""
        return part({"limit": self.limit, "spec": self.spec, "shard": self.shard})

    @property
    def counts(self) -> Counts:
        """Sums and means over the predictions."""
        predictions = self.predictions
        requests, tokens_in, tokens_out = (
            sum(getattr(prediction, name) for prediction in predictions)
            for name in ("requests", "tokens_in", "tokens_out")
        )
        return Counts(
            examples=len(predictions),
            documents=len({prediction.document for prediction in predictions}),
            requests=requests,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_shown=tokens_in / max(len(predictions), 1),
            words_shown=selection_counts.words_shown(predictions),
            cost=self.usage.get("cost"),
            outputs=output_counts.count(predictions),
        )

    @property
    def reference_notes(self) -> list[str]:
        """Notes on examples without a reference and on unanswerable questions."""
        return (
            reference_counts.reference_notes(self.record) if self.record else reference_counts.notes(self.predictions)
        )

    @property
    def example_scores(self) -> ExampleScores:
        """The scores of single examples, by name; see `example_scores`."""
        return example_scores(self.folder, self.metrics, self.predictions, self.scores)

    def answer_scores(self, primary_metric: str | None = None) -> ExampleScores:
        """Those of `example_scores` that score the model's answers: of the first metric that has any, or of all metrics
        if a `primary_metric` is named.
        """
        run_metrics = metrics.recorded(self.folder / "run.json", self.metrics)[0]
        names = [name for name, metric in run_metrics.items() if metric.target == "prediction"]
        has_requests = any(prediction.requests for prediction in self.predictions)
        scores: ExampleScores = {}
        for name in names if has_requests else ():
            if not scores or primary_metric is not None:
                scores |= example_scores(self.folder, {name: self.metrics[name]}, self.predictions, self.scores)
        return scores

    @property
    def sample_scores(self) -> ExampleScores:
        """Those of `example_scores` that the rows of examples contain by name.

        Others are not means: a macro-F1 of 0 or 100 equals the mean over examples by chance.
        """
        names = {name for prediction in self.predictions for row in prediction.statistics.values() for name in row}
        return {name: values for name, values in self.example_scores.items() if name in names}


def _truncated(predictions: Sequence[Prediction]) -> dict[str, int]:
    truncated_tokens = [prediction.truncated_tokens for prediction in predictions if prediction.truncated_tokens]
    return {"examples": len(truncated_tokens), "tokens": sum(truncated_tokens)}


def run_record(path: Path) -> dict[str, Any]:
    """The content of a run folder's `run.json`. Raises `UserError` if it is missing or damaged."""
    record = read_run(path, is_complete=True)
    if record is None:
        inner = sorted(file.parent for file in path.glob("runs/*/run.json"))
        location = f"; its runs are in {path / 'runs'}, as {inner[0]}" if inner else ""
        raise UserError(
            f"{path} is not a run's folder: there is no run.json in it{location}; longdoc runs list FOLDER lists "
            "those below a folder"
        )
    return record


def finished_run(folder: str | Path) -> Run:
    """The run in a folder, with its predictions. Raises `UserError` if it is not finished, with what to do."""
    path = Path(folder)
    record = run_record(path)
    if not (path / "predictions.jsonl").is_file() or not (path / "scores.json").is_file():
        raise UserError(f"the run in {path} is not finished: start it again as before, with out={path}")
    scored = read_scores(path)
    predictions = tuple(read_predictions(path, scored))
    return replace(run_of(path, record, scored), loaded=predictions)


def run_of(folder: Path, record: Mapping[str, Any], scored: Mapping[str, Any]) -> Run:
    """The run that a `run.json` and a `scores.json` describe."""
    spec = record["spec"]
    return Run(
        folder=folder,
        task=spec["task"],
        split=spec["split"],
        spec=spec,
        scores=Scores.of(scored),
        failures=scored.get("failures", {}),
        data=record.get("data", {}),
        usage=scored.get("usage", {}),
        metrics=record["metrics"],
        limit=record.get("limit"),
        versions=record.get("examples_by_version", {}),
        judging=scored.get("judging", {}),
        shard=record.get("shard"),
        record=scored,
    )


def examples_of(run: Run, data: Any = None) -> sources.Dataset:
    """The data of a run, read from where they were, or from `data`.

    Raises `UserError` if they are gone, or are not the run's data.
    """
    source = data if data is not None else run.data.get("given")
    if data is None and "given" not in run.data:
        raise UserError(f"the run in {run.folder} does not say where its data are: give data=PATH")
    task = run.declared_task
    revision = run.data.get("revision") if data is None else None
    dataset = sources.load(task.name, task.dataset, source, run.split, revision)
    recorded, fingerprint = run.spec.get("data", {}), dict(dataset.fingerprint)
    if recorded != fingerprint:
        recorded_words, current_words = data_in_words(recorded, fingerprint)
        note = f"{recorded_words} then, {current_words} now" if recorded_words else "the content differs"
        raise UserError(f"these are not the data of the run in {run.folder} ({note}): give data=PATH of those")
    return dataset
