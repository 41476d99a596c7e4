"""The HTML report: one file that opens anywhere, without network, with everything about a run, runs or an ablation.

The template is `page/assets/page.html`, with its styles and scripts beside it. Examples are in the page as compressed
data and are inserted as text only.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from xml.etree.ElementTree import Element

from longdoc.errors import UserError
from longdoc.files import write_pieces
from pipelines.display.markup import element, rendered, sound
from pipelines.display.page import ASSETS, policy, scripts, section, styles
from pipelines.results.reports.checked_page import checked
from pipelines.results.reports.content import Content, ReportSource, gather
from pipelines.results.reports.page import header, published, scores, stages
from pipelines.results.reports.page.data import page_data
from pipelines.results.run_folders.run import examples_of
from pipelines.sources import Dataset

SCRIPTS = (
    "make", "theme", "unpack", "tables", "chart", "plot", "state", "choose", "list", "passages", "map", "answers",
    "detail", "main",
)  # fmt: skip


def html(source: ReportSource, file: str | Path, *, data: Any = None) -> Path:
    """Write the report of run folders, an ablation's folder or an `Ablation` into one HTML file.

    `data`: where the documents are, if not where the run had them. Without them the page has everything but passages.
    Raises `UserError`.
    """
    return write(gather(source), file, data=data)


def write(
    content: Content, file: str | Path, *, data: Any = None, dataset: Dataset | None = None, is_typed: bool = True
) -> Path:
    """Write the page of a report's content. Raises `UserError`.

    `dataset`: its data, if they are loaded already. `is_typed`: the user typed the file's path, which may be a link.
    """
    path = Path(file)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is no folder: make it, or write the report elsewhere")
    made_pieces = pieces(content, data=data, dataset=dataset)
    write_pieces(
        path.parent,
        path.name,
        checked(piece.encode("utf-8", "surrogatepass") for piece in made_pieces),
        is_typed=is_typed,
    )
    return path


def text(content: Content, *, data: Any = None, dataset: Dataset | None = None) -> str:
    """The page of a report's content."""
    return "".join(pieces(content, data=data, dataset=dataset))


def pieces(content: Content, *, data: Any = None, dataset: Dataset | None = None) -> Iterator[str]:
    """The page of a report's content, piece by piece: the texts of many documents are never in memory together."""
    index, blocks = _data(content, data, dataset)
    title = f"{content.task} · {content.split}"
    style, script = styles(), scripts(SCRIPTS)
    before, after = (ASSETS / "page.html").read_text(encoding="utf-8").split("$blocks")
    yield Template(before).substitute(
        title=escape(sound(title)),
        policy=escape(policy(style, script)),
        style=style,
        script=script,
        content=rendered(_body(content)),
        index=index,
    )
    yield from blocks
    yield after


def _data(content: Content, data: Any, dataset: Dataset | None) -> tuple[str, Iterator[str]]:
    """Index and blocks; without texts where the data cannot be read. Raises `UserError` if `data` was given."""
    first = next((run.readable_run for run in content.finished if run.readable_run is not None), None)
    if first is None:
        return page_data(content, None, "no folder of a finished run is where it was")
    try:
        return page_data(content, dataset or examples_of(first, data), "")
    except UserError as error:
        if data is not None:
            raise
        return page_data(content, None, str(error))


def _body(content: Content) -> Iterator[Element]:
    """The sections above the examples."""
    about = [part for part in (header.versions(content), header.specification(content)) if part is not None]
    yield section("overview", "Overview", header.facts(content), *header.remarks(content), *about)
    if len(content.runs) == 1:
        none_element = element("p", "No score was computed; the reasons are above.", class_="note")
        table = scores.scores(content.runs[0]) if content.score_names else none_element
        yield section("scores", "Scores", table)
    else:
        plot = element("figure", id="plot", hidden="hidden")
        yield section("scores", "Scores", scores.side_by_side(content), plot, _signatures(content))
    if elements := stages.stages(content):
        yield section("stages", "Where evidence is lost", *elements)
    if papers := published.published(content):
        rows = content.published
        notes = [element("li", f"{table}: {note}") for table, note in rows.notes.items()] if rows else []
        warning = element("p", rows.warning if rows else "", class_="note")
        yield section("published", "Published scores", warning, *papers, element("ul", *notes, class_="note"))


def _signatures(content: Content) -> Element:
    return element("details", element("summary", "Signatures of the scores"), scores.signatures(content))
