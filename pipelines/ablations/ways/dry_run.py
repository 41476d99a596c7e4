"""What every way would ask, counted before anything is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from longdoc.plain_values import plain_fields
from longdoc.plurals import counted
from pipelines.ablations.ways.asked import AskedWay
from pipelines.engine.active_run import cost_of
from pipelines.engine.dry_run import count_dry_run
from pipelines.engine.engines import Engine
from pipelines.engine.planning.plan import Plan
from pipelines.results.display import numbers
from pipelines.results.display.table import Entry, Table, html
from pipelines.results.display.table import plain as as_text
from pipelines.results.records import DryRun


@dataclass(frozen=True, slots=True)
class WaysDryRun:
    """The counts of each way's first round of requests, by its name, and their price where the reader has prices.

    A price is at most: outputs as long as they may be, and no request shared between ways. `not_run` says why a way
    cannot be asked.
    """

    task: str
    counts: Mapping[str, DryRun]
    prices: Mapping[str, float]
    not_run: Mapping[str, str]
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def table(self) -> Table:
        """A row for each way, and their sum."""
        rows: list[tuple[Entry, ...]] = [(name, *self._cells(name, one)) for name, one in self.counts.items()]
        requests = sum(one.requests for one in self.counts.values())
        tokens = sum(one.prompt_tokens for one in self.counts.values())
        total = [numbers.count(requests), numbers.count(tokens), "", ""]
        rows.append(("in all", *total, *([numbers.money(sum(self.prices.values()))] if self.prices else [])))
        first = next(iter(self.counts.values()), None)
        of = f": {counted(first.examples, 'example')} over {counted(first.documents, 'document')}" if first else ""
        heads = ("way", "requests", "tokens", "cut", "cannot be asked", *(["price at most"] if self.prices else []))
        notes = [*self.notes, *(f"not run: {name}: {reason}" for name, reason in self.not_run.items())]
        notes += dict.fromkeys(f"warning: {line}" for one in self.counts.values() for line in one.warnings)
        return Table(
            f"{self.task}{of} (dry run)",
            heads,
            tuple(rows),
            tuple(numbers.line(note) for note in notes),
            frozenset(range(1, len(heads))),
            frozenset({3, 4}),
        )

    def _cells(self, name: str, one: DryRun) -> list[Entry]:
        counts = [one.requests, one.prompt_tokens, one.truncated["examples"], len(one.failures)]
        return [*map(numbers.count, counts), *([numbers.money(self.prices.get(name))] if self.prices else [])]

    def __str__(self) -> str:
        """The table as plain text."""
        return as_text(self.table())

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())


def count_ways(
    task: str,
    asked: Sequence[AskedWay],
    make: Callable[[Mapping[str, Any]], Plan],
    notes: Sequence[str],
    engine: Engine,
) -> WaysDryRun:
    """The counts of the ways that are asked. Raises `UserError` where no way can be."""
    counts: dict[str, DryRun] = {}
    prices: dict[str, float] = {}
    not_run: dict[str, str] = {}
    for way in asked:
        try:
            plan = make(way.arguments)
            counts[way.name] = found = count_dry_run(plan, engine)
        except UserError as error:
            not_run[way.name] = str(error)
            continue
        price = cost_of(plan.reader, found.prompt_tokens, found.requests * plan.max_new_tokens)
        if price is not None:
            prices[way.name] = price
    if not counts and not_run:
        raise UserError(f"no way can be asked; the first: {next(iter(not_run.values()))}")
    return WaysDryRun(task, counts, prices, not_run, tuple(notes))
