"""The scores that benchmarks publish as text, as `published.json` in their folders.

MuLD, SCROLLS, ZeroSCROLLS, LongBench, LongBench v2, ∞Bench, LooGLE and L-Eval do, and LongBench Pro and OOLONG as the
figures of their plots. LaRA's tables are pictures, and NoCha's leaderboard is computed in the browser, from every
model's answers.

A file has one entry per table: its columns are `[task, metric]` or `[task, metric, split]`, its rows `[model, input
tokens, one value per column]`, null where the table has none. Tasks and metrics have this project's names; a
benchmark's own score is under the benchmark's name, as `score`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from longdoc import extensions
from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from pipelines import tasks
from pipelines.display.table import Table, numbered_columns
from pipelines.display.view import View

FILES = extensions.files("published.json")
WARNING = (
    "Only scores of the same examples, cleaned alike and scored by the same metric, can be compared. Another split, "
    "another cleaning or other settings of a metric rule that out."
)


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One score, 0–100. `split` is None where the paper does not say; `input_tokens` is the model's input limit."""

    task: str
    model: str
    metric: str
    value: float
    split: str | None
    source: str
    table: str
    input_tokens: int | None


@dataclass(frozen=True, slots=True)
class Published(View):
    """The published scores of a task or a benchmark. `notes` has remarks on each table."""

    task: str
    rows: Sequence[PublishedRow]
    notes: Mapping[str, str]
    warning: str = WARNING

    def tables(self) -> list[Table]:
        """One table for each task and table of a paper; the notes are below the last one."""
        *tables, last = [
            _table(f"{task}: {caption}", rows)
            for task in dict.fromkeys(row.task for row in self.rows)
            for caption, rows in by_table(row for row in self.rows if row.task == task).items()
        ]
        notes = [*(f"{table}: {note}" for table, note in self.notes.items()), f"warning: {self.warning}"]
        return [*tables, replace(last, notes=tuple(notes))]


def by_table(rows: Iterable[PublishedRow]) -> dict[str, list[PublishedRow]]:
    """The rows of each of the papers' tables, by a caption with its split."""
    groups: dict[str, list[PublishedRow]] = {}
    for row in rows:
        caption = f"{row.source}, {row.table} ({row.split or 'split not stated'})"
        groups.setdefault(caption, []).append(row)
    return groups


def by_system(rows: Iterable[PublishedRow]) -> dict[tuple[str, int | None], dict[str, float]]:
    """The scores by metric of each model with an input limit."""
    systems: dict[tuple[str, int | None], dict[str, float]] = {}
    for row in rows:
        systems.setdefault((row.model, row.input_tokens), {})[row.metric] = row.value
    return systems


def decimals(rows: Iterable[PublishedRow]) -> int:
    """The decimal places that a table of the rows needs, at most two."""
    return min(2, max(len(f"{row.value:g}".partition(".")[2]) for row in rows))


@checks_names
def published(task: str) -> Published:
    """The scores that the papers publish for a task, or for all tasks of a benchmark of `FILES`.

    Raises `UserError` for a task without any.
    """
    rows_by_benchmark = {name: _rows(file) for name, file in FILES.items()}
    name = tasks.full_name(task)
    pairs = (
        rows_by_benchmark[name]
        if name in rows_by_benchmark
        else [row for rows in rows_by_benchmark.values() for row in rows if row[0].task == name]
    )
    if not pairs and (tasks.group(name) or tasks.declared(name)):
        raise UserError(f"the papers at hand print no scores for {name}, only for the tasks of {', '.join(FILES)}")
    if not pairs:
        raise unknown("task or benchmark", task, {*tasks.groups(), *tasks.all_tasks()})
    notes = {f"{row.source}, {row.table}": note for row, note in pairs}
    return Published(name, tuple(row for row, _ in pairs), notes)


@cache
def _rows(file: Path) -> tuple[tuple[PublishedRow, str], ...]:
    """The rows of a file, each with its table's note; cached, as each report asks for them."""
    return tuple(_read_rows(json.loads(file.read_text(encoding="utf-8"))))


def _read_rows(content: Mapping[str, Any]) -> Iterator[tuple[PublishedRow, str]]:
    for table in content["tables"]:
        for model, tokens, *values in table["rows"]:
            for (task, metric, *split), value in zip(table["columns"], values, strict=True):
                if value is not None:
                    row_split = split[0] if split else table["split"]
                    row = PublishedRow(task, model, metric, value, row_split, content["source"], table["table"], tokens)
                    yield row, table["note"]


def _table(caption: str, rows: Sequence[PublishedRow]) -> Table:
    """A row for each model; a narrow window shows the first metric at least."""
    names = list(dict.fromkeys(row.metric for row in rows))
    places = max(decimals(rows), 1)
    entries = [
        (
            model,
            f"{tokens:,}" if tokens else "",
            *(f"{scores[name]:.{places}f}" if name in scores else "" for name in names),
        )
        for (model, tokens), scores in by_system(rows).items()
    ]
    right, optional = range(1, len(names) + 2), range(3, len(names) + 2)
    return Table(caption, tuple(numbered_columns(("model", "input tokens", *names), right, optional)), entries)
