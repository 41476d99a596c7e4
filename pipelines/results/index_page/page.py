"""The index page as HTML: one file that opens anywhere, without network; links lead to the folders' own pages.

While runs are in progress, `refresh` makes the open page reload itself; search, filters, order and position stay. All
groups have the same columns but for the scores. So that rows of several groups fit into one table, each row has its
first score in a cell (class `primary`) that is shown only there.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from longdoc.messages import counted
from pipelines.display import interval_notes
from pipelines.display import page as pages
from pipelines.results.index_page.entries import Entry
from pipelines.results.run_folders.listing import FIRST

ASSETS = Path(__file__).with_name("assets")
MARK = '<meta name="generator" content="longdoc view">'  # in all that it writes; other pages are kept
SCRIPTS = ("make", "theme", "tables")
OWN_SCRIPTS = ("state", "rows", "controls", "refresh", "main")
UNREADABLE = "Not readable"
HEADS = ("Run", ("Data", "more"), "State", ("Done", "number"), ("Last written", "more"))  # those before the scores
ORDER = ("running", "unfinished", "finished", "unreadable")  # of states, in a table sorted by them


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its name, its links (text, address), the ablation that it is a cell of, and its time.

    Names and addresses are relative to the folder of the page.
    """

    entry: Entry
    name: str
    links: Sequence[tuple[str, str]]
    ablation: str
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Group:
    """The entries of a task: counts in words, names of scores, rows."""

    title: str
    counts: str
    scores: Sequence[str]
    rows: Sequence[Row]

    @property
    def heads(self) -> list[str | tuple[str, str]]:
        """The headings, some with their CSS classes."""
        scores = [(name, "number score") for name in self.scores]
        return [*HEADS, *scores, ("Score", "number primary")]


def text(entries: Sequence[Entry], roots: Sequence[Path], now: float, refresh: int = 0) -> str:
    """The page of entries, written at `now` (seconds since 1970), which reloads itself every `refresh` seconds."""
    entry_states = [entry.run.state for entry in entries if entry.cell_of is None]
    state_counts = {state: entry_states.count(state) for state in ORDER if state in entry_states}
    return pages.page(
        "results/index_page/templates/index.html",
        pages.styles(ASSETS / "index.css"),
        pages.scripts(SCRIPTS, *(ASSETS / f"{name}.js" for name in OWN_SCRIPTS)),
        mark=MARK,
        title=", ".join(str(root) if root.name else str(root.resolve()) for root in roots),  # "." says nothing
        folders=", ".join(str(root.resolve()) for root in roots),
        counts=_counts(entries),
        states=state_counts,
        order=ORDER,
        now=now,
        written=datetime.fromtimestamp(now).astimezone(),
        refresh=refresh,
        first_command=FIRST,
        has_costs=any(entry.run.cost is not None for entry in entries),
        groups=_groups(entries, roots[0]),
        notes=_notes(entries),
    )


def _groups(entries: Sequence[Entry], home: Path) -> list[Group]:
    """The entries by task, unreadable ones last."""
    by_task: dict[str, list[Entry]] = {}
    for entry in entries:
        by_task.setdefault(", ".join(entry.tasks) or UNREADABLE, []).append(entry)
    tasks = sorted(by_task, key=lambda task: (task == UNREADABLE, task))
    return [_group(task, by_task[task], home) for task in tasks]


def _group(task: str, entries: Sequence[Entry], home: Path) -> Group:
    scores = dict.fromkeys(name for entry in entries for name in entry.run.scores)
    return Group(task, _counts(entries), list(scores), [_row(entry, home) for entry in entries])


def _row(entry: Entry, home: Path) -> Row:
    run = entry.run
    name = os.path.relpath(run.folder, home) if run.folder != home else run.folder.resolve().name
    links = [(text, _link(run.folder / file, home)) for text, file in entry.files]
    links.append(("folder", f"{_link(run.folder, home)}/"))
    ablation = "" if entry.cell_of is None else os.path.relpath(entry.cell_of, home)
    return Row(entry, name, links, ablation, datetime.fromtimestamp(run.time).astimezone() if run.time else None)


def _link(path: Path, home: Path) -> str:
    """A path as a relative address, safe from being read as a `javascript:` one."""
    return "./" + quote(os.fsencode(os.path.relpath(path, home)))


def _counts(entries: Sequence[Entry]) -> str:
    """The numbers of entries in words: `3 runs, 1 ablation`; cells of ablations are not counted."""
    counts = Counter(entry.kind for entry in entries if entry.cell_of is None)
    return ", ".join(counted(count, kind) for kind, count in counts.items())


def _notes(entries: Sequence[Entry]) -> list[str]:
    """The notes on the intervals."""
    intervals = [bounds for entry in entries for bounds in entry.run.scores.intervals.values()]
    return list(dict.fromkeys(interval_notes.method_notes(intervals)))
