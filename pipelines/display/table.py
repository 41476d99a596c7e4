"""A table that each format renders in its own way; here as plain text, and as HTML for notebooks."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TypeVar

from pipelines.display import numbers

WIDEST = 60  # characters of a column of plain text


@dataclass(frozen=True, slots=True)
class Score:
    """A score with its interval, which is marked where it is of `few` units.

    `rank` is 1 for the best of its column as printed, 2 for the second best.
    """

    value: float
    low: float | None = None
    high: float | None = None
    rank: int = 0
    few: bool = False

    def __str__(self) -> str:
        bounds = "" if self.low is None or self.high is None else f" {numbers.interval(self.low, self.high, self.few)}"
        return numbers.score(self.value) + bounds


@dataclass(frozen=True, slots=True)
class Delta:
    """A difference from the baseline with its p value."""

    value: float
    p: float

    def __str__(self) -> str:
        return f"{numbers.difference(self.value)} ({numbers.p_value(self.p)})"


T = TypeVar("T")
Entry = str | Score | Delta


@dataclass(frozen=True, slots=True)
class Table:
    """`right` are the right-aligned columns, `spare` those that a narrow window may leave out, the last one first.

    Without names of `columns` there is no head.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    right: frozenset[int] = frozenset()
    spare: frozenset[int] = frozenset()

    def without(self, column: int) -> "Table":
        """The table without one column."""

        def moved(columns: frozenset[int]) -> frozenset[int]:
            return frozenset(number - (number > column) for number in columns if number != column)

        return replace(
            self,
            columns=_less_rows(self.columns, column),
            rows=tuple(_less_rows(row, column) for row in self.rows),
            right=moved(self.right),
            spare=moved(self.spare),
        )


def plain_text(table: Table) -> str:
    """Columns side by side under their names, then the notes."""
    head = [table.columns] if any(table.columns) else []
    grid = [[numbers.shortened(str(entry), WIDEST) for entry in row] for row in (*head, *table.rows)]
    widths = [max(map(width, column)) for column in zip(*grid, strict=True)]
    lines = [
        "  ".join(
            " " * (budget - width(text)) + text if column in table.right else text + " " * (budget - width(text))
            for column, (text, budget) in enumerate(zip(row, widths, strict=True))
        )
        for row in grid
    ]
    return "\n".join([table.caption, *(f"  {line}".rstrip() for line in lines), *(f"  {note}" for note in table.notes)])


def html(table: Table) -> str:
    """A table element, everything escaped, the best scores in bold, the notes below."""

    def row(entries: Sequence[Entry], tag: str) -> str:
        sides = ("right" if column in table.right else "left" for column in range(len(entries)))
        cells = (
            f'<{tag} style="text-align:{side}">{_html(value)}</{tag}>'
            for value, side in zip(entries, sides, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(row(entries, "td") for entries in table.rows)
    lines = [
        '<div class="tex2jax_ignore mathjax_ignore">',  # a notebook takes dollar signs for formulas
        f'<table>\n<caption style="text-align:left">{_escaped(table.caption)}</caption>',
        f"<thead>\n{row(table.columns, 'th')}\n</thead>" if any(table.columns) else "",
        f"<tbody>\n{body}\n</tbody>\n</table>",
        *(f"<small>{_escaped(note)}</small><br>" for note in table.notes),
        "</div>",
    ]
    return "\n".join(lines)


def best_marked(text: Callable[[str], str], entry: Entry, mark: Callable[[str], str]) -> str:
    """An entry as text; where it is its column's best the score is marked, its interval is not."""
    if isinstance(entry, Score) and entry.rank == 1:
        shown_text = numbers.score(entry.value)
        return mark(text(shown_text)) + text(str(entry).removeprefix(shown_text))
    return text(str(entry))


def width(text: str) -> int:
    """How many terminal columns the text takes: two for wide characters, none for combining marks."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int) -> str:
    """The beginning of a text that is too wide for so many terminal columns."""
    if width(text) <= columns:
        return text
    budget = columns - 1
    for place, sign in enumerate(text):
        budget -= width(sign)
        if budget < 0:
            return text[:place].rstrip() + "…"
    return text


def _html(entry: Entry) -> str:
    entry = numbers.line(entry) if isinstance(entry, str) else entry
    return best_marked(escape, entry, lambda text: f"<b>{text}</b>")


def _escaped(text: str) -> str:
    return escape(numbers.line(text))


def _less_rows(items: tuple[T, ...], index: int) -> tuple[T, ...]:
    return items[:index] + items[index + 1 :]
