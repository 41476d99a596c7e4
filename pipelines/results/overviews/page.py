"""The page of runs of several tasks: tasks and systems, the papers' scores, links to each run's own page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.display import interval_notes, numbers
from pipelines.display import page as pages
from pipelines.display.table_cells import TableCell, page_address
from pipelines.results.overviews.overview import Overview
from pipelines.results.overviews.system import PaperSystem, System, TaskScore, short_names

SCRIPTS = ("make", "theme", "tables", "overview")
LabelledSystem = System | PaperSystem


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of the page: headings of texts and of numbers, and rows that begin with their heading."""

    heads: Sequence[str]
    numbers: Sequence[str]
    rows: Sequence[Sequence[TableCell]]


def page(overview: Overview, home: Path) -> str:
    """The page as HTML; `home` is its folder, from which it links to the runs."""
    systems: list[LabelledSystem] = [*overview.systems, *overview.published]
    return pages.page(
        "results/overviews/templates/overview.html",
        pages.styles(),
        pages.scripts(SCRIPTS),
        title=overview.title,
        overview=overview,
        scores=_grid(overview, systems, overview.scores_are_rows, home),
        other_scores=_grid(overview, overview.not_comparable, overview.is_wide, home),
        other_sources=dict.fromkeys(paper.source for paper in overview.not_comparable),
        notes=_notes(overview),
        runs=[
            (task, system, page_address(system.folders[task], home))
            for task in overview.tasks
            for system in overview.systems
            if task in system.folders
        ],
    )


def _grid(overview: Overview, systems: Sequence[LabelledSystem], scores_are_rows: bool, home: Path) -> Grid:
    """A grid with a row for each system, or for each score."""
    if scores_are_rows:
        return _rows_of_scores(overview, systems, home)
    rows = [
        [TableCell(system.label, ""), TableCell(_source(system), "")]
        + [_cell(overview, system, column, home) for column in overview.columns]
        + ([_mean(system)] if overview.mean else [])
        for system in systems
    ]
    return Grid(["System", "From"], [*overview.heads, *([overview.mean] if overview.mean else [])], rows)


def _rows_of_scores(overview: Overview, systems: Sequence[LabelledSystem], home: Path) -> Grid:
    short = short_names(overview.tasks)
    rows = [
        [TableCell(short[column.task], "", [column.metric]), *(_cell(overview, s, column, home) for s in systems)]
        for column in overview.columns
        if any(system.value(column) is not None for system in systems)
    ]
    if overview.mean:
        rows.append([TableCell(overview.mean, ""), *map(_mean, systems)])
    labels = [f"{system.label} (published)" if isinstance(system, PaperSystem) else system.name for system in systems]
    return Grid(["Task"], labels, rows)


def _source(system: LabelledSystem) -> str:
    """Where a row's scores come from, in short; notes name the papers."""
    return system.source.rpartition(", ")[2] if isinstance(system, PaperSystem) else "these runs"


def _cell(overview: Overview, system: LabelledSystem, column: TaskScore, home: Path) -> TableCell:
    value = system.value(column)
    if value is None:
        return TableCell(numbers.MISSING, sort="")
    if isinstance(system, PaperSystem):
        return TableCell(numbers.score(value), sort=repr(value))
    interval = system.intervals.get(column.task, {}).get(column.metric)
    remark = system.remarks.get(column.task)
    return TableCell(
        numbers.score(value),
        small=[text for text in (interval and str(interval), remark) if text],
        href=page_address(system.folders.get(column.task), home),
        is_best=system.name in overview.best_systems(column, overview.systems),
        sort=repr(value),
    )


def _mean(system: LabelledSystem) -> TableCell:
    return TableCell(numbers.score(system.mean), sort="" if system.mean is None else repr(system.mean))


def _notes(overview: Overview) -> list[str]:
    """Notes on the scores, the papers, the intervals, and what is missing."""
    sources = dict.fromkeys(paper.source for paper in overview.published)
    return [
        *([] if overview.scores_are_rows else [f"scores: {overview.metrics()}"]),
        *([f"published: {'; '.join(sources)}"] if sources else []),
        *interval_notes.method_notes(overview.intervals()),
        *overview.notes,
    ]
