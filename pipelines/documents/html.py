"""HTML, by lxml (BSD; libxml2's parser): what a browser would show, block by block, without navigation.

trafilatura and readability look for a page's main part and may lose a chapter; html-text puts spaces inside words that
are marked up in part (a drop capital: "C all me Ishmael") and returns nothing for deep trees. So lxml parses, and
the tags are handled here. Headings (h1 to h3) are the marks.
"""

import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from chunkers import Heading
from longdoc.errors import UserError
from pipelines.documents import Text, file_bytes
from pipelines.documents.markup.page_text import Linked, PageText, TooDeep
from pipelines.documents.markup.writer import headings_of

VERSION = 5
LIBRARY = "lxml"

_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA).)*?)\]\]>", re.DOTALL)
_DECLARED = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_REMARK = re.compile(rb"<!--(?:(?!<!--).)*?-->", re.DOTALL)
HEAD = 1 << 16  # bytes in which a page says its encoding: scripts may stand before it
_WIDE_ENCODINGS = re.compile(rb"utf[-_]?(?:16|32)|u(?:16|32)\b|ucs|iso-10646|unicode", re.IGNORECASE)


def read(path: Path) -> Text:
    """The words of a page, with its headings as sections. Raises `UserError` for binary data and absurd nesting."""
    data = file_bytes.contents(path)
    file_bytes.check(path, data)
    return text_of(page(path, data))


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its headings and `anchors` (ids) with their positions, `warnings` as Text's."""

    title: str = ""
    text: str = ""
    headings: list[Heading] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    tables: tuple[tuple[int, int], ...] = ()


def text_of(content: Page) -> Text:
    """A page as the text of a file."""
    marks = tuple((heading.start, heading.title) for heading in content.headings)
    return Text(
        content.text,
        content.title,
        "section",
        marks,
        warnings=content.warnings,
        headings=tuple(content.headings),
        tables=content.tables,
    )


def page(path: Path, data: bytes, linked: Linked | None = None) -> Page:
    """A page from its bytes; `linked` gives the style sheets that it links to.

    Raises `UserError` for binary data and absurd nesting.
    """
    from lxml import etree

    declaration = _DECLARED.search(_REMARK.sub(b"", data[:HEAD]))
    if declaration and _WIDE_ENCODINGS.match(declaration[1]):
        declaration = None  # in such bytes the declaration could not have been found: it is wrong
    source, warnings = file_bytes.decoded(path, data, declaration[1].decode("ascii") if declaration else None)
    if not source.strip():
        return Page(warnings=warnings)
    if "<![CDATA[" in source and "http://www.w3.org/1999/xhtml" in source[:4096]:
        source = _CDATA.sub(lambda match: escape(match[1]), source)
    source = _BODY.sub(r"\g<0><div>", source, count=1)  # libxml2 begins paragraphs of words that stand in no element
    target = PageText(linked)
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        etree.fromstring(source.encode(), parser)
    except TooDeep:
        raise UserError(f"{path} is nested too deeply to be read; save it from a browser as text or PDF") from None
    except etree.ParserError:  # there is no element in it
        return Page(warnings=warnings)
    sink, title = target.sink, " ".join(target.title.split())
    text = sink.writer.text
    return Page(title, text, headings_of(text, sink), sink.anchors, warnings, tuple(sink.tables))
