"""The page of a table of ways: the table, score against tokens, what is missing, links to the runs' own pages."""

from collections.abc import Sequence
from pathlib import Path

from pipelines.display import numbers
from pipelines.display import page as pages
from pipelines.display.table import Delta, Entry, Score
from pipelines.display.table_cells import TableCell, page_address
from pipelines.plugins.versus.condition import Condition
from pipelines.plugins.versus.condition_table import ConditionTable
from pipelines.plugins.versus.line_plot import pictures
from pipelines.plugins.versus.lines import X_TITLE

SCRIPTS = ("make", "theme", "tables", "overview")
TITLE = "Whole document or retrieval?"
OPTIONAL_COLUMNS = ("tokens in all", "words", "cut")  # columns that narrow windows hide


def page(table: ConditionTable, home: Path) -> str:
    """The page as HTML; `home` is its folder, from which it links to the runs."""
    (scores,) = table.tables()
    missing, lines = table.missing_notes(), table.lines()
    missing_lines = [*missing, *(f"warning: {line}" for line in table.warnings)]
    return pages.page(
        "plugins/versus/templates/conditions.html",
        pages.styles(Path(__file__).parent / "assets" / "ways.css"),
        pages.scripts(SCRIPTS),
        title=f"{table.task} · {table.split} · {TITLE}",
        caption=scores.caption,
        heads=["Way", *((name, _classes(name)) for name in scores.heads[1:])],
        rows=[
            _row(condition, row, scores.heads, home) for condition, row in zip(table.ways, scores.entries, strict=True)
        ],
        notes=[line for line in table.remarks() if line not in missing_lines],
        pictures=pictures(lines, table.y_title, X_TITLE),
        lines=lines,
        conditions=table,
        missing=missing,
        missing_lines=missing_lines,
        ways=[(condition, page_address(condition.folder, home)) for condition in table.ways],
    )


def _classes(head: str) -> str:
    """The CSS classes of a column; narrow windows hide the optional ones."""
    return "number more" if head in OPTIONAL_COLUMNS else "number"


def _row(condition: Condition, entries: Sequence[Entry], heads: Sequence[str], home: Path) -> list[TableCell]:
    """The cells of a condition: its name as a link to its run's page, then its entries of the table."""
    name = TableCell(numbers.line(condition.name), "", href=page_address(condition.folder, home))
    return [name, *map(_cell, entries[1:], heads[1:])]


def _cell(entry: Entry, head: str) -> TableCell:
    """A score with its interval below it, a difference with its p."""
    if isinstance(entry, Score):
        score = numbers.score(entry.value)
        bounds = str(entry).removeprefix(score).strip()
        return TableCell(score, small=[bounds] if bounds else [], is_best=entry.rank == 1)
    if isinstance(entry, Delta):
        return TableCell(numbers.difference(entry.value), small=[numbers.p_value(entry.p)], is_best=False)
    return TableCell(entry, _classes(head))
