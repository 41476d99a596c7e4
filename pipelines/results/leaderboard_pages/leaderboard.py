"""What is on a disk: scored files of predictions and runs, as tables of systems and tasks, one a benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from longdoc.plain_values import Record, plain_fields
from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Column, Entry, Table
from pipelines.display.view import View
from pipelines.records import Prediction
from pipelines.results.curves.curve_set import CurveSet
from pipelines.results.scores import Scores

Kind = Literal["predictions", "run"]
RECORD = "leaderboard.json"  # in the folder of the pages


@dataclass(frozen=True, slots=True)
class ScoredSystem(Record):
    """A system's scores on a task: of a file of predictions, or of a run.

    - `part`: the length that the file's name gives ("8k"); empty without one.
    - `examples` were scored, of `expected` (None: not known); `refusals` have no answer.
    - `predictions` and `values`, the leading score of each, None where it does not count: of files alone, since a run's
      are on its own page.
    - `page`: where the examples are, seen from the leaderboard's page; empty where no page has them.
    """

    system: str
    task: str
    kind: Kind
    path: str
    scores: Scores
    examples: int
    expected: int | None = None
    refusals: int = 0
    cost: float | None = None
    part: str = ""
    warnings: Sequence[str] = ()
    predictions: Sequence[Prediction] = field(default=(), repr=False)
    values: Sequence[float | None] = field(default=(), repr=False)
    page: str = ""

    KEYS: ClassVar[Sequence[str]] = (
        "system", "task", "part", "kind", "path", "scores", "scores.intervals", "scores.no_interval", "examples",
        "expected", "refusals", "cost", "warnings", "page",
    )  # fmt: skip

    @property
    def benchmark(self) -> str:
        """The benchmark that the task is of."""
        return self.task.partition("/")[0]

    @property
    def column(self) -> str:
        """The task within its benchmark, and the part."""
        return " ".join(filter(None, (self.task.partition("/")[2], self.part)))

    @property
    def score(self) -> str:
        """The name of the leading score; empty where there is none."""
        return next(iter(self.scores), "")

    @property
    def coverage(self) -> str:
        """How many examples were scored, of how many, and how many were refused."""
        expected_text = "" if self.expected is None else f"/{self.expected:,}"
        return f"{self.examples:,}{expected_text}" + (f", {self.refusals:,} refused" if self.refusals else "")


@dataclass(frozen=True)
class BenchmarkTable:
    """The systems of one benchmark: rows by name, columns by task and part, each with one score."""

    name: str
    systems: Sequence[ScoredSystem]

    @cached_property
    def columns(self) -> dict[str, str]:
        """By the column's name the score in it."""
        ordered = sorted(self.systems, key=lambda system: (system.task, len(system.part), system.part))
        return {system.column: system.score for system in ordered}

    @cached_property
    def rows(self) -> dict[str, dict[str, ScoredSystem]]:
        """By system its scores by column."""
        rows: dict[str, dict[str, ScoredSystem]] = {}
        for system in self.systems:
            rows.setdefault(system.system, {})[system.column] = system
        return rows

    def heading(self, column: str) -> str:
        """The column's heading: the task and the score."""
        return " ".join(filter(None, (column, self.columns[column])))

    def coverage(self, name: str) -> str:
        """The examples of a system over all columns."""
        row = self.rows[name].values()
        expected = [system.expected for system in row if system.expected is not None]
        expected_text = f"/{sum(expected):,}" if len(expected) == len(row) else ""
        refusals = sum(system.refusals for system in row)
        examples = sum(system.examples for system in row)
        return f"{examples:,}{expected_text}" + (f", {refusals:,} refused" if refusals else "")

    def table(self) -> Table:
        """The table as text shows it."""
        columns = [Column("system", lambda name: name)]
        for number, column in enumerate(self.columns):
            columns.append(Column(self.heading(column), partial(self._entry, column), "right", optional=number > 1))
        columns.append(Column("examples", self.coverage, "right"))
        return Table(self.name, tuple(columns), list(self.rows))

    def _entry(self, column: str, name: str) -> Entry:
        system = self.rows[name].get(column)
        return (None if system is None else system.scores.entry(self.columns[column])) or numbers.MISSING


@dataclass(frozen=True, slots=True)
class Leaderboard(View):
    """All systems below some folders; `unread` are files in a benchmark's layout that were not scored, with why.

    `curves` are those of files of several lengths. `folder` is where the pages are, None where none were written.
    """

    systems: Sequence[ScoredSystem]
    curves: Sequence[CurveSet] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None

    def benchmarks(self) -> list[BenchmarkTable]:
        """The systems by benchmark."""
        names = sorted({system.benchmark for system in self.systems})
        return [BenchmarkTable(name, [s for s in self.systems if s.benchmark == name]) for name in names]

    def to_dict(self) -> dict[str, Any]:
        """All fields, plain."""
        return plain_fields(self)

    def flat_rows(self) -> list[dict[str, Any]]:
        """A mapping for each score of each system."""
        return [
            {"system": system.system, "task": system.task, "part": system.part, "score": name, "value": value,
             "examples": system.examples, "expected": system.expected, "refusals": system.refusals, "path": system.path}
            for system in self.systems for name, value in system.scores.items()
        ]  # fmt: skip

    def tables(self) -> list[Table]:
        """A table for each benchmark."""
        return [benchmark.table() for benchmark in self.benchmarks()]

    def lines_below(self) -> list[str]:
        """How the intervals were made, what was not scored, and where the pages are."""
        intervals = [bounds for system in self.systems for bounds in system.scores.intervals.values()]
        lines = list(dict.fromkeys(interval_notes.method_notes(intervals)))
        lines += [f"not scored: {path}: {reason}" for path, reason in self.unread.items()]
        counts = [counted(len(self.systems), "row of scores", "rows of scores")]
        return [*lines, *counts, *([] if self.folder is None else [f"in {self.folder}"])]
