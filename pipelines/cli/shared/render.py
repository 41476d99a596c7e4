"""Records as rich tables for a terminal; a record's plain text is its own `str`.

A narrow terminal wraps names and prose, never numbers. If not all columns of scores fit, a line below names the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longdoc.messages import counted
from pipelines.cli.shared.details import Details
from pipelines.display import numbers, terminal
from pipelines.display.table import Table as PlainTable
from pipelines.results.excerpts import RIGHT_MARK, WRONG_MARK, Excerpt
from pipelines.results.result import Result
from pipelines.results.run_folders.example_view import (
    LEGEND,
    MAP_LEGEND,
    PASSAGES,
    InspectedExample,
    Piece,
    marked,
)
from pipelines.results.run_folders.listed_run import ListedRun, Listing

COLOURS = {"finished": "green", "running": "cyan", "unfinished": "yellow", "unreadable": "red"}
NAMES = 44  # columns of the terminal that a table of runs keeps for folder and recipe
MARKS = {RIGHT_MARK: "green", WRONG_MARK: "red"}
WIDE_COLUMNS = 100  # columns of a terminal with room for times


def text(value: str, style: str = "") -> Text:
    """Text without control characters, in a style."""
    return Text(terminal.visible(value), style=style)


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """An empty table with a rule under its headings; the columns in `right` are right-aligned and never wrapped."""
    empty = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    whole_columns = set(right)
    for name in columns:
        is_whole = name in whole_columns
        empty.add_column(text(name), justify="right" if is_whole else "left", no_wrap=is_whole, overflow="fold")
    return empty


def result(result: Result, details: bool = False) -> RenderableType:
    """A finished run: its scores with their intervals in a table, three examples, and a link to the report.

    With `details` it shows every score and its signature.
    """
    score_table, *example_tables = result.tables(details)
    parts: list[RenderableType] = [text(score_table.caption, "bold"), Text()]
    parts += [_scores(result, details)] if score_table.rows else []
    parts += [text(note, _style(note) or "dim") for note in score_table.notes]
    if example_tables:
        parts += [Text(), text(example_tables[0].caption, "bold"), _excerpts(result.excerpts), Text()]
    target = result.folder if result.report is None else result.report
    return Group(*parts, terminal.unbroken(result.location(), f"link {target.absolute().as_uri()}"))


def _scores(result: Result, details: bool) -> Table:
    signature_heading = ["how it was computed"] if details else []
    interval_heading = ["interval"] if result.scores.intervals else []
    scores = table("score", "value", *interval_heading, *signature_heading, right=["value", "interval"])
    rows = [
        [name, numbers.score(result.scores[name]), *([result.scores.interval(name)] if interval_heading else [])]
        for name in result.shown_scores(details)
    ]
    taken_width = sum(
        max(map(len, column)) + 2 for column in zip(("score", "value", *interval_heading), *rows, strict=True)
    )
    for name, *cells in rows:
        signature = _folded_signature(result.scores.signatures.get(name, ""), terminal.console().width - taken_width)
        scores.add_row(text(name, "bold"), *cells, *([text(signature, "dim")] if details else []))
    return scores


def _excerpts(excerpts: Sequence[Excerpt]) -> Table:
    """Examples, each text cut to one line."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for excerpt in excerpts:
        for number, (name, words) in enumerate(excerpt.texts()):
            mark = Text() if number else text(excerpt.mark, MARKS.get(excerpt.mark, "yellow"))
            grid.add_row(mark, name, text(numbers.line(words)))
    return grid


def _folded_signature(signature: str, width: int) -> str:
    """A signature broken at its bars into lines of at most `width` characters."""
    lines = [""]
    for part in signature.split("|"):
        joined = f"{lines[-1]}|{part}" if lines[-1] else part
        if len(joined) + 1 > width and lines[-1]:
            lines[-1] += "|"
            lines.append(part)
        else:
            lines[-1] = joined
    return "\n".join(lines)


def _style(line: str) -> str:
    styles = {"warning:": "yellow", "not computed:": "yellow", "failed:": "red", "…": "red"}
    return next((style for begin, style in styles.items() if line.startswith(begin)), "")


def listing(listing: Listing) -> RenderableType:
    """Runs by task with state, recipe and scores, then the commands that resume unfinished ones."""
    if not listing.runs:
        return text(listing.lines_below()[0])
    parts: list[RenderableType] = []
    for task_table in listing.tables():
        parts += [text(task_table.caption, "bold"), _runs(listing, task_table), Text()]
    for run in listing.runs:
        if run.note:
            state = text(run.status, COLOURS[run.state])
            folder = Text.assemble(text(_below(listing, run), "bold"), " ", state, ": ")
            parts += [folder, terminal.unbroken(f"  {run.command}")] if run.command else [folder + text(run.note)]
        parts += [Text.assemble(text(_below(listing, run), "bold"), ": ", text(line, "yellow")) for line in run.outputs]
    parts += [text(listing.hint, "dim")] if listing.hint else []
    return Group(*parts[:-1] if not listing.notes and not listing.hint else parts)


def _runs(listing: Listing, task_table: PlainTable) -> RenderableType:
    score_columns = {column.name: column for column in task_table.columns if column.optional}
    width = terminal.console().width
    time_heading = ["written"] if width >= WIDE_COLUMNS else []
    shown_scores = _fitting(list(score_columns), width - NAMES - 19 * len(time_heading))
    runs_table = table("run", *time_heading, *shown_scores, right=[*time_heading, *shown_scores])
    for run in task_table.rows:
        cells = [str(score_columns[name].cell(run)) for name in shown_scores]
        runs_table.add_row(_run_cell(listing, run), *([run.local_time] if time_heading else []), *cells)
    missing = [name for name in score_columns if name not in shown_scores]
    if not missing:
        return runs_table
    return Group(runs_table, text(f"not shown here: {', '.join(missing)} (--json, or a wider window)", "dim"))


def _run_cell(listing: Listing, run: ListedRun) -> Text:
    """A run's folder, state, progress and split, and its recipe on the next line."""
    name, state = text(_below(listing, run), "bold"), text(run.status, COLOURS[run.state])
    return Text.assemble(name, "  ", state, f" {run.done}  {run.split}\n", text(f"  {run.recipe}", "dim"))


def _fitting(names: Sequence[str], width: int) -> list[str]:
    """The first names of scores whose columns fit in a width, at least one."""
    fitting_names: list[str] = []
    for name in names:
        width -= max(len(name), 6) + 3
        if width < 0 and fitting_names:
            break
        fitting_names.append(name)
    return fitting_names


def _below(listing: Listing, run: ListedRun) -> str:
    """A run's folder, relative to the listing's folder if it lies in it."""
    inside = run.folder != listing.folder and run.folder.is_relative_to(listing.folder)
    return numbers.line(str(run.folder.relative_to(listing.folder) if inside else run.folder))


def tasks(rows: Mapping[str, Mapping[str, Any]], recipe: Any) -> RenderableType:
    """The tasks with summary, recipe and metrics."""
    tasks_table = table("task", "what it is, by which recipe, scored how")
    for name, row in rows.items():
        tasks_table.add_row(
            text(name, "bold"),
            Text.assemble(row["summary"], "\n", (recipe(row), "cyan"), "\n", (", ".join(row["metrics"]), "dim")),
        )
    return tasks_table


def components(rows_by_kind: Mapping[str, Mapping[str, Any]], fields: Any) -> RenderableType:
    """The components by kind, with summary, parameters and defaults."""
    parts: list[RenderableType] = []
    for kind, rows in rows_by_kind.items():
        kind_table = Table(box=None, show_header=False, pad_edge=False)
        kind_table.add_column(no_wrap=True)
        kind_table.add_column(overflow="fold")
        for name, row in rows.items():
            parameters = fields(row)
            below = Text("\n" + parameters, "dim") if parameters else Text()
            kind_table.add_row(Text(name, "cyan"), Text.assemble(row["summary"], below))
        parts += [Text(kind, "bold"), Padding(kind_table, (0, 0, 1, 2))]
    return Group(*parts)


def details(descriptions: Sequence[Details]) -> RenderableType:
    """Components, prompts or tasks in full."""
    parts: list[RenderableType] = []
    for description in descriptions:
        rows = Table(box=None, show_header=False, pad_edge=False)
        for number in range(max(map(len, description.rows), default=0)):
            rows.add_column(no_wrap=number == 0, style="cyan" if number == 0 else "", overflow="fold")
        for row in description.rows:
            rows.add_row(*map(text, row))
        above = [text(description.flowing), Text()] if description.text else []
        parts += [text(description.title, "bold"), Text(), *above]
        parts += [*([text(description.heading)] if description.heading else []), Padding(rows, (0, 0, 1, 2))]
    return Group(*parts)


STYLES = {"answer": "bold green", "evidence": "underline yellow"}
SIGNS = {"#": "cyan", "A": "bold green", "a": "green", "E": "bold yellow", "e": "yellow"}


def example(example: InspectedExample) -> RenderableType:
    """An example: facts, a map of the document, and each passage with the text around it."""
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in example.facts():
        facts.add_row(
            name,
            text(value, {"failed": "red", "no text": "yellow", "cut": "yellow", "outputs": "yellow"}.get(name, "")),
        )
    if example.characters:
        width = max(terminal.console().width - 1 - max(len(name) for name, _ in example.facts()), 20)
        facts.add_row("map", Text.assemble(*((sign, SIGNS.get(sign, "dim")) for sign in example.map(width - 1))))
        facts.add_row("", _legend(MAP_LEGEND.split("  ")))
    parts: list[RenderableType] = [
        Text.assemble((example.task, "dim"), "  ", text(example.prediction.id, "bold")),
        facts,
    ]
    if example.characters:
        parts += [Text(), _marks()]
    for passage in example.passages[:PASSAGES]:
        parts += [Text(), text(passage.headline, "bold cyan")]
        if passage.text is not None:
            parts.append(_passage(passage.pieces()))
    if len(example.passages) > PASSAGES:
        parts += [Text(), Text(f"… and {counted(len(example.passages) - PASSAGES, 'more passage')} (--json has them)")]
    return Group(*parts)


def _legend(entries: Sequence[str]) -> Text:
    return Text("  ").join(Text.assemble((entry[0], SIGNS[entry[0]]), (entry[1:], "dim")) for entry in entries)


def _marks() -> Text:
    if not terminal.coloured():
        return Text(LEGEND)
    return Text.assemble(
        ("around", "dim"), "  passage  ", ("answer", STYLES["answer"]), "  ", ("evidence", STYLES["evidence"])
    )


def _passage(pieces: Sequence[Piece]) -> Text:
    """A passage with the text around it dim; with marks on a terminal without styles."""
    if not terminal.coloured():
        return Text(marked(pieces))
    passage = Text()
    for words, kinds in pieces:
        styles = [STYLES[kind] for kind in ("evidence", "answer") if kind in kinds]
        passage.append(text(words, " ".join(([] if "passage" in kinds else ["dim"]) + styles)))
    return passage
