"""An overview of runs of several tasks: the scores of systems on tasks, and the papers' scores beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from longdoc.plain_values import Record, plain_value
from pipelines.display.table import html
from pipelines.display.table import plain_text as as_text
from pipelines.results import frames
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import Interval

NOT_COMPARABLE = "published, not comparable: "  # how the note on such scores begins


@dataclass(frozen=True, slots=True)
class Column:
    """One score of one task."""

    task: str
    metric: str


@dataclass(frozen=True, slots=True)
class System(Record):
    """Runs of one recipe by task.

    `mean` is the benchmark's score, None where a task is missing or the benchmark has none. `remarks` say by task what
    to know of a run: that it is of a part of the split, that examples failed.
    """

    name: str
    runs: Mapping[str, Run]
    remarks: Mapping[str, str] = field(default_factory=dict)
    mean: float | None = None

    KEYS: ClassVar[Sequence[str]] = ("name", "scores", "intervals", "examples", "folders", "remarks", "mean")

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

    def value(self, column: Column) -> float | None:
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

    def value(self, column: Column) -> float | None:
        """A score, None where there is none."""
        return self.scores.get(column.task, {}).get(column.metric)


@dataclass(frozen=True, slots=True)
class Overview(Record):
    """`published` are the papers' scores that are comparable with the runs, `not_comparable` those that are not.

    `reasons` say why not, with the tasks. `mean` is what the last column is called, empty where there is no mean.
    `missing` are tasks without any run. Scores are 0–100.
    """

    title: str
    columns: Sequence[Column]
    systems: Sequence[System]
    mean: str = ""
    missing: Sequence[str] = ()
    published: Sequence[PaperSystem] = ()
    not_comparable: Sequence[PaperSystem] = ()
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()

    @property
    def tasks(self) -> list[str]:
        """The tasks in the order of the columns."""
        return list(dict.fromkeys(column.task for column in self.columns))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each score: system, task, metric, score, its interval, examples, folder; published ones as well."""
        entries = []
        for column in self.columns:
            for system in self.systems:
                if (value := system.value(column)) is not None:
                    entries.append(_row(system, column, value))
            for paper in self.published:
                if (value := paper.value(column)) is not None:
                    empty = dict.fromkeys(("low", "high", "examples", "folder", "remark"))
                    entries.append(_named_values(paper.label, column, value) | empty | {"source": paper.source})
        return entries

    def to_frame(self) -> Any:
        """A pandas data frame of `rows`."""
        return frames.rows_frame(self.rows())

    def __str__(self) -> str:
        """The tables as plain text."""
        from pipelines.results.overviews.overview_tables import tables

        return "\n".join(as_text(table) for table in tables(self))

    def _repr_html_(self) -> str:
        """The tables, for notebooks."""
        from pipelines.results.overviews.overview_tables import tables

        return "\n".join(html(table) for table in tables(self))


def _named_values(system: str, column: Column, value: float) -> dict[str, Any]:
    return {"system": system, "task": column.task, "metric": column.metric, "score": value}


def _row(system: System, column: Column, value: float) -> dict[str, Any]:
    bounds = system.intervals.get(column.task, {}).get(column.metric)
    return _named_values(system.name, column, value) | {
        "low": bounds and bounds.low,
        "high": bounds and bounds.high,
        "examples": system.examples.get(column.task),
        "folder": plain_value(system.folders.get(column.task)),
        "remark": system.remarks.get(column.task),
        "source": None,
    }


def short_names(tasks: Sequence[str]) -> dict[str, str]:
    """The tasks without their benchmarks, where that tells them apart."""
    bare_values = {task: task.rpartition("/")[2] for task in tasks}
    return bare_values if len({*bare_values.values()}) == len(bare_values) else {task: task for task in tasks}
