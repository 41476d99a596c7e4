"""What every way would ask, counted before anything is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from longdoc.plurals import counted
from pipelines.ablations.conditions.condition_cells import RequestedCondition
from pipelines.display.table import Table
from pipelines.display.view import View
from pipelines.engine.engines import Engine
from pipelines.engine.estimate.dry_run import count_dry_run
from pipelines.engine.planning.plan import Plan
from pipelines.results.dry_runs.dry_run import DryRun
from pipelines.results.dry_runs.several_runs import several_runs_table


@dataclass(frozen=True, slots=True)
class ConditionsDryRun(View):
    """The counts of each way by its name, with their price where the reader has prices.

    A price is at most: outputs as long as they may be, and no request shared between ways. `not_run` says why a way
    cannot be asked.
    """

    task: str
    counts: Mapping[str, DryRun]
    not_run: Mapping[str, str]
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """A row for each way, and their sum."""
        first = next(iter(self.counts.values()), None)
        size_text = (
            f": {counted(first.examples, 'example')} over {counted(first.documents, 'document')}" if first else ""
        )
        notes = [*self.notes, *(f"not run: {name}: {reason}" for name, reason in self.not_run.items())]
        return [several_runs_table(f"{self.task}{size_text} (dry run)", "way", self.counts, notes)]


def count_conditions(
    task: str,
    requested_conditions: Sequence[RequestedCondition],
    make: Callable[[Mapping[str, Any]], Plan],
    notes: Sequence[str],
    engine: Engine,
) -> ConditionsDryRun:
    """The counts of the ways that are asked. Raises `UserError` where no way can be."""
    counts: dict[str, DryRun] = {}
    not_run: dict[str, str] = {}
    for condition in requested_conditions:
        try:
            counts[condition.name] = count_dry_run(make(condition.arguments), engine)
        except UserError as error:
            not_run[condition.name] = str(error)
    if not counts and not_run:
        raise UserError(f"no way can be asked; the first: {next(iter(not_run.values()))}")
    return ConditionsDryRun(task, counts, not_run, tuple(notes))
