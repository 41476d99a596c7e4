"""The table of a group: a row for each entry, with a column for each score that one of them has.

A cell whose sort key is not its text has `data-value`. The columns are the same in all groups, save those of scores
(class `score`). So that rows of several groups fit into one table, each has its first score in a cell (`primary`) that
is shown only there.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element

from pipelines.display import numbers
from pipelines.display.markup import element
from pipelines.results.index_page.entries import Entry

ORDER = ("running", "unfinished", "finished", "unreadable")  # of states, in a table sorted by them
CHIPS = {"running": "chip good", "finished": "chip", "unfinished": "chip gone", "unreadable": "chip bad"}
WIDTH = 100  # of a bar


def table(title: str, entries: Sequence[Entry], home: Path, costs: bool) -> Element:
    """The table of some entries, in a box of its own that scrolls; links lead on from the folder `home`."""
    scores = list(dict.fromkeys(name for entry in entries for name in entry.run.scores))
    heads = [("Run", None), ("Data", "more"), ("State", None), ("Done", "number"), ("Last written", "more")]
    heads += [(name, "number score") for name in scores] + [("Score", "number primary")]
    heads += [("Cost", "number")] if costs else []
    head = [element("th", name, scope="col", class_=kind) for name, kind in heads]
    body = [_row(entry, home, scores, costs) for entry in entries]
    made_element = element(
        "table",
        element("caption", title),
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_="sortable",
    )
    return element("div", made_element, class_="scroll", tabindex="0", role="region", aria_label=title)


def _row(entry: Entry, home: Path, scores: Sequence[str], costs: bool) -> Element:
    cells = [_name(entry, home), _data(entry), _state(entry), _done(entry), _time_element(entry)]
    cells += [
        *(_score(entry, name, "score") for name in scores),
        _score(entry, next(iter(entry.run.scores), ""), "primary"),
    ]
    if costs:
        value = "" if entry.run.cost is None else repr(entry.run.cost)
        cells.append(element("td", numbers.money(entry.run.cost), class_="number", data_value=value))
    cell = entry.cell_of is not None
    return element(
        "tr",
        *cells,
        data_state=entry.run.state,
        data_kind=entry.kind,
        data_tasks=" ".join(entry.tasks),
        class_="cell" if cell else None,
        hidden="hidden" if cell else None,
    )


def _name(entry: Entry, home: Path) -> Element:
    """The folder's name, a link to what is best to look at; further links, the recipe, how it goes on."""
    name = os.path.relpath(entry.run.folder, home) if entry.run.folder != home else entry.run.folder.resolve().name
    links = [element("a", text, href=_link(entry.run.folder / file, home)) for text, file in entry.files]
    links.append(element("a", "folder", href=f"{_link(entry.run.folder, home)}/"))
    target = links[0].get("href", "")
    between = [part for link in links for part in (" ", link)]
    parts = [element("a", name, href=target, class_="name", dir="auto"), element("span", *between, class_="links")]
    if entry.kind != "run":
        parts.append(element("span", entry.kind, class_="chip"))
    elements = [element("small", entry.run.recipe, dir="auto")] if entry.run.recipe else []
    if entry.cell_of is not None:
        elements.append(element("small", f"cell of {os.path.relpath(entry.cell_of, home)}", dir="auto"))
    if entry.command:
        elements.append(element("small", "go on with ", element("code", entry.command, class_="command"), dir="auto"))
    if entry.note:
        elements.append(element("small", entry.note, class_="error", dir="auto"))
    return element("th", *parts, *elements, scope="row", data_value=name)


def _link(path: Path, home: Path) -> str:
    """A path as a relative address, which cannot be taken for one of another kind (`javascript:`)."""
    return "./" + quote(os.fsencode(os.path.relpath(path, home)))


def _data(entry: Entry) -> Element:
    tasks = element("span", ", ".join(entry.tasks), class_="task") if entry.tasks else None
    return element(
        "td", tasks, element("small", entry.run.split) if entry.run.split else None, class_="data more", dir="auto"
    )


def _state(entry: Entry) -> Element:
    chip = element("span", entry.run.state, class_=CHIPS[entry.run.state])
    problems = [element("small", text, class_="problem") for text in entry.problems]
    return element("td", chip, *problems, class_="state", data_value=str(ORDER.index(entry.run.state)))


def _done(entry: Entry) -> Element:
    bar = None
    if entry.share is not None and entry.run.state in ("running", "unfinished"):
        done = element("rect", class_="left", width=f"{100 * entry.share:.1f}%", height="100%")
        whole_element = element("rect", class_="whole", width="100%", height="100%")
        bar = element("svg", whole_element, done, class_="share", width="100%", height="6", aria_hidden="true")
    value = "" if entry.share is None else f"{entry.share:.4f}"
    return element("td", entry.done or numbers.MISSING, bar, class_="number", data_value=value)


def _time_element(entry: Entry) -> Element:
    if not entry.run.time:
        return element("td", numbers.MISSING, class_="more", data_value="")
    local = datetime.fromtimestamp(entry.run.time).astimezone()
    shown_element = element("time", local.strftime("%Y-%m-%d %H:%M"), datetime=local.isoformat(timespec="seconds"))
    return element("td", shown_element, class_="when more", data_value=f"{entry.run.time:.0f}")


def _score(entry: Entry, name: str, place: str) -> Element:
    value = entry.run.scores.get(name)
    if value is None:
        return element("td", numbers.MISSING, class_=f"number {place}", data_value="")
    bounds = element("small", str(entry.run.scores.intervals[name])) if name in entry.run.scores.intervals else None
    best = element("small", "best cell") if entry.kind == "ablation" else None
    label = element("small", name) if place == "primary" else None
    shown_text = numbers.score(value)
    return element("td", shown_text, bounds, best, label, class_=f"number {place}", data_value=repr(value))
