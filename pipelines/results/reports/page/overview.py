"""The page of runs of several tasks: tasks and systems, the papers' scores, links to each run's own page."""

import os
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote
from xml.etree.ElementTree import Element

from pipelines.results import intervals
from pipelines.results.display import numbers
from pipelines.results.overviews.records import Column, Overview, PaperSystem, System
from pipelines.results.overviews.tables import WIDE, heads, reasons, short_names
from pipelines.results.reports.page import shell
from pipelines.results.reports.page.markup import element, rendered, sound
from pipelines.results.reports.page.table import table

SCRIPTS = ("make", "theme", "tables", "overview")
PAGE = "report.html"


def page(found: Overview, home: Path) -> str:
    """The page as HTML; `home` is its folder, from which it links to the runs."""
    style, script = shell.style(), shell.script(SCRIPTS)
    template = Template((shell.ASSETS / "overview.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(sound(found.title)),
        policy=escape(shell.policy(style, script)),
        style=style,
        script=script,
        content=rendered(_body(found, home)),
    )


def _body(found: Overview, home: Path) -> Iterator[Element]:
    yield shell.section("scores", "Scores", _scores(found, home), *_below(found))
    if found.not_comparable:
        yield shell.section("published", "Published scores", _not_comparable(found))
    yield shell.section("runs", "Runs", _runs(found, home))


def _scores(found: Overview, home: Path) -> Element:
    """Systems as rows; scores as rows where there are many of them."""
    caption = "Scores, 0–100, with their intervals; each links to the page of its run"
    if len(found.columns) > WIDE:
        return table(caption, *_by_score(found, home), sortable=False)
    names = heads(found.columns)
    rows = []
    systems: list[System | PaperSystem] = [*found.systems, *found.published]
    for one in systems:
        cells = [element("td", _from(one)), *(_cell(found, one, column, home) for column in found.columns)]
        rows.append((_name(one), [*cells, *_mean(found, one)]))
    return table(caption, ["System", "From", *names, *([found.mean] if found.mean else [])], rows, sortable=True)


def _by_score(found: Overview, home: Path) -> tuple[list[str], list[tuple[str, list[Element]]]]:
    systems: list[System | PaperSystem] = [*found.systems, *found.published]
    short = short_names(found.tasks)
    rows = [
        (short[column.task], [element("td", column.metric), *(_cell(found, one, column, home) for one in systems)])
        for column in found.columns
        if column.task not in found.missing
    ]
    labels = [f"{_name(one)} ({_from(one)})" if isinstance(one, PaperSystem) else one.name for one in systems]
    if found.mean:
        rows.append((found.mean, [element("td", ""), *(_mean(found, one)[0] for one in systems)]))
    return ["Task", "Metric", *labels], rows


def _name(one: System | PaperSystem) -> str:
    return one.label if isinstance(one, PaperSystem) else one.name


def _from(one: System | PaperSystem) -> str:
    return one.source if isinstance(one, PaperSystem) else "these runs"


def _cell(found: Overview, one: System | PaperSystem, column: Column, home: Path) -> Element:
    value = one.value(column)
    if value is None:
        return element("td", numbers.MISSING, class_="number", data_value="")
    if isinstance(one, PaperSystem):
        return element("td", numbers.score(value), class_="number", data_value=repr(value))
    bounds = one.intervals.get(column.task, {}).get(column.metric)
    remark = one.remarks.get(column.task)
    small = [element("small", text) for text in (bounds and str(bounds), remark) if text]
    return element(
        "td", _linked(numbers.score(value), one, column.task, home), *small, class_="number", data_value=repr(value)
    )


def _mean(found: Overview, one: System | PaperSystem) -> list[Element]:
    if not found.mean:
        return []
    sort = "" if one.mean is None else repr(one.mean)
    return [element("td", numbers.score(one.mean), class_="number", data_value=sort)]


def _linked(text: str, one: System, task: str, home: Path) -> Element | str:
    """The text as a link to the run's page, where it has one."""
    folder = one.folders.get(task)
    if folder is None or not (folder / PAGE).is_file():
        return text
    return element("a", text, href=_url(folder / PAGE, home))


def _url(file: Path, home: Path) -> str:
    """A file as seen from the page; as an address of its own where no relative path leads there."""
    try:
        return quote(Path(os.path.relpath(file.resolve(), home.resolve())).as_posix())
    except ValueError:  # another drive
        return file.resolve().as_uri()


def _below(found: Overview) -> list[Element]:
    """How intervals were made, what is missing, warnings."""
    shown = [one for system in found.systems for of in system.intervals.values() for one in of.values()]
    lines = [*intervals.how_made(shown), *found.notes]
    made = [element("ul", *(element("li", line, dir="auto") for line in lines), class_="note")] if lines else []
    if found.warnings:
        items = [element("li", line, dir="auto") for line in found.warnings]
        made.append(element("section", element("h3", "Warnings"), element("ul", *items), class_="remark"))
    return made


def _not_comparable(found: Overview) -> Element:
    """The papers' scores that do not belong beside these runs, folded, with the reasons."""
    names = heads(found.columns)
    rows = []
    for one in found.not_comparable:
        values = [(one.value(column)) for column in found.columns]
        cells = [element("td", numbers.score(value), class_="number") for value in values]
        rows.append((one.label, [element("td", one.source), *cells, *_mean(found, one)]))
    shown = table("As published", ["System", "From", *names, *([found.mean] if found.mean else [])], rows)
    why = element("ul", *(element("li", line) for line in reasons(found)))
    return element("details", element("summary", "Not comparable with these runs"), why, shown)


def _runs(found: Overview, home: Path) -> Element:
    """A line for each run: its task, its system, how many examples, its page."""
    rows = []
    for task in found.tasks:
        for one in found.systems:
            if task in one.folders:
                rows.append((_linked(task, one, task, home), _run(one, task)))
    return table("Runs, with links to their pages", ["Task", "System", "Examples", "Folder"], rows)


def _run(one: System, task: str) -> Sequence[Element]:
    return (
        element("td", one.name),
        element("td", numbers.count(one.examples[task]), class_="number"),
        element("td", str(one.folders[task]), class_="where"),
    )
