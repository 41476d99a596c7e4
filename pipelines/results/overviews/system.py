"""The rows and columns of an overview: systems, the papers' and our own, and the scores of tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from longdoc.plain_json import Record
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class TaskScore:
    """One score of one task."""

    task: str
    metric: str


@dataclass(frozen=True, slots=True)
class System(Record):
    """Runs of one recipe by task.

    `mean` is the benchmark's score, None if a task is missing or the benchmark has none. `remarks` say by task that a
    run is of a part of the split, or that examples failed.
    """

    name: str
    runs: Mapping[str, Run]
    remarks: Mapping[str, str] = field(default_factory=dict)
    mean: float | None = None

    KEYS: ClassVar[Sequence[str]] = ("name", "scores", "intervals", "examples", "folders", "remarks", "mean")

    @property
    def label(self) -> str:
        """What it is called in tables."""
        return self.name

    @property
    def scores(self) -> dict[str, Scores]:
        """The scores by task."""
        return {task: run.scores for task, run in self.runs.items()}

    @property
    def intervals(self) -> dict[str, Mapping[str, Interval]]:
        """Their intervals, by task, then by metric."""
        return {task: run.scores.intervals for task, run in self.runs.items()}

    @property
    def examples(self) -> dict[str, int]:
        """The number of examples by task."""
        return {task: run.examples for task, run in self.runs.items()}

    @property
    def folders(self) -> dict[str, Path]:
        """The folders of the runs by task."""
        return {task: run.folder for task, run in self.runs.items()}

    def value(self, column: TaskScore) -> float | None:
        """A score, None where there is none."""
        run = self.runs.get(column.task)
        return None if run is None else run.scores.get(column.metric)


@dataclass(frozen=True, slots=True)
class PaperSystem:
    """A row of a paper's table: the model, its input limit, where it is printed, its scores by task and metric."""

    name: str
    input_tokens: int | None
    source: str
    scores: Mapping[str, Mapping[str, float]]
    mean: float | None = None

    @property
    def label(self) -> str:
        """The model with its input limit."""
        return self.name if self.input_tokens is None else f"{self.name} {self.input_tokens:,}"

    def value(self, column: TaskScore) -> float | None:
        """A score, None where there is none."""
        return self.scores.get(column.task, {}).get(column.metric)


def short_names(tasks: Sequence[str]) -> dict[str, str]:
    """The tasks without their benchmarks, unless two of them would have the same name."""
    short = {task: task.rpartition("/")[2] for task in tasks}
    return short if len({*short.values()}) == len(short) else {task: task for task in tasks}
