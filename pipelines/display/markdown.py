"""Tables as GitHub shows them, with their notes as lists: for a README, an issue, a pull request."""

import re
from collections.abc import Sequence

from pipelines.display.table import Entry, Table, best_marked
from pipelines.display.view import View

# What would start markup, a formula or a cell; underscores inside a word do not.
_MARKUP = re.compile(r"[\\`*<>\[\]|~$&]|(?<![^\W_])_|_(?![^\W_])")


def text(view: View) -> str:
    """The tables one after the other, then the folded ones."""
    details = [_details_element(*block) for block in view.folded_tables()]
    return "\n".join([*map(table_markdown, view.tables()), *details])


def _details_element(title: str, lines: Sequence[str], table: Table) -> str:
    text = "".join(f"- {escaped(line)}\n" for line in lines)
    return f"<details><summary>{title}</summary>\n\n{text}\n{table_markdown(table)}\n</details>\n"


def table_markdown(table: Table) -> str:
    """A table's caption, rows and notes."""
    rules = ["---:" if column.align == "right" else "---" for column in table.columns]
    lines = [
        f"**{escaped(table.caption)}**",
        "",
        _row([column.name for column in table.columns]),
        f"| {' | '.join(rules)} |",
    ]
    lines += [_row(row) for row in table.entries]
    notes = [f"- {escaped(note)}" for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def escaped(value: str) -> str:
    """The text with everything escaped that would start markup."""
    return _MARKUP.sub(r"\\\g<0>", value)


def _row(entries: Sequence[Entry]) -> str:
    return "| " + " | ".join(best_marked(escaped, entry, lambda text: f"**{text}**") for entry in entries) + " |"
