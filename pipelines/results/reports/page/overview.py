"""The page of runs of several tasks: tasks and systems, the papers' scores, links to each run's own page."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element

from pipelines.display import interval_notes, numbers
from pipelines.display.markup import element
from pipelines.display.page import scripts, section, static, styles
from pipelines.results.overviews.overview import Overview
from pipelines.results.overviews.system import PaperSystem, System, TaskScore, short_names
from pipelines.results.reports.page.table import table

SCRIPTS = ("make", "theme", "tables", "overview")
PAGE = "report.html"
LabelledSystem = System | PaperSystem
Grid = tuple[list[str], list[tuple[str | Element, Sequence[Element]]]]


def page(overview: Overview, home: Path) -> str:
    """The page as HTML; `home` is its folder, from which it links to the runs."""
    return static(overview.title, "longdoc report", "runs", _body(overview, home), styles(), scripts(SCRIPTS))


def _body(overview: Overview, home: Path) -> Iterator[Element]:
    yield section("scores", "Scores", _scores(overview, home), *_below(overview))
    if overview.not_comparable:
        yield section("published", "Published scores", _not_comparable(overview, home))
    yield section("runs", "Runs", _runs(overview, home))


def _scores(overview: Overview, home: Path) -> Element:
    """The scores of the runs, then the papers' that are comparable."""
    caption = "Scores, 0–100, with their intervals; each links to the page of its run"
    systems: list[LabelledSystem] = [*overview.systems, *overview.published]
    return table(
        caption, *_grid(overview, systems, overview.scores_are_rows, home), sortable=not overview.scores_are_rows
    )


def _grid(overview: Overview, systems: Sequence[LabelledSystem], scores_are_rows: bool, home: Path) -> Grid:
    """Headings and rows: a row for each system, or for each score that one of them has."""
    if scores_are_rows:
        return _rows_of_scores(overview, systems, home)
    rows: list[tuple[str | Element, Sequence[Element]]] = []
    for system in systems:
        cells = [
            element("td", _from_text(system)),
            *(_cell(overview, system, column, home) for column in overview.columns),
        ]
        rows.append((system.label, [*cells, *([_mean(system)] if overview.mean else [])]))
    return ["System", "From", *overview.heads, *([overview.mean] if overview.mean else [])], rows


def _rows_of_scores(overview: Overview, systems: Sequence[LabelledSystem], home: Path) -> Grid:
    short = short_names(overview.tasks)
    rows: list[tuple[str | Element, Sequence[Element]]] = []
    for column in overview.columns:
        if any(system.value(column) is not None for system in systems):
            head = element("th", short[column.task], element("small", column.metric), scope="row")
            rows.append((head, [_cell(overview, system, column, home) for system in systems]))
    if overview.mean:
        rows.append((overview.mean, [_mean(system) for system in systems]))
    labels = [f"{system.label} (published)" if isinstance(system, PaperSystem) else system.name for system in systems]
    return ["Task", *labels], rows


def _from_text(value: LabelledSystem) -> str:
    """Where a row comes from; the papers are named below."""
    return value.source.rpartition(", ")[2] if isinstance(value, PaperSystem) else "these runs"


def _cell(overview: Overview, single_value: LabelledSystem, column: TaskScore, home: Path) -> Element:
    value = single_value.value(column)
    if value is None:
        return element("td", numbers.MISSING, class_="number", data_value="")
    if isinstance(single_value, PaperSystem):
        return element("td", numbers.score(value), class_="number", data_value=repr(value))
    bounds = single_value.intervals.get(column.task, {}).get(column.metric)
    remark = single_value.remarks.get(column.task)
    small = [element("small", text) for text in (bounds and str(bounds), remark) if text]
    score = element(
        "strong" if single_value.name in overview.best_systems(column, overview.systems) else "span",
        numbers.score(value),
    )
    shown_value = _linked(score, single_value, column.task, home)
    return element("td", shown_value, *small, class_="number", data_value=repr(value))


def _mean(value: LabelledSystem) -> Element:
    sort = "" if value.mean is None else repr(value.mean)
    return element("td", numbers.score(value.mean), class_="number", data_value=sort)


def _linked(text: str | Element, system: System, task: str, home: Path) -> str | Element:
    """What is shown as a link to the run's page, where it has one."""
    folder = system.folders.get(task)
    if folder is None or not (folder / PAGE).is_file():
        return text
    return element("a", text, href=_url(folder / PAGE, home))


def _url(file: Path, home: Path) -> str:
    """A file as seen from the page; as an address of its own where no relative path leads there."""
    try:
        return quote(Path(os.path.relpath(file.resolve(), home.resolve())).as_posix())
    except ValueError:  # another drive
        return file.resolve().as_uri()


def _below(overview: Overview) -> list[Element]:
    """How intervals were made, what is missing, warnings."""
    metrics = [] if overview.scores_are_rows else [f"scores: {overview.metrics()}"]
    sources = dict.fromkeys(paper.source for paper in overview.published)
    lines = [
        *metrics,
        *([f"published: {'; '.join(sources)}"] if sources else []),
        *interval_notes.method_notes(overview.intervals()),
        *overview.notes,
    ]
    elements = [element("ul", *(element("li", line, dir="auto") for line in lines), class_="note")] if lines else []
    if overview.warnings:
        items = [element("li", line, dir="auto") for line in overview.warnings]
        elements.append(element("section", element("h3", "Warnings"), element("ul", *items), class_="remark"))
    return elements


def _not_comparable(overview: Overview, home: Path) -> Element:
    """The papers' scores that do not belong beside these runs, folded, with the reasons."""
    caption = f"As published: {'; '.join(dict.fromkeys(paper.source for paper in overview.not_comparable))}"
    shown_element = table(caption, *_grid(overview, overview.not_comparable, overview.is_wide, home))
    why_element = element("ul", *(element("li", line) for line in overview.not_comparable_reasons()))
    return element("details", element("summary", "Not comparable with these runs"), why_element, shown_element)


def _runs(overview: Overview, home: Path) -> Element:
    """A line for each run: its task, its system, how many examples, its page."""
    rows = []
    for task in overview.tasks:
        for system in overview.systems:
            if task in system.folders:
                rows.append((element("th", _linked(task, system, task, home), scope="row"), _run(system, task)))
    return table("Runs, with links to their pages", ["Task", "System", "Examples", "Folder"], rows)


def _run(system: System, task: str) -> Sequence[Element]:
    return (
        element("td", system.name),
        element("td", numbers.count(system.examples[task]), class_="number"),
        element("td", str(system.folders[task]), class_="where"),
    )
