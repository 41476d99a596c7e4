"""Tables in a terminal: fitted to its width, coloured if possible. Elsewhere (a pipe, a file) plain text."""

from typing import Any

from pipelines.display import numbers, terminal
from pipelines.display.table import Delta, Entry, Score, Table, plain_text, width
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.comparisons.comparison import Comparison
from pipelines.results.comparisons.comparison_tables import changes, differences

WRAPPED = 12  # characters per line to which texts are wrapped at most where the window is narrow


def show_ablation(ablation: Ablation, console: Any = None) -> None:
    """Print the cells of an ablation, the means over several tasks, and its folder."""
    means = ablation.means_table()
    show(ablation.table(), console, *([] if means else [ablation.location]))
    if means:
        show(means, console, ablation.location)


def show_comparison(comparison: Comparison, console: Any = None) -> None:
    """Print the scores of two runs, then the examples whose score changed most."""
    show(differences(comparison), console)
    if comparison.changed:
        show(changes(comparison), console)


def show(table: Table, console: Any = None, *more_lines: str) -> None:
    """Print a table and lines below it that name folders, on `console` of rich or standard output."""
    screen = console or terminal.console()
    if not screen.is_terminal or screen.is_dumb_terminal:
        lines = [plain_text(table), *(f"  {line}" for line in more_lines)]
        screen.file.write(terminal.visible("\n".join(lines)) + "\n")
        return
    fitted = table
    while fitted.spare and _needed_width(fitted) > screen.width:
        fitted = fitted.without(max(fitted.spare))
    left = [name for name in table.columns if name not in fitted.columns]
    screen.print(_rich_table(fitted))
    narrow = [f"left out, the window is narrow: {', '.join(left)}"] if left else []
    for note in (*table.notes, *narrow):
        screen.print(_text(note, "yellow" if note.startswith(("warning:", "failed:")) else "dim"))
    for line in more_lines:
        screen.print(terminal.unbroken(line, "dim"), crop=False)


def _text(entry: object, style: str = "") -> Any:
    """Text for rich (in a string, brackets would be markup), without characters that control a terminal."""
    from rich.text import Text

    return Text(terminal.visible(str(entry)), style=style)


def _needed_width(table: Table) -> int:
    """The least width of the table: numbers whole, texts wrapped."""
    columns = zip(table.columns, *table.rows, strict=True)
    widths = [max(width(str(entry)) for entry in column) for column in columns]
    return sum(3 + (columns if index in table.right else min(columns, WRAPPED)) for index, columns in enumerate(widths))


def _rich_table(table: Table) -> Any:
    import rich.table
    from rich import box

    made_table = rich.table.Table(
        title=_text(table.caption), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD
    )
    made_table.show_header = any(table.columns)
    for index, name in enumerate(table.columns):
        right = index in table.right
        made_table.add_column(_text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        made_table.add_row(*(_text(entry, _style(entry)) for entry in row))
    return made_table


def _style(entry: Entry) -> str:
    if isinstance(entry, Score):
        return "bold green" if entry.rank == 1 else ""
    if isinstance(entry, Delta):
        return "" if entry.p >= 0.05 else "green" if entry.value > 0 else "red"
    return "red" if entry == "failed" else "dim" if entry in ("baseline", numbers.MISSING) else ""
