"""Tables for a terminal: as wide as it is, in colour where it has any. Elsewhere (a pipe, a file) plain text."""

from typing import Any

from pipelines.results.ablations.records import Ablation
from pipelines.results.comparisons.records import Comparison
from pipelines.results.display import numbers, terminal
from pipelines.results.display.table import Entry, Gap, Score, Table, plain, width

CHANGED = 10  # examples of a comparison
FOLDED = 12  # characters that a text is folded to where the window is narrow
EXCERPT = 48  # characters of an output


def show_ablation(ablation: Ablation, console: Any = None) -> None:
    """Print the cells of an ablation, and where they lie."""
    show(ablation.table(), console, f"in {ablation.folder}")


def show_comparison(comparison: Comparison, console: Any = None) -> None:
    """Print two runs figure by figure, then the examples whose figure changed most."""
    show(differences(comparison), console)
    if comparison.changed:
        show(changes(comparison), console)


def differences(comparison: Comparison) -> Table:
    """One row a figure: both runs, the difference with interval and p, and what became better and worse."""
    rows: list[tuple[Entry, ...]] = []
    for name, found in comparison.differences.items():
        p = found.p if found.p_holm is None else found.p_holm
        won = numbers.NOTHING if found.wins is None else f"{found.wins}/{found.losses}/{found.ties}"
        edges = found.interval
        bounds = numbers.interval(edges.low, edges.high) if edges else numbers.NOTHING
        scores = (
            Score(side[name]) if name in side else numbers.NOTHING
            for side in (comparison.scores_a, comparison.scores_b)
        )
        rows.append((name, *scores, Gap(found.value, p), bounds, won))
    counts = f"{numbers.count(comparison.examples)} examples over {numbers.count(comparison.documents)} documents"
    notes = [f"a: {comparison.a}: {comparison.recipe_a}", f"b: {comparison.b}: {comparison.recipe_b}"]
    notes += [f"warning: {warning}" for warning in comparison.warnings]
    return Table(
        f"{comparison.task}, {comparison.split}: {counts}",
        ("figure", "a", "b", "b less a", "interval", "won/lost/tied"),
        tuple(rows),
        tuple(numbers.line(note) for note in notes),
        frozenset(range(1, 6)),
        frozenset({5}),
    )


def changes(comparison: Comparison) -> Table:
    """The examples whose figure changed most, with both outputs."""
    most = sorted(comparison.changed, key=lambda one: -abs(one.figure_after - one.figure_before))[:CHANGED]
    rows = tuple(
        (
            numbers.line(one.id),
            Score(one.figure_before),
            Score(one.figure_after),
            _excerpt(one.before),
            _excerpt(one.after),
        )
        for one in most
    )
    left = len(comparison.changed) - len(most)
    notes = (f"… and {left:,} more",) if left else ()
    title = f"changed by {comparison.by_metric}"
    return Table(title, ("example", "a", "b", "output of a", "output of b"), rows, notes, frozenset({1, 2}))


def _excerpt(text: str) -> str:
    line = numbers.line(text)
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1].rstrip() + "…"


def show(shown: Table, console: Any = None, *more: str) -> None:
    """Print a table and lines below it, on `console` of rich or standard output."""
    screen = console or terminal.console()
    if not screen.is_terminal or screen.is_dumb_terminal:
        lines = [plain(shown), *(f"  {line}" for line in more)]
        screen.file.write(terminal.visible("\n".join(lines)) + "\n")
        return
    kept = shown
    while kept.spare and _needed(kept) > screen.width:
        kept = kept.without(max(kept.spare))
    left = [name for name in shown.columns if name not in kept.columns]
    screen.print(_drawn(kept))
    narrow = [f"left out, the window is narrow: {', '.join(left)}"] if left else []
    for note in (*shown.notes, *narrow, *more):
        screen.print(_text(note, "yellow" if note.startswith(("warning:", "failed:")) else "dim"))


def _text(entry: object, style: str = "") -> Any:
    """Text of rich (in a string, brackets would be markup), with nothing in it that commands a terminal."""
    from rich.text import Text

    return Text(terminal.visible(str(entry)), style=style)


def _needed(shown: Table) -> int:
    """Places that the table cannot do without: numbers whole, texts folded."""
    columns = zip(shown.columns, *shown.rows, strict=True)
    widths = [max(width(str(entry)) for entry in column) for column in columns]
    return sum(3 + (room if place in shown.right else min(room, FOLDED)) for place, room in enumerate(widths))


def _drawn(shown: Table) -> Any:
    from rich import box, table

    drawn = table.Table(title=_text(shown.caption), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for place, name in enumerate(shown.columns):
        right = place in shown.right
        drawn.add_column(_text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in shown.rows:
        drawn.add_row(*(_text(entry, _style(entry)) for entry in row))
    return drawn


def _style(entry: Entry) -> str:
    if isinstance(entry, Score):
        return "bold green" if entry.rank == 1 else ""
    if isinstance(entry, Gap):
        return "" if entry.p >= 0.05 else "green" if entry.value > 0 else "red"
    return "red" if entry == "failed" else "dim" if entry in ("baseline", numbers.NOTHING) else ""
