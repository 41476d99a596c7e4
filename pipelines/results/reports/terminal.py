"""Tables in a terminal: fitted to its width, coloured if possible. Elsewhere (a pipe, a file) plain text."""

from typing import Any

from longdoc.plurals import counted
from pipelines.results.ablations.records import Ablation
from pipelines.results.comparisons.records import Comparison
from pipelines.results.display import numbers, terminal
from pipelines.results.display.table import Delta, Entry, Score, Table, plain, width

CHANGED = 10  # examples of a comparison
WRAPPED = 12  # characters per line to which texts are wrapped at most where the window is narrow
EXCERPT = 48  # characters of an output


def show_ablation(ablation: Ablation, console: Any = None) -> None:
    """Print the cells of an ablation, the means over several tasks, and its folder."""
    means = ablation.means_table()
    show(ablation.table(), console, *([] if means else [ablation.where]))
    if means:
        show(means, console, ablation.where)


def show_comparison(comparison: Comparison, console: Any = None) -> None:
    """Print the scores of two runs, then the examples whose score changed most."""
    show(differences(comparison), console)
    if comparison.changed:
        show(changes(comparison), console)


def differences(comparison: Comparison) -> Table:
    """One row per score: both runs, the difference with interval and p, wins and losses."""
    rows: list[tuple[Entry, ...]] = []
    for name, found in comparison.differences.items():
        p = found.p if found.p_holm is None else found.p_holm
        wins = numbers.MISSING if found.wins is None else f"{found.wins}/{found.losses}/{found.ties}"
        bounds = str(found.interval or numbers.MISSING)
        scores = (
            Score(side[name]) if name in side else numbers.MISSING
            for side in (comparison.scores_a, comparison.scores_b)
        )
        rows.append((name, *scores, Delta(found.value, p), bounds, wins))
    counts = f"{counted(comparison.examples, 'example')} over {counted(comparison.documents, 'document')}"
    notes = [f"a: {comparison.a}: {comparison.recipe_a}", f"b: {comparison.b}: {comparison.recipe_b}"]
    notes += [*comparison.notes(), *(f"warning: {warning}" for warning in comparison.warnings)]
    return Table(
        f"{comparison.task}, {comparison.split}: {counts}",
        ("metric", "a", "b", "b less a", "interval", "won/lost/tied"),
        tuple(rows),
        tuple(numbers.line(note) for note in notes),
        frozenset(range(1, 6)),
        frozenset({5}),
    )


def changes(comparison: Comparison) -> Table:
    """The examples whose score changed most, with both outputs."""
    most = sorted(comparison.changed, key=lambda one: -abs(one.score_after - one.score_before))[:CHANGED]
    rows = tuple(
        (
            numbers.line(one.id),
            Score(one.score_before),
            Score(one.score_after),
            _excerpt(one.before),
            _excerpt(one.after),
        )
        for one in most
    )
    left = len(comparison.changed) - len(most)
    notes = (f"… and {left:,} more",) if left else ()
    title = f"changed by {comparison.primary_metric}"
    return Table(title, ("example", "a", "b", "output of a", "output of b"), rows, notes, frozenset({1, 2}))


def _excerpt(text: str) -> str:
    line = numbers.line(text)
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"


def show(table: Table, console: Any = None, *more: str) -> None:
    """Print a table and lines below it, on `console` of rich or standard output."""
    screen = console or terminal.console()
    if not screen.is_terminal or screen.is_dumb_terminal:
        lines = [plain(table), *(f"  {line}" for line in more)]
        screen.file.write(terminal.visible("\n".join(lines)) + "\n")
        return
    fitted = table
    while fitted.spare and _needed_width(fitted) > screen.width:
        fitted = fitted.without(max(fitted.spare))
    left = [name for name in table.columns if name not in fitted.columns]
    screen.print(_rich_table(fitted))
    narrow = [f"left out, the window is narrow: {', '.join(left)}"] if left else []
    for note in (*table.notes, *narrow, *more):
        screen.print(_text(note, "yellow" if note.startswith(("warning:", "failed:")) else "dim"))


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

    made = rich.table.Table(title=_text(table.caption), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for index, name in enumerate(table.columns):
        right = index in table.right
        made.add_column(_text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        made.add_row(*(_text(entry, _style(entry)) for entry in row))
    return made


def _style(entry: Entry) -> str:
    if isinstance(entry, Score):
        return "bold green" if entry.rank == 1 else ""
    if isinstance(entry, Delta):
        return "" if entry.p >= 0.05 else "green" if entry.value > 0 else "red"
    return "red" if entry == "failed" else "dim" if entry in ("baseline", numbers.MISSING) else ""
