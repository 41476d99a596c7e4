"""Records as rich tables, for a terminal; the plain form of each is the record's own `str`.

Names and prose are wrapped where the terminal is narrow, numbers never are: where not all columns of scores fit, a line
below says which are missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longdoc.plurals import counted
from pipelines.cli.shared.details import Details
from pipelines.display import numbers, terminal
from pipelines.results.excerpts import RIGHT_MARK, WRONG_MARK, Excerpt
from pipelines.results.leaderboards.published import Published, PublishedRow, decimals
from pipelines.results.result import Result
from pipelines.results.run_folders.example_view import (
    LEGEND,
    MAP_LEGEND,
    PASSAGES,
    ExampleList,
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
    """Text from anywhere, made visible."""
    return Text(terminal.visible(value), style=style)


def table(*columns: str, right: Iterable[str] = ()) -> Table:
    """An empty table: rules under its names only, the columns of `right` kept whole."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    numbers = set(right)
    for name in columns:
        is_whole = name in numbers
        table.add_column(text(name), justify="right" if is_whole else "left", no_wrap=is_whole, overflow="fold")
    return table


def result(result: Result, signatures: bool = False) -> RenderableType:
    """A finished run: its scores with their intervals in a table, three examples, and a link to the report.

    With `signatures` what decides each score stands beside it, dim.
    """
    parts: list[RenderableType] = [text(f"{result.task}: {result.recipe}", "bold"), text(result.size()), Text()]
    parts += [
        _scores(result, signatures),
        *(text(note, _style(note) or "dim") for note in result.score_notes()),
        Text(),
    ]
    if result.excerpts:
        parts += [text(result.excerpts_title(), "bold"), _excerpts(result.excerpts), Text()]
    parts += [text(line, _style(line)) for line in result.remarks()]
    target = result.folder if result.report is None else result.report
    return Group(*parts, terminal.unbroken(result.location(), f"link {target.absolute().as_uri()}"))


def _scores(result: Result, signatures: bool) -> Table:
    last = ["how it was computed"] if signatures else []
    made_table = table(
        "score", "value", *(["interval"] if result.scores.intervals else []), *last, right=["value", "interval"]
    )
    taken_count = sum(max(map(len, column)) + 2 for column in _columns(result))
    for name, value in result.scores.items():
        bounds = [result.scores.interval(name)] if result.scores.intervals else []
        rules = (
            [text(_folded_text(result.scores.signatures[name], terminal.console().width - taken_count), "dim")]
            if signatures
            else []
        )
        made_table.add_row(text(name, "bold"), numbers.score(value), *bounds, *rules)
    return made_table


def _columns(result: Result) -> list[list[str]]:
    """The columns of a table of scores, save the signatures."""
    values = [numbers.score(value) for value in result.scores.values()]
    bounds = [result.scores.interval(name) for name in result.scores]
    return [
        ["score", *result.scores],
        ["value", *values],
        *([["interval", *bounds]] if result.scores.intervals else []),
    ]


def _excerpts(excerpts: Sequence[Excerpt]) -> Table:
    """Examples, each text cut at the end of its line."""
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    for excerpt in excerpts:
        for number, (name, words) in enumerate(excerpt.texts()):
            mark = Text() if number else text(excerpt.mark, MARKS.get(excerpt.mark, "yellow"))
            table.add_row(mark, name, text(words))
    return table


def _folded_text(signature: str, width: int) -> str:
    """A signature in lines that end at its bars."""
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
    begins = {"warning:": "yellow", "not computed:": "yellow", "failed:": "red", "…": "red"}
    return next((style for begin, style in begins.items() if line.startswith(begin)), "")


def listing(listing: Listing) -> RenderableType:
    """Runs by task: folder and recipe, state, scores as far as they fit; below it how the unfinished go on."""
    if not listing.runs:
        return text(str(listing))
    parts: list[RenderableType] = []
    for task, runs in groupby((run for run in listing.runs if run.task), key=lambda run: run.task):
        parts += [text(task, "bold"), _runs(listing, list(runs)), Text()]
    for run in listing.runs:
        if run.note:
            state = text(run.status, COLOURS[run.state])
            before = Text.assemble(text(_below(listing, run), "bold"), " ", state, ": ")
            parts += [before, terminal.unbroken(f"  {run.command}")] if run.command else [before + text(run.note)]
        parts += [Text.assemble(text(_below(listing, run), "bold"), ": ", text(line, "yellow")) for line in run.outputs]
    parts += [text(listing.hint, "dim")] if listing.hint else []
    return Group(*parts[:-1] if not listing.notes and not listing.hint else parts)


def _runs(listing: Listing, runs: Sequence[ListedRun]) -> RenderableType:
    names = list(dict.fromkeys(name for run in runs for name in run.scores))
    width = terminal.console().width
    when_names = ["written"] if width >= WIDE_COLUMNS else []
    shown_names = _fitting(names, width - NAMES - 19 * len(when_names))
    made_table = table("run", *when_names, *shown_names, right=[*when_names, *shown_names])
    for run in runs:
        scores = [f"{run.scores[name]:.2f}" if name in run.scores else "" for name in shown_names]
        made_table.add_row(_named_text(listing, run), *([run.local_time] if when_names else []), *scores)
    missing = [name for name in names if name not in shown_names]
    if not missing:
        return made_table
    return Group(made_table, text(f"not shown here: {', '.join(missing)} (--json, or a wider window)", "dim"))


def _named_text(listing: Listing, run: ListedRun) -> Text:
    """The folder, its state and how much is done, the split; below it the recipe."""
    name, state = text(_below(listing, run), "bold"), text(run.status, COLOURS[run.state])
    return Text.assemble(name, "  ", state, f" {run.done}  {run.split}\n", text(f"  {run.recipe}", "dim"))


def _fitting(names: Sequence[str], width: int) -> list[str]:
    """As many columns of scores as fit in a width, one at least."""
    shown_names: list[str] = []
    for name in names:
        width -= max(len(name), 6) + 3
        if width < 0 and shown_names:
            break
        shown_names.append(name)
    return shown_names


def _below(listing: Listing, run: ListedRun) -> str:
    """The folder as seen from where the listing began."""
    inside = run.folder != listing.folder and run.folder.is_relative_to(listing.folder)
    return str(run.folder.relative_to(listing.folder) if inside else run.folder)


def published(published: Published) -> RenderableType:
    """The papers' scores: one table for each table of theirs, then the notes."""
    parts: list[RenderableType] = []
    for (task, value, split), rows in groupby(published.rows, key=lambda row: (row.task, row.table, row.split)):
        heading = Text.assemble(text(task, "bold"), f"  {value}, {split or 'split not stated'}")
        parts += [heading, _systems(list(rows)), Text()]
    parts += [text(f"{location}: {note}", "dim") for location, note in published.notes.items()]
    return Group(*parts, text(f"warning: {published.warning}", "yellow"))


def _systems(rows: Sequence[PublishedRow]) -> Table:
    names = list(dict.fromkeys(row.metric for row in rows))
    systems: dict[tuple[str, int | None], dict[str, float]] = {}
    for row in rows:
        systems.setdefault((row.model, row.input_tokens), {})[row.metric] = row.value
    places = max(decimals(rows), 1)
    made_table = table("model", "tokens", *names, right=["tokens", *names])
    for (model, tokens), values in systems.items():
        made_table.add_row(
            text(model),
            str(tokens or ""),
            *(f"{values[name]:.{places}f}" if name in values else "" for name in names),
        )
    return made_table


def tasks(rows: Mapping[str, Mapping[str, Any]], recipe: Any) -> RenderableType:
    """The tasks: what each is, by which recipe, scored how."""
    made_table = table("task", "what it is, by which recipe, scored how")
    for name, row in rows.items():
        made_table.add_row(
            text(name, "bold"),
            Text.assemble(row["summary"], "\n", (recipe(row), "cyan"), "\n", (", ".join(row["metrics"]), "dim")),
        )
    return made_table


def components(found_rows: Mapping[str, Mapping[str, Any]], fields: Any) -> RenderableType:
    """The components by kind: name, summary, parameters with their defaults."""
    parts: list[RenderableType] = []
    for kind, rows in found_rows.items():
        table = Table(box=None, show_header=False, pad_edge=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, row in rows.items():
            parameters = fields(row)
            below = Text("\n" + parameters, "dim") if parameters else Text()
            table.add_row(Text(name, "cyan"), Text.assemble(row["summary"], below))
        parts += [Text(kind, "bold"), Padding(table, (0, 0, 1, 2))]
    return Group(*parts)


def details(found_details: Sequence[Details]) -> RenderableType:
    """Components, prompts or tasks whole: the text in lines as wide as the terminal, the table with folded columns."""
    parts: list[RenderableType] = []
    for details in found_details:
        rows = Table(box=None, show_header=False, pad_edge=False)
        for number in range(max(map(len, details.rows), default=0)):
            rows.add_column(no_wrap=number == 0, style="cyan" if number == 0 else "", overflow="fold")
        for row in details.rows:
            rows.add_row(*map(text, row))
        above = [text(details.flowing), Text()] if details.text else []
        parts += [text(details.title, "bold"), Text(), *above]
        parts += [*([text(details.heading)] if details.heading else []), Padding(rows, (0, 0, 1, 2))]
    return Group(*parts)


STYLES = {"answer": "bold green", "evidence": "underline yellow"}
SIGNS = {"#": "cyan", "A": "bold green", "a": "green", "E": "bold yellow", "e": "yellow"}


def example(example: InspectedExample) -> RenderableType:
    """An example: facts, the document's map, then each passage in its surroundings."""
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
    parts: list[RenderableType] = [Text.assemble((example.task, "dim"), "  ", text(example.id, "bold")), facts]
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
    """A passage with styles, its surroundings dim; with marks where the terminal has no styles."""
    if not terminal.coloured():
        return Text(marked(pieces))
    shown_text = Text()
    for words, kinds_names in pieces:
        styles = [STYLES[kind] for kind in ("evidence", "answer") if kind in kinds_names]
        shown_text.append(text(words, " ".join(([] if "passage" in kinds_names else ["dim"]) + styles)))
    return shown_text


def ids(example_list: ExampleList) -> RenderableType:
    """The examples of a run: id, question, prediction."""
    made_table = table("id", "question", "prediction")
    for name, query, prediction in example_list.rows:
        made_table.add_row(
            text(name, "bold"), text(" ".join(query.split())[:200]), text(" ".join(prediction.split())[:200])
        )
    count = counted(len(example_list.rows), "example")
    return Group(made_table, terminal.unbroken(f"{count}; one of them: longdoc show {example_list.run} ID", "dim"))
