"""The index page as HTML: one file that opens anywhere, without network; links lead to the folders' own pages.

While runs go on, `refresh` makes the open page load itself again; search, filters, order and place stay. The columns
are the same in all groups, save those of scores. So that rows of several groups fit into one table, each has its first
score in a cell (class `primary`) that is shown only there.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from longdoc.plurals import counted
from pipelines.display import interval_notes
from pipelines.display import page as pages
from pipelines.results.index_page.entries import Entry
from pipelines.results.run_folders.listing import FIRST

ASSETS = Path(__file__).with_name("assets")
MARK = '<meta name="generator" content="longdoc view">'  # in every page of ours: others are not overwritten
SCRIPTS = ("make", "theme", "tables")
OWN_NAMES = ("state", "rows", "controls", "refresh", "main")
UNREADABLE = "Not readable"
HEADS = ("Run", ("Data", "more"), "State", ("Done", "number"), ("Last written", "more"))  # those before the scores
ORDER = ("running", "unfinished", "finished", "unreadable")  # of states, in a table sorted by them


@dataclass(frozen=True, slots=True)
class Row:
    """An entry, its name, its links (texts and addresses), the name of the ablation that it is a cell of, its time.

    Names and addresses are seen from the folder of the page.
    """

    entry: Entry
    name: str
    links: Sequence[tuple[str, str]]
    ablation: str
    time: datetime | None


@dataclass(frozen=True, slots=True)
class Group:
    """The entries of a task: what they are, the names of their scores, their rows."""

    title: str
    counts: str
    scores: Sequence[str]
    rows: Sequence[Row]

    @property
    def heads(self) -> list[str | tuple[str, str]]:
        """The headings with their classes; of costs there is one more where some entry has any."""
        scores = [(name, "number score") for name in self.scores]
        return [*HEADS, *scores, ("Score", "number primary")]


def text(entries: Sequence[Entry], roots: Sequence[Path], now: float, refresh: int = 0) -> str:
    """The page of some entries, written at `now` (seconds since 1970), to be loaded again every `refresh` seconds."""
    whole_entries = [entry.run.state for entry in entries if entry.cell_of is None]
    states = {state: whole_entries.count(state) for state in ORDER if state in whole_entries}
    return pages.page(
        "results/index_page/templates/index.html",
        pages.styles(ASSETS / "index.css"),
        pages.scripts(SCRIPTS, *(ASSETS / f"{name}.js" for name in OWN_NAMES)),
        mark=MARK,
        title=", ".join(str(root) if root.name else str(root.resolve()) for root in roots),  # "." says nothing
        folders=", ".join(str(root.resolve()) for root in roots),
        counts=_counts(entries),
        states=states,
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
    """The entries by task, those that are not readable last."""
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
    """A path as a relative address, which cannot be taken for one of another kind (`javascript:`)."""
    return "./" + quote(os.fsencode(os.path.relpath(path, home)))


def _counts(entries: Sequence[Entry]) -> str:
    """`3 runs, 1 ablation`; of cells of ablations nothing."""
    counts = Counter(entry.kind for entry in entries if entry.cell_of is None)
    return ", ".join(counted(count, kind) for kind, count in counts.items())


def _notes(entries: Sequence[Entry]) -> list[str]:
    """What to know of the intervals."""
    intervals = [bounds for entry in entries for bounds in entry.run.scores.intervals.values()]
    return list(dict.fromkeys(interval_notes.method_notes(intervals)))
