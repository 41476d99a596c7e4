"""HTML, by lxml (BSD; libxml2's parser): what a browser would show, block by block, without navigation.

trafilatura and readability look for a page's main part and may lose a chapter; html-text puts spaces inside words that
are marked up in part (a drop capital: "C all me Ishmael") and returns nothing for deep trees. So lxml parses, and
the tags are handled here. Headings (h1 to h3) are the marks.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes
from pipelines.documents._writer import Writer

VERSION = 4
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
DEEPEST = 2_000  # nested elements; the parser itself stops a little later, silently
_DECLARED = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)

_WIDE_ENCODINGS = re.compile(rb"utf[-_]?(?:16|32)|u(?:16|32)\b|ucs|iso-10646|unicode", re.IGNORECASE)


def read(path: Path) -> Text:
    """The words of a page, with its headings as sections. Raises `UserError` for binary data and absurd nesting."""
    data = file_bytes.contents(path)
    file_bytes.check(path, data)
    content = page(path, data)
    return Text(content.text, content.title, "section", tuple(content.headings), warnings=content.warnings)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its headings and `anchors` (ids) with their positions, `warnings` as Text's."""

    title: str = ""
    text: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def page(path: Path, data: bytes) -> Page:
    """One page's bytes, read. Raises `UserError` for binary data and absurd nesting."""
    from lxml import etree

    declared = _DECLARED.search(data[:2048])
    if declared and _WIDE_ENCODINGS.match(
        declared[1]
    ):  # the declaration could not have been found in such bytes: it is wrong
        declared = None
    source, warnings = file_bytes.decoded(path, data, declared[1].decode("ascii") if declared else None)
    if not source.strip():
        return Page(warnings=warnings)
    target = _Target()
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        etree.fromstring(source.encode(), parser)
    except _TooDeep:
        raise UserError(f"{path} is nested too deeply to be read: save it from a browser as text or PDF") from None
    except etree.ParserError:  # there is no element in it
        return Page(warnings=warnings)
    headings = sorted(target.headings, key=itemgetter(0))  # one inside another ends before it
    return Page(" ".join(target.title.split()), target.writer.text, headings, target.anchors, warnings)


class _TooDeep(Exception):
    """Elements are nested more deeply than the parser follows."""


class _Target:
    """lxml's parser target, called at each tag and piece of text: a tree would take fifty times the memory.

    `title` is the first title's text.
    """

    def __init__(self) -> None:
        self.writer, self.title = Writer(), ""
        self.headings, self.anchors = list[tuple[int, str]](), dict[str, int]()
        self._pending: list[str] = []  # pieces of text since the last tag
        self._open: list[bool] = []  # of each element that is open, whether it is shown
        self._hidden = self._exact = self._titles = 0
        self._titling = False  # the text that follows is the first title's
        self._heads: list[tuple[int, list[str]]] = []  # where each heading that is open begins, and its words

    def data(self, text: str) -> None:
        """A piece of text."""
        self._pending.append(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._flush()
        if len(self._open) >= DEEPEST:
            raise _TooDeep
        dropped = tag in DROPPED or "hidden" in attributes
        self._open.append(not dropped)
        self._titles += tag == "title"
        self._titling = tag == "title" and self._titles == 1
        if self._hidden:
            self._hidden += 1
            return
        self._hidden += dropped
        if not dropped:
            self._break(tag)
        self._exact += tag == "pre"
        if tag in HEADINGS and not dropped:
            self._heads.append((self.writer.next, []))
        if name := attributes.get("id") or attributes.get("name"):
            self.anchors.setdefault(name, self.writer.next)

    def end(self, tag: str) -> None:
        """An element ends."""
        self._flush()
        self._titling, is_shown = False, self._open.pop()
        if self._hidden > 1:
            self._hidden -= 1
            return
        self._hidden = 0
        self._exact -= tag == "pre"
        if not is_shown:
            return
        self._break(tag)
        if tag in HEADINGS:
            start, words = self._heads.pop()
            if heading := " ".join("".join(words).split()):
                self.headings.append((start, heading))

    def close(self) -> None:
        """The page ends."""
        self._flush()

    def _break(self, tag: str) -> None:
        if tag in BLOCKS:
            self.writer.block(2)
        elif tag in LINES:
            self.writer.block(1)
        elif tag in ("td", "th"):
            self.writer.space()

    def _flush(self) -> None:
        """Write the text since the last tag."""
        if not self._pending:
            return
        text = "".join(self._pending)
        self._pending.clear()
        if self._titling:
            self.title = text
        if self._hidden:
            return
        for _, words in self._heads:
            words.append(text)
        self.writer.words(text, self._exact > 0)
