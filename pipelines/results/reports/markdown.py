"""A report as a GitHub table, with its notes as a list: for a README, an issue, a pull request."""

import re
from collections.abc import Sequence

from pipelines.display.table import Entry, Table, best_marked
from pipelines.results.reports._table import table
from pipelines.results.reports.content import Content

# What would start markup, a formula or a cell; underscores inside a word do not.
_MARKUP = re.compile(r"[\\`*<>\[\]|~$&]|(?<![^\W_])_|_(?![^\W_])")


def text(content: Content, scores: Sequence[str] | None = None) -> str:
    """Caption, table and notes; the best score of a column is bold. `scores` names those to show."""
    return table_markdown(table(content, scores))


def table_markdown(table: Table) -> str:
    """A table's caption, rows and notes."""
    rules = ["---:" if column in table.right else "---" for column in range(len(table.columns))]
    lines = [f"**{escaped(table.caption)}**", "", _row(table.columns), f"| {' | '.join(rules)} |"]
    lines += [_row(row) for row in table.rows]
    notes = [f"- {escaped(note)}" for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def escaped(value: str) -> str:
    """The text escaped, so that nothing in it starts markup."""
    return _MARKUP.sub(r"\\\g<0>", value)


def _row(entries: Sequence[Entry]) -> str:
    return "| " + " | ".join(best_marked(escaped, entry, lambda text: f"**{text}**") for entry in entries) + " |"
