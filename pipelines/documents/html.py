"""HTML, by lxml (BSD; libxml2's parser): what a browser would show of it, block by block, without navigation.

trafilatura and readability look for a page's main part and may lose a chapter; html-text puts spaces inside words that
are marked up in part (a drop capital: "C all me Ishmael") and returns nothing for deep trees. So lxml parses, and the
walk over its tree is ours. Headings (h1 to h3) are the places.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, _files
from pipelines.documents._writer import Writer

VERSION = 1
LIBRARY = "lxml"

DROPPED = frozenset((
    "head", "script", "style", "nav", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "audio",
    "video", "select", "button", "textarea", "datalist", "dialog", "rp",
))  # fmt: skip
LINES = frozenset((
    "br", "div", "li", "tr", "dt", "dd", "option", "legend", "caption", "figcaption", "summary", "address",
    "center", "optgroup",
))  # fmt: skip
BLOCKS = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "dl", "table", "section", "article",
    "main", "header", "footer", "aside", "figure", "details", "form", "fieldset", "hr", "body", "menu",
))  # fmt: skip
HEADINGS = frozenset(("h1", "h2", "h3"))
_DECLARED = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)


def read(path: Path) -> Text:
    """The words of a page, with its headings as sections. Raises `UserError` for binary data and absurd nesting."""
    data = _files.contents(path)
    _files.check(path, data)
    found = page(path, data)
    return Text(found.text, found.title, "section", tuple(found.headings), notes=found.notes)


@dataclass(frozen=True, slots=True)
class Page:
    """What one page says: its headings with where they stand, where its `anchors` (ids) are, `notes` as Text's."""

    title: str = ""
    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def page(path: Path, data: bytes) -> Page:
    """One page's bytes, read. Raises `UserError` for binary data and absurd nesting."""
    etree = need("lxml.etree", "documents", "reading HTML")
    declared = _DECLARED.search(data[:2048])
    source, notes = _files.decoded(path, data, declared[1].decode("ascii") if declared else None)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    tree = etree.fromstring(source.encode(), parser) if source.strip() else None
    if any("depth" in entry.message for entry in parser.error_log):
        raise UserError(f"{path} is nested too deeply to be read whole: save it from a browser as text or PDF")
    if tree is None:
        return Page(notes=notes)
    writer, headings, anchors = Writer(), list[tuple[int, str]](), dict[str, int]()
    _walk(etree, tree, writer, headings, anchors)
    return Page(" ".join((tree.findtext(".//title") or "").split()), writer.text, headings, anchors, notes)


def _walk(
    etree: object, tree: object, writer: Writer, headings: list[tuple[int, str]], anchors: dict[str, int]
) -> None:
    walker = etree.iterwalk(tree, events=("start", "end"))  # type: ignore[attr-defined]
    exact, start = 0, 0
    for event, element in walker:
        tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else "script"
        dropped = tag in DROPPED or element.get("hidden") is not None
        if not dropped:
            writer.block(2) if tag in BLOCKS else writer.block(1) if tag in LINES else None
            if tag in ("td", "th"):
                writer.space()
        if event == "start":
            exact += tag == "pre"
            start = writer.next if tag in HEADINGS else start
            if name := element.get("id") or element.get("name"):
                anchors.setdefault(name, writer.next)
            if dropped:
                walker.skip_subtree()
            else:
                writer.words(element.text, exact > 0)
            continue
        exact -= tag == "pre"
        if tag in HEADINGS and not dropped and (said := " ".join("".join(element.itertext()).split())):
            headings.append((start, said))
        writer.words(element.tail, exact > 0)
