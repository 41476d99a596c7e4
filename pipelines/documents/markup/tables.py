"""Tables whose cells are texts with headings, in plain text: one line per row, and a rule below the column names.

So are tables written in Markdown, which models and people read. A cell that goes over several columns or rows is
repeated in each of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.documents.markup.writer import Sink

LONG_CELL = 400  # characters: a cell of several paragraphs that has more is no cell of a table of figures
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


@dataclass(slots=True)
class OpenCell:
    """A table cell being written: the columns and rows that it spans, and whether it names them."""

    sink: Sink
    columns: int = 1
    rows: int = 1
    is_head: bool = False
    is_plain: bool = False  # some of its words are not bold
    continues_above: bool = False  # it continues the cell above


@dataclass(slots=True)
class Table:
    """The cells of a table row by row, the first `heads` of which are known to name the columns.

    `is_countdown`: it is a list whose numbers go down, which are known at its end.
    """

    outer: Sink
    is_countdown: bool = False
    rows: list[list[OpenCell]] = field(default_factory=list)
    heads: int = 0
    in_head: bool = False

    @property
    def last_row(self) -> list[OpenCell]:
        """The row that is being read; empty before there is any."""
        return self.rows[-1] if self.rows else []

    def write(self) -> None:
        """Write it to the text around it."""
        rows = [row for row in self.rows if row]
        if self.is_countdown:
            self._write_countdown(rows)
        elif _is_layout(rows):
            for cell in (cell for row in rows for cell in row):
                if text := cell.sink.writer.text:
                    ends = 2 if "\n\n" in text or cell.sink.headings else 1
                    self.outer.writer.block(ends)
                    self.outer.take(cell.sink, text)
                    self.outer.writer.block(ends)
        else:
            self._write_rows(rows)

    def _write_countdown(self, rows: list[list[OpenCell]]) -> None:
        for number, (item,) in zip(range(len(rows), 0, -1), rows, strict=True):
            self.outer.writer.block(1)
            self.outer.writer.words(f"{number}. ")
            self.outer.take(item.sink, item.sink.writer.text)

    def _write_rows(self, rows: list[list[OpenCell]]) -> None:
        names_columns = [_names_columns(row) for row in rows]
        heads = self.heads or next((number for number, are_names in enumerate(names_columns) if not are_names), 0)
        is_known = bool(heads) or any(cell.is_head for row in rows for cell in row)
        cells = [[Cell(in_line(cell.sink.writer.text), cell.columns, cell.rows) for cell in row] for row in rows]
        cells = _with_merged(cells, rows)
        start, first = self.outer.writer.next, -1
        for line in lines(cells, heads if is_known else None):
            self.outer.writer.block(1)
            first = self.outer.writer.next if first < 0 and line.startswith("|") else first
            self.outer.writer.words(line)
        if first >= 0:
            self.outer.tables.append((first, self.outer.writer.length))
        for cell in (cell for row in rows for cell in row):
            for name in cell.sink.anchors:
                self.outer.anchors.setdefault(name, start)


def _names_columns(row: list[OpenCell]) -> bool:
    """Whether a row names the columns: all its cells are header cells or bold."""
    return all(cell.is_head or not cell.is_plain for cell in row) and any(cell.sink.writer.length for cell in row)


def _with_merged(cells: list[list[Cell]], rows: list[list[OpenCell]]) -> list[list[Cell]]:
    """The cells, with the text of the cell above repeated in those that continue it."""
    above: dict[int, str] = {}
    merged: list[list[Cell]] = []
    for row, open_row in zip(cells, rows, strict=True):
        column, merged_row = 0, list[Cell]()
        for cell, open_cell in zip(row, open_row, strict=True):
            text = above.get(column, "") if open_cell.continues_above and not cell.text else cell.text
            above[column] = text
            column += cell.columns
            merged_row.append(Cell(text, cell.columns, cell.rows))
        merged.append(merged_row)
    return merged


def _is_layout(rows: list[list[OpenCell]]) -> bool:
    """Whether a table is used for layout only: one column, headings, or long texts of several paragraphs."""
    if all(len(row) < 2 for row in rows):
        return True
    first, *below = rows
    has_name_row = len(first) > 1 and below and all(cell.sink.headings or not cell.sink.writer.length for cell in first)
    sinks = [cell.sink for row in (below if has_name_row else rows) for cell in row]
    texts = [sink.writer.text for sink in sinks]
    return any(sink.headings for sink in sinks) or any(len(text) > LONG_CELL and "\n\n" in text for text in texts)


def lines(rows: Sequence[Sequence[Cell]], heads: int | None = None) -> list[str]:
    """The lines of a table whose first `heads` rows name the columns; None: decided by their content."""
    grid = _repeated(rows)
    title_count = next((number for number, row in enumerate(grid) if len(row) > 1), 0)
    if title_count and any(grid[:title_count]):
        below = _table_lines(grid[title_count:], None if heads is None else max(heads - title_count, 0))
        return [*(text for row in grid[:title_count] for text in row if text), *below]
    return _table_lines(grid, heads)


def _table_lines(grid: list[list[str]], heads: int | None) -> list[str]:
    """The lines of a table from the texts of its rows."""
    if max(map(len, grid), default=0) < 2:
        return [row[0] for row in grid if row and row[0]]
    if heads is None:
        heads = int(_is_head(grid))
    if heads and len(grid) > heads:
        grid = [_column_names(grid[:heads]), *grid[heads:]]
    table_lines = [f"| {' | '.join(row)} |".replace("|  |", "| |").replace("|  |", "| |") for row in grid if any(row)]
    if heads and len(table_lines) > 1:
        table_lines.insert(1, "|" + " --- |" * max(map(len, grid)))
    return table_lines


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
    """The texts of each row, with cells over several columns and rows repeated, within a budget of characters."""
    budget = 10_000 + 4 * sum(len(cell.text) for row in rows for cell in row)
    continuing: dict[int, tuple[str, int]] = {}  # by column: what goes on from the row above, and in how many more rows
    grid = list[list[str]]()
    for row in rows:
        texts = list[str]()
        if len(row) == 1 and row[0].columns > 1 and not continuing:  # a title over all columns
            grid.append([row[0].text])
            continue
        for cell in row:
            _repeat_from_above(texts, continuing)
            for number in range(max(1, min(cell.columns, COLUMNS))):
                budget -= len(cell.text) if number else 0
                text = cell.text if budget > 0 else ""
                if cell.rows > 1:
                    continuing[len(texts)] = (text, cell.rows - 1)
                texts.append(text)
        while any(column >= len(texts) for column in continuing):
            _repeat_from_above(texts, continuing)
            if any(column >= len(texts) for column in continuing):
                texts.append("")
        budget -= sum(len(texts[column]) for column in continuing if column < len(texts))
        if budget <= 0:
            continuing.clear()
        grid.append(texts)
    return grid


def _repeat_from_above(texts: list[str], continuing: dict[int, tuple[str, int]]) -> None:
    """Add the cells that continue from the row above at this position."""
    while len(texts) in continuing:
        column = len(texts)
        text, rows_left = continuing.pop(column)
        texts.append(text)
        if rows_left > 1:
            continuing[column] = (text, rows_left - 1)


def _column_names(heads: Sequence[Sequence[str]]) -> list[str]:
    """The names of the columns, joined over several rows."""
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
        has_numbers = below and all(any(map(str.isdigit, text)) for text in below)
        is_year = _YEAR.match(first[number]) is not None and not all(map(_YEAR.match, below))
        if has_numbers and (is_year or not any(map(str.isdigit, first[number]))):
            return True
    return len(first) > 2 and not any(any(map(str.isdigit, text)) for row in grid for text in row)
