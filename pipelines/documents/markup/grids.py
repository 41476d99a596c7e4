"""Texts with their headings while they are written, and tables whose cells are such texts."""

from dataclasses import dataclass, field

from pipelines.documents.markup import tables
from pipelines.documents.markup.writer import Writer

LONG_CELL = 400  # characters: a cell of several paragraphs that has more is no cell of a table of figures


@dataclass(slots=True)
class Sink:
    """A text that is being written, with its headings (start, end, level) and the places of its ids."""

    writer: Writer = field(default_factory=Writer)
    headings: list[tuple[int, int, int]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    tables: list[tuple[int, int]] = field(default_factory=list)

    def take(self, other: "Sink", text: str) -> None:
        """Write another's text on lines of its own."""
        start = self.writer.next
        self.writer.words(text, exact=True)
        self.headings += [(start + first, start + last, level) for first, last, level in other.headings]
        self.tables += [(start + first, start + last) for first, last in other.tables]
        for name, place in other.anchors.items():
            self.anchors.setdefault(name, start + place)


@dataclass(slots=True)
class OpenCell:
    """A cell, over how many columns and rows it goes, and whether it names these."""

    sink: Sink
    columns: int = 1
    rows: int = 1
    is_head: bool = False
    is_plain: bool = False  # some of its words are not bold
    above: bool = False  # it goes on from the cell above


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
        named = [_names_columns(row) for row in rows]
        heads = self.heads or next((number for number, is_named in enumerate(named) if not is_named), 0)
        is_known = bool(heads) or any(cell.is_head for row in rows for cell in row)
        cells = _with_merged([[_in_line(cell) for cell in row] for row in rows], rows)
        start, first = self.outer.writer.next, -1
        for line in tables.lines(cells, heads if is_known else None):
            self.outer.writer.block(1)
            first = self.outer.writer.next if first < 0 and line.startswith("|") else first
            self.outer.writer.words(line)
        if first >= 0:
            self.outer.tables.append((first, self.outer.writer.length))
        for cell in (cell for row in rows for cell in row):
            for name in cell.sink.anchors:
                self.outer.anchors.setdefault(name, start)


def _names_columns(row: list[OpenCell]) -> bool:
    """Whether all cells of a row are marked as names, or are bold."""
    return all(cell.is_head or not cell.is_plain for cell in row) and any(cell.sink.writer.length for cell in row)


def _in_line(cell: OpenCell) -> tables.Cell:
    return tables.Cell(tables.in_line(cell.sink.writer.text), cell.columns, cell.rows)


def _with_merged(cells: list[list[tables.Cell]], rows: list[list[OpenCell]]) -> list[list[tables.Cell]]:
    """The cells, with the text of the one above in those that go on from it."""
    above: dict[int, str] = {}
    merged: list[list[tables.Cell]] = []
    for row, opened in zip(cells, rows, strict=True):
        column, here = 0, list[tables.Cell]()
        for cell, own in zip(row, opened, strict=True):
            text = above.get(column, "") if own.above and not cell.text else cell.text
            above[column] = text
            column += cell.columns
            here.append(tables.Cell(text, cell.columns, cell.rows))
        merged.append(here)
    return merged


def _is_layout(rows: list[list[OpenCell]]) -> bool:
    """Whether a table only places what is in it: one column, headings, or long texts of several paragraphs."""
    if all(len(row) < 2 for row in rows):
        return True
    first, *below = rows
    names = len(first) > 1 and below and all(cell.sink.headings or not cell.sink.writer.length for cell in first)
    sinks = [cell.sink for row in (below if names else rows) for cell in row]
    texts = [sink.writer.text for sink in sinks]
    return any(sink.headings for sink in sinks) or any(len(text) > LONG_CELL and "\n\n" in text for text in texts)
