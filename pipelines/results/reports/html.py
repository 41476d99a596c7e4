"""The HTML report: one file that opens anywhere, without network, with everything about a run, runs or an ablation.

The page is `page/page.html`, its styles and scripts beside it. A strict content security policy lets only these run,
by their hashes; examples lie in the page as compressed data, and what they say enters it as text alone.
"""

from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from xml.etree.ElementTree import Element

from longdoc.errors import UserError
from longdoc.files import write_whole
from pipelines.results.reports import _page_header, _page_published, _page_scores
from pipelines.results.reports._markup import element, rendered, sound
from pipelines.results.reports._page_data import page_data
from pipelines.results.reports.content import Content, What, of
from pipelines.results.run_folders.finished import examples_of
from pipelines.sources import Dataset

PARTS = Path(__file__).with_name("page")
SCRIPTS = (
    "make", "theme", "unpack", "tables", "chart", "plot", "state", "choose", "list", "passages", "map", "answers",
    "detail", "main",
)  # fmt: skip


def html(what: What, file: str | Path, *, data: Any = None) -> Path:
    """Write the report of run folders, an ablation's folder or an `Ablation` into one HTML file.

    `data`: where the documents are, if not where the run found them. Without them the page has everything but passages.
    Raises `UserError`.
    """
    return write(of(what), file, data=data)


def write(content: Content, file: str | Path, *, data: Any = None, opened: Dataset | None = None) -> Path:
    """Write a content's page. `opened`: the data, where they are at hand already. Raises `UserError`."""
    path = Path(file)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is no folder: make it, or write the report elsewhere")
    write_whole(path.parent, path.name, text(content, data=data, opened=opened))
    return path


def text(content: Content, *, data: Any = None, opened: Dataset | None = None) -> str:
    """The page of a content."""
    index, filled = _filled(content, data, opened)
    title = f"{content.task} · {content.split}"
    style, script = _style(), _script()
    page = Template((PARTS / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        title=escape(sound(title)),
        policy=escape(_policy(style, script)),
        style=style,
        script=script,
        content=rendered(_body(content)),
        index=index,
        blocks=filled,
    )


def _filled(content: Content, data: Any, opened: Dataset | None) -> tuple[str, str]:
    """Index and blocks; without texts where the data cannot be read. Raises `UserError` if they were named."""
    first = next((run.run for run in content.finished if run.run is not None), None)
    if first is None:
        return page_data(content, None, "no folder of a finished run is where it was")
    try:
        return page_data(content, opened or examples_of(first, data), "")
    except UserError as error:
        if data is not None:
            raise
        return page_data(content, None, str(error))


def _body(content: Content) -> Iterator[Element]:
    """The sections above the examples."""
    about = [part for part in (_page_header.versions(content), _page_header.specification(content)) if part is not None]
    yield _section("overview", "Overview", _page_header.facts(content), *_page_header.remarks(content), *about)
    if len(content.runs) == 1:
        none = element("p", "No figure was computed; why stands above.", class_="note")
        scores = _page_scores.scores(content.runs[0]) if content.figures else none
        yield _section("scores", "Scores", scores)
    else:
        plot = element("figure", id="plot", hidden="hidden")
        yield _section("scores", "Scores", _page_scores.side_by_side(content), plot, _signatures(content))
    if papers := _page_published.published(content):
        known = content.published
        notes = [element("li", f"{table}: {note}") for table, note in known.notes.items()] if known else []
        warning = element("p", known.warning if known else "", class_="note")
        yield _section("published", "Published figures", warning, *papers, element("ul", *notes, class_="note"))


def _signatures(content: Content) -> Element:
    return element("details", element("summary", "Signatures of the scores"), _page_scores.signatures(content))


def _section(name: str, title: str, *children: Element) -> Element:
    heading = element("h2", title, id=f"{name}-heading")
    return element("section", heading, *children, id=name, aria_labelledby=f"{name}-heading")


def _policy(style: str, script: str) -> str:
    """Nothing but these styles and this script, no request to anywhere, and no text becomes markup."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


@cache
def _style() -> str:
    return (PARTS / "style.css").read_text(encoding="utf-8")


@cache
def _script() -> str:
    """The scripts as one, in an own scope."""
    parts = [(PARTS / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"
