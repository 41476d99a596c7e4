"""The results of `run_tasks` and of its dry run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from longdoc.messages import counted
from pipelines.display.numbers import duration
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.dry_runs.several_runs import several_runs_table
from pipelines.results.overviews.overview import Overview
from pipelines.results.result import Result


@dataclass(frozen=True, slots=True)
class TaskResults(View):
    """The runs of several tasks: `results` by task, and an `overview` of their scores.

    `not_run` says by task why it could not start, `failed` why a run that started has no result. The same call retries
    both.
    """

    tasks: str
    results: Mapping[str, Result]
    overview: Overview
    not_run: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    KEYS: ClassVar[Sequence[str]] = ("tasks", "not_run", "failed", "seconds", "results", "overview")

    def __getitem__(self, task: str) -> Result:
        """The result of a task."""
        return self.results[task]

    @property
    def complete(self) -> bool:
        """Whether every task has a result, and every example a prediction."""
        return not (self.not_run or self.failed or any(result.failures for result in self.results.values()))

    @property
    def folders(self) -> list[Path]:
        """The runs' folders."""
        return [result.folder for result in self.results.values()]

    def signatures(self) -> list[str]:
        """A line for each score of the overview with its signature."""
        scores = [(column.task, column.metric) for column in self.overview.columns if column.task in self.results]
        pairs = [(task, metric, self.results[task].scores.signatures.get(metric)) for task, metric in scores]
        return [f"{task} {metric}: {signature}" for task, metric, signature in pairs if signature]

    def tables(self) -> Sequence[Table]:
        """The tables of the overview."""
        return self.overview.tables() if self.results else ()

    def lines_below(self) -> list[str]:
        """Lines on tasks that did not run or failed, and on where the runs are."""
        lines = [f"not run: {', '.join(self.not_run)} (for the reasons above)"] if self.not_run else []
        lines += [f"failed: {task}: {reason}" for task, reason in self.failed.items()]
        failures = {task: len(result.failures) for task, result in self.results.items() if result.failures}
        lines += [f"{task}: {counted(count, 'example')} failed" for task, count in failures.items()]
        return [*lines, *(f"{task}: in {result.folder}" for task, result in self.results.items())]


@dataclass(frozen=True, slots=True)
class TaskDryRuns(View):
    """The dry runs of several tasks, and why other tasks cannot run."""

    tasks: str
    counts: Mapping[str, DryRun]
    not_run: Mapping[str, str] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        """The table of the counts, with notes on tasks that cannot run."""
        examples = counted(sum(count.examples for count in self.counts.values()), "example")
        pairs = [f"{task}: {dry_run.pairs}" for task, dry_run in self.counts.items() if dry_run.pairs]
        pilots = [
            f"{task}: reader's time {duration(dry_run.pilot.seconds)}"
            for task, dry_run in self.counts.items()
            if dry_run.pilot
        ]
        refusals = [f"not run: {task}: {reason}" for task, reason in self.not_run.items()]
        caption = f"{self.tasks}: {counted(len(self.counts), 'task')}, {examples} (dry run)"
        return [several_runs_table(caption, "task", self.counts, [*pairs, *pilots, *refusals])]
