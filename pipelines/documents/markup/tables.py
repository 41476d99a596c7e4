"""A table in plain text: a line a row, cells between bars, empty ones too, with a rule below the names of the columns.

So are tables written in Markdown, which models and people read. A cell that goes over several columns or rows is
repeated in each of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

COLUMNS = 200  # that a cell may be repeated in
_LINES = re.compile(r"\s*\n\s*")
_INNER_ROW = re.compile(r"\|(.*)\|\Z")
_INNER_RULE = re.compile(r"\|(?: --- \|)+\Z")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d\Z")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, and over how many columns and rows it goes."""

    text: str
    columns: int = 1
    rows: int = 1


def lines(rows: Sequence[Sequence[Cell]], heads: int | None = None) -> list[str]:
    """The lines of a table, `heads` rows of which name the columns; None: this is told by what they hold."""
    grid = _repeated(rows)
    titles = next((number for number, row in enumerate(grid) if len(row) > 1), 0)
    if titles and any(grid[:titles]):
        below = _shown(grid[titles:], None if heads is None else max(heads - titles, 0))
        return [*(text for row in grid[:titles] for text in row if text), *below]
    return _shown(grid, heads)


def _shown(grid: list[list[str]], heads: int | None) -> list[str]:
    """The lines of rows of texts."""
    if max(map(len, grid), default=0) < 2:
        return [row[0] for row in grid if row and row[0]]
    if heads is None:
        heads = int(_is_head(grid))
    if heads and len(grid) > heads:
        grid = [_named(grid[:heads]), *grid[heads:]]
    shown = [f"| {' | '.join(row)} |".replace("|  |", "| |").replace("|  |", "| |") for row in grid if any(row)]
    if heads and len(shown) > 1:
        shown.insert(1, "|" + " --- |" * max(map(len, grid)))
    return shown


def in_line(text: str) -> str:
    """A cell's text on one line; the rows of a table in it behind semicolons, their cells behind commas."""
    rows = [line.strip() for line in text.split("\n")]
    if not any(map(_INNER_ROW.match, rows)):
        return _LINES.sub(" ", text.strip())
    pieces = list[str]()
    for row in rows:
        if (inner := _INNER_ROW.match(row)) and not _INNER_RULE.match(row):
            pieces.append(", ".join(cell.strip() for cell in inner[1].split("|")) + ";")
        elif not inner:
            pieces.append(row)
    return " ".join(filter(None, pieces)).rstrip(";")


def _repeated(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """The texts of each row, those of cells over several columns and rows in each, as far as they are not too much."""
    budget = 10_000 + 4 * sum(len(cell.text) for row in rows for cell in row)
    below: dict[int, tuple[str, int]] = {}  # by column: what goes on from the row above, and in how many more rows
    grid = list[list[str]]()
    for row in rows:
        texts = list[str]()
        if len(row) == 1 and row[0].columns > 1 and not below:  # a title over all columns
            grid.append([row[0].text])
            continue
        for cell in row:
            _go_on(texts, below)
            for number in range(max(1, min(cell.columns, COLUMNS))):
                budget -= len(cell.text) if number else 0
                text = cell.text if budget > 0 else ""
                if cell.rows > 1:
                    below[len(texts)] = (text, cell.rows - 1)
                texts.append(text)
        while any(column >= len(texts) for column in below):
            _go_on(texts, below)
            if any(column >= len(texts) for column in below):
                texts.append("")
        budget -= sum(len(texts[column]) for column in below if column < len(texts))
        if budget <= 0:
            below.clear()
        grid.append(texts)
    return grid


def _go_on(texts: list[str], below: dict[int, tuple[str, int]]) -> None:
    """Add the cells that go on from the row above at this place."""
    while len(texts) in below:
        column = len(texts)
        text, left = below.pop(column)
        texts.append(text)
        if left > 1:
            below[column] = (text, left - 1)


def _named(heads: Sequence[Sequence[str]]) -> list[str]:
    """The names of the columns, of several rows as one."""
    width = max(map(len, heads))
    columns = [[row[number] for row in heads if number < len(row)] for number in range(width)]
    return [" ".join(filter(None, dict.fromkeys(column))) for column in columns]


def _is_head(grid: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: some column has numbers below a name, or none has any number."""
    first, rest = grid[0], [row for row in grid[1:] if any(row)]
    if len(first) < 2 or not rest or not all(first[1:]):
        return False
    for number in range(1, len(first)):
        below = [row[number] for row in rest if number < len(row) and row[number]]
        figures = below and all(any(map(str.isdigit, text)) for text in below)
        is_year = _YEAR.match(first[number]) is not None and not all(map(_YEAR.match, below))
        if figures and (is_year or not any(map(str.isdigit, first[number]))):
            return True
    return len(first) > 2 and not any(any(map(str.isdigit, text)) for row in grid for text in row)
