"""The index page as HTML: one file that opens anywhere, without network; links lead to the folders' own pages.

While runs go on, `refresh` makes the open page load itself again; search, filters, order and place stay.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from string import Template
from xml.etree.ElementTree import Element

from longdoc.plurals import counted
from pipelines.display import interval_notes
from pipelines.display.markup import Child, element, rendered, sound
from pipelines.display.page import policy, scripts, styles
from pipelines.results.index_page.entries import Entry
from pipelines.results.index_page.rows import ORDER, table
from pipelines.results.run_folders.listing import FIRST

ASSETS = Path(__file__).with_name("assets")
MARK = '<meta name="generator" content="longdoc view">'  # in every page of ours: others are not overwritten
SCRIPTS = ("make", "theme", "tables")
OWN_NAMES = ("state", "rows", "controls", "refresh", "main")
UNREADABLE = "Not readable"


def text(entries: Sequence[Entry], roots: Sequence[Path], now: float, refresh: int = 0) -> str:
    """The page of some entries, written at `now` (seconds since 1970), to be loaded again every `refresh` seconds."""
    style = styles(ASSETS / "index.css")
    script = scripts(SCRIPTS, *(ASSETS / f"{name}.js" for name in OWN_NAMES))
    names = ", ".join(str(root) if root.name else str(root.resolve()) for root in roots)  # "." says nothing
    return Template((ASSETS / "index.html").read_text(encoding="utf-8")).substitute(
        mark=MARK,
        title=escape(sound(names)),
        policy=escape(policy(style, script)),
        attributes=f' data-refresh="{refresh}" data-written="{now:.0f}"' if refresh else "",
        reload=f'<noscript><meta http-equiv="refresh" content="{refresh}"></noscript>\n' if refresh else "",
        style=style,
        script=script,
        overview=rendered([_overview(entries, roots, now, refresh)]),
        content=rendered(_body(entries, roots[0])),
    )


def _body(entries: Sequence[Entry], home: Path) -> Iterator[Element]:
    if not entries:
        yield element("p", "No runs yet: ", element("code", FIRST), class_="remark")
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(", ".join(entry.tasks) or UNREADABLE, []).append(entry)
    costs = any(entry.run.cost is not None for entry in entries)
    names = sorted(groups, key=lambda name: (name == UNREADABLE, name))
    for number, name in enumerate(names):
        heading = element("h2", name, id=f"group-{number}-heading", dir="auto")
        listed = table(_counts(groups[name]), groups[name], home, costs)
        labelled = f"group-{number}-heading"
        yield element("section", heading, listed, id=f"group-{number}", class_="group", aria_labelledby=labelled)
    yield from (element("p", line, class_="note") for line in _notes(entries))


def _overview(entries: Sequence[Entry], roots: Sequence[Path], now: float, refresh: int) -> Element:
    """Where and how many of what there are, in which states; when the page was written."""
    whole_entries = [entry.run.state for entry in entries if entry.cell_of is None]
    known_pairs = [(state, whole_entries.count(state)) for state in ORDER if state in whole_entries]
    states = [element("a", f"{count:,} {state}", href=f"#state={state}") for state, count in known_pairs]
    written_text = datetime.fromtimestamp(now).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    text = f", and again every {refresh} seconds while runs go on" if refresh else ""
    parts: list[Child] = [", ".join(str(root.resolve()) for root in roots), _counts(entries), *states]
    parts.append(element("span", f"written {written_text}{text}", id="written"))
    between = [part for value in parts if value != "" for part in (" · ", value)][1:]
    return element("p", *between, id="overview", dir="auto")


def _counts(entries: Sequence[Entry]) -> str:
    """`3 runs, 1 ablation`; of cells of ablations nothing."""
    kinds_entries = [entry.kind for entry in entries if entry.cell_of is None]
    return ", ".join(counted(kinds_entries.count(kind), kind) for kind in dict.fromkeys(kinds_entries))


def _notes(entries: Sequence[Entry]) -> list[str]:
    """What to know of the intervals."""
    intervals = [bounds for entry in entries for bounds in entry.run.scores.intervals.values()]
    return list(dict.fromkeys(interval_notes.method_notes(intervals)))
