"""XML: articles in JATS, texts in TEI, and of any other the words of each element on a line of its own.

Sources: JATS 1.3 (Journal Article Tag Suite), TEI P5. Titles of sections are the marks; data about the file, the
journal and the encoding is left out.
"""

from pathlib import Path

from chunkers import Heading
from pipelines.documents import Text, _xml, file_bytes, html
from pipelines.documents.markup.writer import Writer

VERSION = 1
LIBRARY = None

LEFT_OUT = frozenset((
    "journal-meta", "article-id", "article-categories", "pub-date", "history", "permissions", "self-uri", "counts",
    "custom-meta-group", "processing-meta", "related-article", "funding-group", "aff", "author-notes", "contrib-id",
    "elocation-id", "volume", "issue", "fpage", "lpage", "object-id", "alt-text", "long-desc", "tex-math", "annotation",
    "encodingDesc", "profileDesc", "revisionDesc", "publicationStmt", "sourceDesc",
    "respStmt", "fw", "teiCorpusHeader", "facsimile", "graphic", "script", "style",
))  # fmt: skip
BLOCKS = frozenset((
    "article-title", "title", "subtitle", "abstract", "sec", "p", "head", "div", "div1", "div2", "div3", "table-wrap",
    "fig", "list", "ref-list", "disp-quote", "disp-formula", "boxed-text", "ack", "app", "back", "body", "front", "lg",
    "table", "quote", "contrib-group", "caption", "fn-group", "text", "titleStmt", "teiHeader",
))  # fmt: skip
LINES = frozenset((
    "tr", "row", "item", "list-item", "l", "ref", "contrib", "fn", "lb", "break", "author", "label", "sp", "stage",
    "speaker", "def-item", "kwd", "verse-line", "attrib", "note", "bibl", "mixed-citation",
))  # fmt: skip
CELLS = frozenset(("td", "th", "cell"))
HEADINGS = frozenset(("title", "head", "article-title"))
SECTIONS = frozenset(("sec", "div", "div1", "div2", "div3"))
_CHOICES = (("corr", "sic"), ("reg", "orig"), ("expan", "abbr"))


def read(path: Path) -> Text:
    """The words that a reader is shown. Raises `UserError` for what is no XML, or cut off."""
    source, warnings = _xml.source(path)
    root = _xml.root(path, source)
    if _name(root) == "html":
        return html.text_of(html.page(path, file_bytes.contents(path)))
    article = _Article(is_known=_name(root) in ("article", "TEI", "TEI.2", "teiCorpus", "book", "pmc-articleset"))
    article.add(root)
    text, headings = article.writer.text, article.headings
    title = headings[0].title if headings else ""
    marks = tuple((heading.start, heading.title) for heading in headings)
    return Text(text, title, "section" if marks else None, marks, warnings=warnings, headings=tuple(headings))


def _name(element: _xml.Element) -> str:
    return str(element.tag).rpartition("}")[2]


class _Article:
    """An article as text; `is_known`: its elements are those of JATS or TEI."""

    def __init__(self, is_known: bool) -> None:
        self.writer, self.headings = Writer(), list[Heading]()
        self._is_known = is_known

    def add(self, element: _xml.Element, is_within_words: bool = False) -> None:
        """Write an element, which may stand between words: libxml2 has bounded its depth."""
        name = _name(element)
        if self._is_known and name in LEFT_OUT:
            return
        breaks = self._breaks(name, is_within_words)
        if breaks:
            self.writer.block(breaks)
        if name in CELLS and element.getprevious() is not None:
            self.writer.words(" | ")
        if self._is_known and name in HEADINGS and (words := " ".join("".join(element.itertext()).split())):
            start, sections = self.writer.next, sum(_name(above) in SECTIONS for above in element.iterancestors())
            self.headings.append(Heading(start, start + len(words), 1 + sections, words))
        if name == "sup":
            self.writer.raised("".join(element.itertext()))
            return
        if name == "sub":
            self.writer.lowered("".join(element.itertext()))
            return
        self.writer.words(element.text)
        has_words = any((text or "").strip() for text in (element.text, *(child.tail for child in element)))
        for child in element:
            if isinstance(child.tag, str) and not (name == "choice" and self._is_replaced(element, child)):
                self.add(child, has_words)
            self.writer.words(child.tail)
        if name in ("surname", "given-names", "forename"):
            self.writer.space()
        if breaks:
            self.writer.block(breaks)

    def _breaks(self, name: str, is_within_words: bool) -> int:
        """The line ends around an element: 2 of blocks, 1 of lines, 0 within a line."""
        if self._is_known:
            return 2 if name in BLOCKS else int(name in LINES)
        return 0 if is_within_words else 1

    def _is_replaced(self, choice: _xml.Element, child: _xml.Element) -> bool:
        """Whether a reading of TEI has a better one beside it."""
        names = {_name(other) for other in choice}
        return any(better in names and _name(child) == worse for better, worse in _CHOICES)
