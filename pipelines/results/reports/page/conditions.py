"""The page of a table of ways: the table, score against tokens, what is missing, links to the runs' own pages."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element

from pipelines.display import numbers
from pipelines.display.markup import element
from pipelines.display.page import ASSETS, scripts, section, static, styles
from pipelines.display.table import Delta, Entry, Score
from pipelines.results.conditions.condition import Condition
from pipelines.results.conditions.condition_table import ConditionTable
from pipelines.results.reports.page.conditions_plot import plot
from pipelines.results.reports.page.table import table

SCRIPTS = ("make", "theme", "tables", "overview")
PAGE = "report.html"
TITLE = "Whole document or retrieval?"
SPARE_NAMES = ("tokens in all", "words", "cut")  # columns that narrow windows leave out
EXCERPT = 200  # characters of a source or a recipe


def page(table: ConditionTable, home: Path) -> str:
    """The page as HTML; `home` is its folder, from which it links to the runs."""
    title = f"{table.task} · {table.split} · {TITLE}"
    return static(title, "longdoc versus", "ways", _body(table, home), styles(ASSETS / "ways.css"), scripts(SCRIPTS))


def _body(table: ConditionTable, home: Path) -> Iterator[Element]:
    yield section("ways", "Ways to read", _table(table, home), *_below(table))
    if (picture := plot(table)) is not None:
        yield section("tokens", "Score and tokens", picture)
    if (lost_names := table.missing_notes()) or table.warnings:
        lines = [*lost_names, *(f"warning: {line}" for line in table.warnings)]
        items = [element("li", numbers.line(line), dir="auto") for line in lines]
        yield section("missing", "Not answered" if lost_names else "Warnings", element("ul", *items))
    yield section("runs", "Runs", _runs(table, home))


def _table(found_table: ConditionTable, home: Path) -> Element:
    (shown_table,) = found_table.tables()
    rows = [
        (
            element("th", _linked(numbers.line(condition.name), condition, home), scope="row"),
            [_cell(entry, shown_table.heads[column] in SPARE_NAMES) for column, entry in enumerate(row) if column],
        )
        for condition, row in zip(found_table.ways, shown_table.entries, strict=True)
    ]
    return table(
        shown_table.caption, [name.capitalize() if name == "way" else name for name in shown_table.heads], rows
    )


def _cell(entry: Entry, is_spare: bool) -> Element:
    """A cell: a score with its interval below it, a difference with its p; narrow windows leave spare ones out."""
    kind = "number more" if is_spare else "number"
    if isinstance(entry, Score):
        bounds = str(entry).removeprefix(numbers.score(entry.value)).strip()
        value = element("strong" if entry.rank == 1 else "span", numbers.score(entry.value))
        small = [element("small", bounds)] if bounds else []
        return element("td", value, *small, class_="number")
    if isinstance(entry, Delta):
        small_p = element("small", numbers.p_value(entry.p))
        return element("td", element("span", numbers.difference(entry.value)), small_p, class_="number")
    return element("td", entry, class_=kind)


def _below(table: ConditionTable) -> list[Element]:
    lost_names = {*table.missing_notes(), *(f"warning: {line}" for line in table.warnings)}
    lines = [line for line in table.remarks() if line not in lost_names]
    return [element("ul", *(element("li", line, dir="auto") for line in lines), class_="note")] if lines else []


def _runs(found_table: ConditionTable, home: Path) -> Element:
    """A line for each way: how it read, and where its run or its file is."""
    rows = [
        (element("th", _linked(condition.name, condition, home), scope="row"), _run(condition))
        for condition in found_table.ways
    ]
    return table("Where each way comes from", ["Way", "Recipe", "Folder or file"], rows)


def _run(condition: Condition) -> Sequence[Element]:
    location = condition.source or (str(condition.folder) if condition.folder is not None else numbers.MISSING)
    recipe = numbers.shortened(numbers.line(condition.recipe or condition.error or numbers.MISSING), EXCERPT)
    return element("td", recipe, class_="reason"), element("td", numbers.shortened(location, EXCERPT), class_="where")


def _linked(text: str, condition: Condition, home: Path) -> str | Element:
    """The text as a link to the run's page, where it has one."""
    if condition.folder is None or not (condition.folder / PAGE).is_file():
        return text
    file = condition.folder / PAGE
    try:
        url = quote(Path(os.path.relpath(file.resolve(), home.resolve())).as_posix())
    except ValueError:  # another drive
        url = file.resolve().as_uri()
    return element("a", text, href=url)
