"""An overview of runs of several tasks: the scores of systems on tasks, and the papers' scores beside them.

It has a row for each system, or, for a single one and for many columns, a row for each score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from longdoc.plain_json import plain_value
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Entry, Table
from pipelines.display.view import NOT_COMPARABLE, RowsView
from pipelines.results.overviews.system import PaperSystem, System, TaskScore, short_names
from pipelines.statistics.intervals import Interval

WIDE_LETTERS = 100  # letters in the heads of columns of scores beyond which each score is a row
BESIDE = 4  # published systems that have a column each where scores are rows
MEAN = -1  # in place of a score's position: the row of means


@dataclass(frozen=True, slots=True)
class Overview(RowsView):
    """The scores of systems on tasks, 0–100, and the papers' scores: `published` if comparable, or `not_comparable`.

    `reasons` say why not, with the tasks. `mean` is the heading of the column of means, empty without means. `missing`
    are tasks without any run.
    """

    title: str
    columns: Sequence[TaskScore]
    systems: Sequence[System]
    mean: str = ""
    missing: Sequence[str] = ()
    published: Sequence[PaperSystem] = ()
    not_comparable: Sequence[PaperSystem] = ()
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()

    PAGE: ClassVar[str] = "pipelines.results.overviews.page:page"

    @property
    def tasks(self) -> list[str]:
        """The tasks in the order of the columns."""
        return list(dict.fromkeys(column.task for column in self.columns))

    def flat_rows(self) -> list[dict[str, Any]]:
        """A row for each score: system, task, metric, score, its interval, examples, folder; published ones as well."""
        rows = []
        for column in self.columns:
            for system in self.systems:
                if (value := system.value(column)) is not None:
                    rows.append(_row(system, column, value))
            for paper in self.published:
                if (value := paper.value(column)) is not None:
                    missing_fields = dict.fromkeys(("low", "high", "examples", "folder", "remark"))
                    rows.append(_score_fields(paper.label, column, value) | missing_fields | {"source": paper.source})
        return rows

    def tables(self) -> list[Table]:
        """The table of scores with its notes."""
        if self.scores_are_rows:
            return [self._by_score()]
        return [self._by_system(self.systems, self.published, tuple(self._notes()))]

    @property
    def scores_are_rows(self) -> bool:
        """Whether each score is a row: for a single system with few published ones, and if there are many scores."""
        single = len(self.systems) <= 1 and len(self.published) <= BESIDE
        return single or self.is_wide

    @property
    def is_wide(self) -> bool:
        """Whether the columns' headings would be too wide for a page."""
        return sum(map(len, self.heads)) > WIDE_LETTERS

    @property
    def heads(self) -> list[str]:
        """Short headings of the columns: the task without its benchmark, with the metric if it has several columns."""
        tasks = [column.task for column in self.columns]
        short = short_names(tasks)
        return [
            f"{short[column.task]} {column.metric}" if tasks.count(column.task) > 1 else short[column.task]
            for column in self.columns
        ]

    def folded_tables(self) -> list[tuple[str, Sequence[str], Table]]:
        """The published scores that are not comparable, and why."""
        if not self.not_comparable:
            return []
        title = "published scores that are not comparable with these runs"
        papers = self.not_comparable
        table = self._papers_by_score(papers, title) if self.is_wide else self._by_system((), papers, (), title)
        return [("Published, not comparable", self.not_comparable_reasons(), table)]

    def latex_caption(self, table: Table) -> str:
        """The caption for a paper: `Scores on scrolls, validation.`"""
        return f"Scores on {table.caption}."

    def not_comparable_reasons(self) -> list[str]:
        """Why published scores are not comparable, with their tasks."""
        short = short_names(self.tasks)
        lines = []
        for reason, tasks in self.reasons.items():
            names = ["all tasks"] if len(tasks) == len(self.tasks) > 1 else [short[task] for task in tasks]
            lines.append(f"{reason}: {', '.join(names)}")
        return lines

    def _by_system(
        self, systems: Sequence[System], papers: Sequence[PaperSystem], notes: tuple[str, ...], title: str = ""
    ) -> Table:
        columns = [Column("system", lambda system: numbers.line(system.label))]
        columns += [
            Column(name, partial(self._entry, column, False, self.best_systems(column, systems)), "right")
            for name, column in zip(self.heads, self.columns, strict=True)
        ]
        columns += [Column(self.mean, lambda system: numbers.score(system.mean), "right")] if self.mean else []
        return Table(self._caption(title), tuple(columns), (*systems, *papers), notes)

    def _by_score(self) -> Table:
        """The table with a row for each score: examples, systems with intervals, papers."""
        scores = [column for column in self.columns if column.task not in self.missing]
        single = len(self.systems) == 1
        columns = [*self._score_names(scores), Column("examples", partial(self._examples, scores), "right", True)]
        systems: list[System | PaperSystem] = [*self.systems, *self.published]
        for system in systems:
            name = "score" if single and isinstance(system, System) else numbers.line(system.label)
            columns.append(Column(name, partial(self._score_entry, scores, system), "right"))
        positions = [*range(len(scores)), *([MEAN] if self.mean else [])]
        caption = self._caption(self.systems[0].name if single else "")
        return Table(caption, tuple(columns), positions, tuple(self._notes()))

    def _papers_by_score(self, papers: Sequence[PaperSystem], title: str) -> Table:
        scores = [column for column in self.columns if any(paper.value(column) is not None for paper in papers)]
        columns = self._score_names(scores)
        columns += [Column(paper.label, partial(self._score_entry, scores, paper), "right") for paper in papers]
        return Table(self._caption(title), tuple(columns), range(len(scores)))

    def _score_names(self, scores: Sequence[TaskScore]) -> list[Column]:
        """The columns that name the score of a row: task (unless it is that of the row above) and metric."""
        return [
            Column("task", partial(self._task_name, scores)),
            Column("metric", lambda position: "" if position == MEAN else scores[position].metric),
        ]

    def _task_name(self, scores: Sequence[TaskScore], position: int) -> str:
        if position == MEAN:
            return self.mean
        task = scores[position].task
        return "" if position and scores[position - 1].task == task else short_names(self.tasks)[task]

    def _examples(self, scores: Sequence[TaskScore], position: int) -> str:
        """The number of a task's examples, in its first row; empty if systems differ."""
        if position == MEAN or not self._task_name(scores, position):
            return ""
        task = scores[position].task
        counts = {system.runs[task].examples for system in self.systems if task in system.runs}
        return numbers.count(counts.pop()) if len(counts) == 1 else ""

    def _score_entry(self, scores: Sequence[TaskScore], system: System | PaperSystem, position: int) -> Entry:
        if position == MEAN:
            return numbers.score(system.mean)
        return self._entry(scores[position], True, self.best_systems(scores[position], self.systems), system)

    def _entry(self, column: TaskScore, has_bounds: bool, best: set[str], system: System | PaperSystem) -> Entry:
        if isinstance(system, PaperSystem):
            return numbers.score(system.value(column))
        run = system.runs.get(column.task)
        entry = run and run.scores.entry(column.metric, int(system.name in best), has_bounds)
        return entry or numbers.MISSING

    def best_systems(self, column: TaskScore, systems: Sequence[System]) -> set[str]:
        """The systems with the best printed score of a column; none if fewer than two are comparable."""
        values = {system.name: round(value, 2) for system in systems if (value := system.value(column)) is not None}
        examples = {system.runs[column.task].examples for system in systems if system.name in values}
        if len(values) < 2 or len(examples) > 1 or len({*values.values()}) == 1:
            return set()
        return {name for name, value in values.items() if value == max(values.values())}

    def _caption(self, title: str) -> str:
        return f"{self.title}: {title}" if title else self.title

    def intervals(self) -> list[Interval]:
        """The intervals of all scores."""
        return [
            interval
            for system in self.systems
            for intervals in system.intervals.values()
            for interval in intervals.values()
        ]

    def _notes(self) -> list[str]:
        """Notes on the scores, on what is missing, and on published scores that are not comparable."""
        lines = interval_notes.method_notes(self.intervals()) if self.scores_are_rows else [f"scores: {self.metrics()}"]
        sources = dict.fromkeys(paper.source for paper in self.published)
        lines += [f"published: {'; '.join(sources)}"] if sources else []
        lines += self.notes
        lines += [f"{NOT_COMPARABLE}{line}" for line in self.not_comparable_reasons()]
        return [numbers.line(line) for line in (*lines, *(f"warning: {warning}" for warning in self.warnings))]

    def metrics(self) -> str:
        """The metrics with the tasks that they score."""
        groups: dict[str, list[str]] = {}
        for column in self.columns:
            groups.setdefault(column.metric, []).append(column.task.rpartition("/")[2])
        return "; ".join(f"{metric} ({', '.join(names)})" for metric, names in groups.items())


def _score_fields(system: str, column: TaskScore, value: float) -> dict[str, Any]:
    return {"system": system, "task": column.task, "metric": column.metric, "score": value}


def _row(system: System, column: TaskScore, value: float) -> dict[str, Any]:
    bounds = system.intervals.get(column.task, {}).get(column.metric)
    return _score_fields(system.name, column, value) | {
        "low": bounds and bounds.low,
        "high": bounds and bounds.high,
        "examples": system.examples.get(column.task),
        "folder": plain_value(system.folders.get(column.task)),
        "remark": system.remarks.get(column.task),
        "source": None,
    }
