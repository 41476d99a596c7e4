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
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longdoc import extensions
from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.plain_json import plain_fields
from pipelines import tasks

FILES = extensions.files("published.json")
WARNING = (
    "Comparable are only scores of the same examples, cleaned alike and scored by the same metric: another split, "
    "another cleaning or other settings of a metric make them incomparable."
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
class Published:
    """The published scores of a task or a benchmark. `notes` has remarks on each table."""

    task: str
    rows: Sequence[PublishedRow]
    notes: Mapping[str, str]
    warning: str = WARNING

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        """One line per model for each task and table, then the notes."""
        lines: list[str] = []
        for task in dict.fromkeys(row.task for row in self.rows):
            lines.append(f"{task}: published scores")
            lines += _lines([row for row in self.rows if row.task == task])
        lines += [f"{table}: {note}" for table, note in self.notes.items()]
        return "\n".join([*lines, f"warning: {self.warning}"])


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


def _lines(rows: Sequence[PublishedRow]) -> Iterator[str]:
    """One line per model, its metrics side by side; a heading where table, split or metrics change."""
    systems: dict[tuple[str, str, int | None, str | None], dict[str, float]] = {}
    for row in rows:
        systems.setdefault((row.table, row.model, row.input_tokens, row.split), {})[row.metric] = row.value
    heading: tuple[Any, ...] = ()
    for (table, model, tokens, split), values in systems.items():
        if heading != (table, split, *values):
            heading = (table, split, *values)
            names = " ".join(f"{name:>{_width(name)}}" for name in values)
            source = f"{table}, {split or 'split not stated'}"
            yield f"  {source:<28} {'tokens':>7} {names}"
        scores = " ".join(f"{value:>{_width(name)}}" for name, value in values.items())
        yield f"  {model:<28} {tokens or '':>7} {scores}"


def _width(name: str) -> int:
    return max(len(name), 6)
