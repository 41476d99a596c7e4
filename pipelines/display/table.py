"""A table that each format renders in its own way; here as plain text, and as HTML for notebooks."""

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from html import escape
from operator import itemgetter
from typing import Any, Literal

from pipelines.display import numbers
from pipelines.statistics.intervals import Difference, Interval

NO_FORMULAS = "tex2jax_ignore mathjax_ignore"  # classes: a notebook takes dollar signs for formulas
WIDEST = 60  # characters of a column of plain text, unless it is `whole` or the last one


@dataclass(frozen=True, slots=True)
class Score:
    """A score with its interval; `few` marks one of few units.

    `rank` is 1 for the best of its column as printed, 2 for the second best.
    """

    value: float
    low: float | None = None
    high: float | None = None
    rank: int = 0
    few: bool = False

    @classmethod
    def of(cls, value: float, interval: Interval | None, rank: int = 0) -> "Score":
        """A score with its interval, if it has one."""
        if interval is None:
            return cls(value, rank=rank)
        return cls(value, interval.low, interval.high, rank, interval.few)

    def __str__(self) -> str:
        bounds = "" if self.low is None or self.high is None else f" {numbers.interval(self.low, self.high, self.few)}"
        return numbers.score(self.value) + bounds


@dataclass(frozen=True, slots=True)
class Delta:
    """A difference from the baseline with its p value, which is left out if it has a column of its own."""

    value: float
    p: float
    shows_p: bool = True

    @classmethod
    def of(cls, difference: Difference, shows_p: bool = True) -> "Delta":
        """A difference with its p value, corrected by Holm's method if it was."""
        return cls(difference.value, difference.p if difference.p_holm is None else difference.p_holm, shows_p)

    def __str__(self) -> str:
        return numbers.difference(self.value) + (f" ({numbers.p_value(self.p)})" if self.shows_p else "")


Entry = str | Score | Delta
Align = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, and its cell of a row. Narrow windows leave optional columns out.

    `whole` text is never shortened, such as ids and paths, which users copy.
    """

    name: str
    cell: Callable[[Any], Entry]
    align: Align = "left"
    optional: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", one_line(self.name))


@dataclass(frozen=True, slots=True)
class Table:
    """A table as columns over rows of any kind, which each format renders in its own way.

    A table without rows, or whose columns have no names, has no head. All texts are printable lines.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[Any]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "caption", one_line(self.caption))
        object.__setattr__(self, "notes", tuple(map(one_line, self.notes)))

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of the columns; empty if none has one, or there are no rows."""
        names = tuple(column.name for column in self.columns)
        return names if any(names) and self.rows else ()

    @property
    def entries(self) -> list[tuple[Entry, ...]]:
        """The cells, row by row."""
        return [tuple(_printable(column.cell(row)) for column in self.columns) for row in self.rows]


def _printable(entry: Entry) -> Entry:
    return one_line(entry) if isinstance(entry, str) else entry


def one_line(text: str) -> str:
    """The text; one with line ends, tabs or control characters as a printable line."""
    return text if text.isprintable() else numbers.line(text)


def numbered_columns(
    names: Sequence[str], right: Collection[int] = (), optional: Collection[int] = (), whole: Collection[int] = ()
) -> list[Column]:
    """The columns of rows that are tuples of entries; `right`, `optional` and `whole` are numbers of columns."""
    return [
        Column(name, itemgetter(number), "right" if number in right else "left", number in optional, number in whole)
        for number, name in enumerate(names)
    ]


def plain_text(table: Table) -> str:
    """Columns side by side under their names, then the notes."""
    rows = [*([table.heads] if table.heads else []), *table.entries]
    limits = [sys.maxsize if column.whole else WIDEST for column in table.columns[:-1]] + [sys.maxsize]
    grid = [list(map(numbers.shortened, map(str, row), limits)) for row in rows]
    widths = [max(map(width, column)) for column in zip(*grid, strict=True)]
    lines = ["  ".join(map(_padded, row, widths, table.columns)) for row in grid]
    return "\n".join([table.caption, *(f"  {line}".rstrip() for line in lines), *(f"  {note}" for note in table.notes)])


def _padded(text: str, columns: int, column: Column) -> str:
    blanks = " " * (columns - width(text))
    return blanks + text if column.align == "right" else text + blanks


def html(table: Table) -> str:
    """A table element, everything escaped, the best scores in bold, the notes below."""

    def row(entries: Sequence[Entry], tag: str) -> str:
        texts = [best_marked(escape, entry, lambda text: f"<b>{text}</b>") for entry in entries]
        cells = (
            f'<{tag} style="text-align:{column.align}">{text}</{tag}>'
            for column, text in zip(table.columns, texts, strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    body = "\n".join(row(entries, "td") for entries in table.entries)
    lines = [
        f'<div class="{NO_FORMULAS}">',
        f'<table>\n<caption style="text-align:left">{escape(table.caption)}</caption>',
        f"<thead>\n{row(table.heads, 'th')}\n</thead>" if table.heads else "",
        f"<tbody>\n{body}\n</tbody>\n</table>",
        *(f"<small>{escape(note)}</small><br>" for note in table.notes),
        "</div>",
    ]
    return "\n".join(lines)


def best_marked(text: Callable[[str], str], entry: Entry, mark: Callable[[str], str]) -> str:
    """An entry as text, in which the score (not its interval) is marked if it is the column's best."""
    if isinstance(entry, Score) and entry.rank == 1:
        score = numbers.score(entry.value)
        return mark(text(score)) + text(str(entry).removeprefix(score))
    return text(str(entry))


def width(text: str) -> int:
    """The number of terminal columns of a text: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, columns: int) -> str:
    """The text, cut to so many terminal columns if it is wider."""
    if width(text) <= columns:
        return text
    budget = columns - 1
    for place, sign in enumerate(text):
        budget -= width(sign)
        if budget < 0:
            return text[:place].rstrip() + "…"
    return text
