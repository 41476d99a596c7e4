"""The requests of every way, counted before anything is sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.engine.engines import Engine
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.plan import Plan
from pipelines.plugins.versus.condition_cells import RequestedCondition
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.dry_runs.several_runs import several_runs_table


@dataclass(frozen=True, slots=True)
class ConditionsDryRun(View):
    """The counts of each way by its name, with their price where the reader has prices.

    Prices are upper bounds: outputs as long as they may be, and no request shared between ways. `not_run` says why some
    ways cannot be asked.
    """

    task: str
    counts: Mapping[str, DryRun]
    not_run: Mapping[str, str]
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """A row for each way, and their sum."""
        first = next(iter(self.counts.values()), None)
        size = f": {counted(first.examples, 'example')} over {counted(first.documents, 'document')}" if first else ""
        notes = [*self.notes, *(f"not run: {name}: {reason}" for name, reason in self.not_run.items())]
        return [several_runs_table(f"{self.task}{size} (dry run)", "way", self.counts, notes)]


def count_conditions(
    task: str,
    conditions: Sequence[RequestedCondition],
    make: Callable[[Mapping[str, Any]], Plan],
    notes: Sequence[str],
    engine: Engine,
) -> ConditionsDryRun:
    """The counts of the ways that can be asked. Raises `UserError` where none can be."""
    counts: dict[str, DryRun] = {}
    not_run: dict[str, str] = {}
    for condition in conditions:
        try:
            counts[condition.name] = count_dry_run(make(condition.arguments), engine)
        except UserError as error:
            not_run[condition.name] = str(error)
    if not counts and not_run:
        raise UserError(f"none of the ways can run; the first: {next(iter(not_run.values()))}")
    return ConditionsDryRun(task, counts, not_run, tuple(notes))
