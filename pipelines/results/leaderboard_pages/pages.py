"""The leaderboard's pages: the tables and curves, and for each file of predictions a page with its examples."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from longdoc.errors import UserError
from longdoc.files import write_pieces, write_whole
from longdoc.links import refuse_link
from pipelines.display import numbers
from pipelines.display import page as pages
from pipelines.display.table import Score
from pipelines.records import references_text
from pipelines.results.conditions.lines import Line, Point
from pipelines.results.curves.axis import positive
from pipelines.results.curves.curve_set import CurveSet
from pipelines.results.leaderboard_pages.leaderboard import RECORD, BenchmarkTable, Leaderboard, ScoredSystem
from pipelines.results.reports.page.line_plot import Picture, pictures
from pipelines.statistics.intervals import Interval

NAME = "leaderboard.html"
ASSETS = Path(__file__).with_name("assets")
MARK = '<meta name="generator" content="longdoc leaderboard">'  # in every page of ours: others are not overwritten
SCRIPTS = ("make", "theme", "tables", "overview")
LONGEST_NAME = 100  # characters of a page's name
LONGEST_TEXT = 1_000  # characters of a prediction, a question or a reference that are shown


@dataclass(frozen=True, slots=True)
class Cell:
    """A score with its interval, the words of what it is, and the address of its examples; empty without a page."""

    score: str
    value: float | None
    interval: str
    words: str
    address: str


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """A system with its cells, None where it has no score, and its examples in words."""

    system: str
    kind: str
    cells: Sequence[Cell | None]
    coverage: str
    cost: float | None


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Curves with their picture in its sizes, the lines of the legend, the tables below, and what is said of them.

    A table has its caption, its headings, and its rows of texts.
    """

    title: str
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]
    pictures: Sequence[Picture]
    lines: Sequence[Line]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """A prediction as its page shows it."""

    id: str
    document: str
    query: str
    references: Sequence[str]
    prediction: str
    value: float | None


def write_pages(board: Leaderboard, folder: Path) -> Leaderboard:
    """Write the pages into a folder. Raises `UserError` for a page of that name there that is not of ours."""
    _check_ours(folder / NAME)
    systems = []
    for number, system in enumerate(board.systems):
        page = _page_name(number, system) if system.kind == "predictions" else _relative(system.page, folder)
        systems.append(replace(system, page=page))
        if system.kind == "predictions":
            text = (piece.encode("utf-8") for piece in _examples_page(systems[-1]))
            write_pieces(folder, page, text)
    board = replace(board, systems=systems, folder=folder)
    write_whole(folder, NAME, _index_page(board))
    write_whole(folder, RECORD, json.dumps(board.to_dict(), ensure_ascii=False, indent=1, default=str))
    return board


def _check_ours(file: Path) -> None:
    refuse_link(file)
    if file.exists() and MARK not in file.read_text(encoding="utf-8", errors="replace")[:1_000]:
        raise UserError(f"{file} is no page of longdoc benchmark leaderboard: choose another folder with out=")


def _page_name(number: int, system: ScoredSystem) -> str:
    words = "-".join(filter(None, (system.task, system.part, system.system)))
    return f"{number:04d}-{re.sub(r'[^A-Za-z0-9.]+', '-', words)[:LONGEST_NAME]}.html"


def _relative(page: str, folder: Path) -> str:
    return os.path.relpath(page, folder) if page else ""


def _address(page: str) -> str:
    """A path as a relative address, which cannot be taken for one of another kind (`javascript:`)."""
    return f"./{quote(os.fsencode(page))}" if page else ""


def _index_page(board: Leaderboard) -> str:
    benchmarks = board.benchmarks()
    return pages.page(
        "results/leaderboard_pages/templates/leaderboard.html",
        pages.styles(pages.ASSETS / "ways.css", ASSETS / "leaderboard.css"),
        pages.scripts(("make", "theme", "tables"), ASSETS / "filter.js", pages.ASSETS / "overview.js"),
        mark=MARK,
        title="Leaderboard",
        has_costs=any(system.cost is not None for system in board.systems),
        benchmarks=[(table.name, [table.heading(column) for column in table.columns], _rows(table))
                    for table in benchmarks],
        plots=[_plot(curves) for curves in board.curves],
        notes=board.lines_below(),
        warnings=_warnings(board),
    )  # fmt: skip


def _rows(table: BenchmarkTable) -> list[BenchmarkRow]:
    rows = []
    for name, by_column in table.rows.items():
        systems = list(by_column.values())
        cells = [_cell(by_column.get(column), score) for column, score in table.columns.items()]
        costs = [system.cost for system in systems if system.cost is not None]
        rows.append(BenchmarkRow(name, systems[0].kind, cells, table.coverage(name), sum(costs) if costs else None))
    return rows


def _cell(system: ScoredSystem | None, score: str) -> Cell | None:
    if system is None:
        return None
    entry = system.scores.entry(score)
    words = f"{score} of {system.coverage} examples"
    value = None if entry is None else entry.value
    return Cell(numbers.score(value), value, _interval(entry), words, _address(system.page))


def _interval(entry: Score | None) -> str:
    if entry is None or entry.low is None or entry.high is None:
        return ""
    return numbers.interval(entry.low, entry.high, entry.few)


def _warnings(board: Leaderboard) -> list[str]:
    """What is to be said of files, once for each task."""
    by_warning: dict[tuple[str, str], list[str]] = {}
    for system in board.systems:
        for warning in system.warnings:
            by_warning.setdefault((system.task, warning), []).append(system.system)
    return [f"{task}, {', '.join(dict.fromkeys(names))}: {warning}" for (task, warning), names in by_warning.items()]


def _plot(curves: CurveSet) -> CurvePlot:
    """The curves as lines, and what the tables below the first say of them."""
    places = positive(curves.middles)
    lines = [
        Line(curve.system, "retrieval", [
            Point(curve.system, "", places[point.bin], point.score, *_bounds(point.interval))
            for point in curve.points.values()
        ])
        for curve in curves.curves
    ]  # fmt: skip
    x_title = f"length of the document ({curves.unit})"
    _, *tables = curves.tables()
    texts = [(table.caption, table.heads, [list(map(str, row)) for row in table.entries]) for table in tables]
    notes = [note for table in curves.tables() for note in table.notes]
    notes += ["a length of 0 is drawn at half of the shortest of the others"] if min(curves.middles) == 0 else []
    return CurvePlot(curves.task, texts, pictures(lines, curves.metric, x_title), lines, notes)


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _examples_page(system: ScoredSystem) -> Iterator[str]:
    return pages.pieces(
        "results/leaderboard_pages/templates/examples.html",
        pages.styles(ASSETS / "leaderboard.css"),
        pages.scripts(SCRIPTS),
        mark=MARK,
        title=f"{system.system} · {system.task}" + (f" · {system.part}" if system.part else ""),
        home=NAME,
        path=system.path,
        score=system.score,
        scores=[(name, system.scores.entry(name)) for name in system.scores],
        coverage=system.coverage,
        examples=_example_rows(system),
    )


def _example_rows(system: ScoredSystem) -> Iterator[ExampleRow]:
    for prediction, value in zip(system.predictions, system.values, strict=True):
        yield ExampleRow(
            prediction.id,
            prediction.document,
            _shortened(prediction.query),
            [_shortened(text) for text in references_text(prediction.references)],
            _shortened(prediction.prediction),
            value,
        )


def _shortened(text: str) -> str:
    return numbers.shortened(text, LONGEST_TEXT)
