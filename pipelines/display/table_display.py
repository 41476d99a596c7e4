"""Tables in a terminal: fitted to its width, coloured if possible. Elsewhere (a pipe, a file) plain text."""

from dataclasses import replace
from typing import Any

from pipelines.display import numbers, terminal
from pipelines.display.table import Delta, Entry, Score, Table, one_line, plain_text, width
from pipelines.display.view import View

WRAPPED = 12  # characters of a line to which texts are wrapped in a narrow window
NARROWEST = 6  # if that is too wide


def show_view(view: View, console: Any = None) -> None:
    """Print a result's tables, and its lines below the last one."""
    screen = console or terminal.console()
    if _is_plain(screen):
        screen.file.write(terminal.visible(str(view)) + "\n")
        return
    *tables, last = view.tables()
    for table in tables:
        show(table, console)
        screen.print()
    show(last, console, *view.lines_below())


def show(table: Table, console: Any = None, *more_lines: str) -> None:
    """Print a table on `console` or standard output, and below it lines that must not be broken, such as paths."""
    screen = console or terminal.console()
    if _is_plain(screen):
        lines = [plain_text(table), *(f"  {one_line(line)}" for line in more_lines)]
        screen.file.write(terminal.visible("\n".join(lines)) + "\n")
        return
    fitted = table
    omitted_columns: list[str] = []
    while _needed_width(fitted) > screen.width and any(column.optional for column in fitted.columns):
        position = max(number for number, column in enumerate(fitted.columns) if column.optional)
        omitted_columns.insert(0, fitted.columns[position].name)
        fitted = replace(fitted, columns=fitted.columns[:position] + fitted.columns[position + 1 :])
    if table.caption:  # a title of the rich table would be as narrow as its columns
        screen.print(_text(table.caption, "bold"))
    if table.rows:
        screen.print(_rich_table(fitted, screen.width), crop=False)
    names = ", ".join(filter(None, omitted_columns))
    narrow = [f"not shown in this narrow window: {names}"] if names else []
    for note in (*table.notes, *narrow):
        screen.print(_text(note, "yellow" if note.startswith(("warning:", "failed:")) else "dim"))
    for line in more_lines:
        screen.print(terminal.unbroken(one_line(line), "dim"), crop=False)


def _is_plain(screen: Any) -> bool:
    return not screen.is_terminal or screen.is_dumb_terminal


def _text(entry: object, style: str = "") -> Any:
    """The entry as rich text, without control characters; in a plain string, rich would read brackets as markup."""
    from rich.text import Text

    return Text(terminal.visible(str(entry)), style=style)


def _needed_width(table: Table, wrapped: int = WRAPPED) -> int:
    """The least width of the table: numbers whole, texts wrapped."""
    needed = 1
    for column, *entries in zip(table.columns, *table.entries, strict=True):
        widest = max(width(text) for text in (column.name, *map(str, entries)))
        needed += 3 + (widest if column.align == "right" else min(widest, wrapped))
    return needed


def _rich_table(table: Table, screen_width: int) -> Any:
    """The table; one that does not fit is wider than the screen, which wraps its lines and loses no number."""
    import rich.table
    from rich import box

    table_width = _needed_width(table) if _needed_width(table, NARROWEST) > screen_width else None
    rich_table = rich.table.Table(box=box.SIMPLE_HEAD, show_header=bool(table.heads), width=table_width)
    for column in table.columns:
        right = column.align == "right"
        rich_table.add_column(_text(column.name), justify=column.align, no_wrap=right, overflow="fold")
    for row in table.entries:
        rich_table.add_row(*(_text(entry, _style(entry)) for entry in row))
    return rich_table


def _style(entry: Entry) -> str:
    if isinstance(entry, Score):
        return "bold green" if entry.rank == 1 else ""
    if isinstance(entry, Delta):
        return "" if entry.p >= 0.05 else "green" if entry.value > 0 else "red"
    return "red" if entry == "failed" else "dim" if entry in ("baseline", numbers.MISSING) else ""
