"""Reads XML: articles in JATS, texts in TEI, and from any other XML the words, one line per element.

The elements are read as those of a page that look the same, so tables, formulas and raised numbers are too. A note of
TEI stands behind its paragraph. Data about the file, the journal and the encoding is left out.

Sources: JATS 1.3 (Journal Article Tag Suite), TEI P5.
"""

from collections.abc import Mapping
from pathlib import Path

from pipelines.documents import Text, _xml, file_bytes, html
from pipelines.documents.markup.page_text import PageText
from pipelines.documents.markup.writer import headings_of

VERSION = 2
LIBRARY = None

EXCLUDED = frozenset((
    "journal-meta", "article-id", "article-categories", "pub-date", "history", "permissions", "self-uri", "counts",
    "custom-meta-group", "processing-meta", "related-article", "funding-group", "aff", "author-notes", "contrib-id",
    "elocation-id", "volume", "issue", "fpage", "lpage", "object-id", "alt-text", "long-desc", "tex-math", "annotation",
    "encodingDesc", "profileDesc", "revisionDesc", "publicationStmt", "sourceDesc",
    "respStmt", "fw", "teiCorpusHeader", "facsimile", "graphic", "script", "style",
))  # fmt: skip
BLOCKS = frozenset((
    "article-title", "title", "subtitle", "abstract", "sec", "p", "head", "div", "div1", "div2", "div3", "table-wrap",
    "fig", "list", "ref-list", "disp-quote", "disp-formula", "boxed-text", "ack", "app", "back", "body", "front", "lg",
    "contrib-group", "caption", "fn-group", "text", "titleStmt", "teiHeader",
))  # fmt: skip
LINES = frozenset((
    "l", "ref", "contrib", "fn", "author", "label", "sp", "stage", "speaker", "def-item", "kwd", "verse-line", "attrib",
    "note", "bibl", "mixed-citation",
))  # fmt: skip
SAME = {  # as elements of a page
    **{name: name for name in ("table", "thead", "tbody", "tr", "td", "th", "sup", "sub", "p")},
    **{
        "row": "tr",
        "cell": "td",
        "item": "li",
        "list-item": "li",
        "lb": "br",
        "break": "br",
        "bold": "b",
        "quote": "blockquote",
    },
}
NUMBERS = {"order": "1", "alpha-lower": "a", "alpha-upper": "A", "roman-lower": "i", "roman-upper": "I", "ordered": "1",
           "numbered": "1"}  # fmt: skip
RAISED = {"sup": "sup", "superscript": "sup", "sub": "sub", "subscript": "sub"}
PARAGRAPHS = frozenset(("p", "l", "head"))
HEADINGS = frozenset(("title", "head", "article-title"))
UNTITLED = frozenset(("caption", "list", "table", "figure", "fig", "lg"))  # what has a name that is no heading
SECTIONS = frozenset(("sec", "div", "div1", "div2", "div3"))
_CHOICES = (("corr", "sic"), ("reg", "orig"), ("expan", "abbr"))


def read(path: Path) -> Text:
    """The visible text. Raises `UserError` for a file that is not XML or was cut off."""
    source, warnings = _xml.source(path)
    root = _xml.root(path, source)
    if _name(root) == "html":
        return html.text_of(html.page(path, file_bytes.contents(path)))
    article = _Article(is_known=_name(root) in ("article", "TEI", "TEI.2", "teiCorpus", "book", "pmc-articleset"))
    article.add(root)
    sink = article.page.sink
    text = sink.writer.text
    headings = tuple(headings_of(text, sink))
    title = headings[0].title if headings else ""
    marks = tuple((heading.start, heading.title) for heading in headings)
    tables = tuple(sink.tables)
    return Text(text, title, "section" if marks else None, marks, warnings=warnings, headings=headings, tables=tables)


def _name(element: _xml.Element) -> str:
    return str(element.tag).rpartition("}")[2]


class _Article:
    """An article as a page; `is_known`: its elements are those of JATS or TEI."""

    def __init__(self, is_known: bool) -> None:
        self.page = PageText()
        self._is_known = is_known
        self._notes = list[tuple[str, _xml.Element]]()  # that stand behind the paragraph

    def add(self, element: _xml.Element, is_within_words: bool = False) -> None:
        """Write an element, which may stand between words; libxml2 has limited the depth."""
        name, above = _name(element), element.getparent()
        parent = "" if above is None else _name(above)
        if self._is_known and (name in EXCLUDED or (name, parent) == ("xref", "contrib")):
            return
        if self._is_known and name == "label" and element.getnext() is not None:
            self.page.number(" ".join("".join(element.itertext()).split()))
            return
        if self._is_known and name == "note" and any(_name(outer) in PARAGRAPHS for outer in element.iterancestors()):
            number = element.get("n", str(len(self._notes) + 1))
            self._notes.append((number, element))
            self.page.data(f"[{number}]")
            return
        tag, attributes = self._page_element(name, parent, element, is_within_words)
        self.page.start(tag, attributes)
        self._add_inside(element)
        if name in ("surname", "given-names", "forename"):
            self.page.data(" ")
        self.page.end(tag)
        if name in PARAGRAPHS:
            self._add_notes()

    def _add_inside(self, element: _xml.Element) -> None:
        if element.text:
            self.page.data(element.text)
        has_words = any((text or "").strip() for text in (element.text, *(child.tail for child in element)))
        for child in element:
            if isinstance(child.tag, str) and not (_name(element) == "choice" and _is_replaced(element, child)):
                self.add(child, has_words)
            self.page.data(child.tail or "")

    def _add_notes(self) -> None:
        notes, self._notes = self._notes, []
        for number, note in notes:
            self.page.start("p", {})
            self.page.number(f"[{number}]")
            self._add_inside(note)
            self.page.end("p")

    def _page_element(
        self, name: str, parent: str, element: _xml.Element, is_within_words: bool
    ) -> tuple[str, Mapping[str, str]]:
        """The tag and attributes of the page element that looks like an XML element."""
        if "MathML" in element.tag:
            return name, dict(element.attrib)
        if not self._is_known:
            return RAISED.get(name, "span" if is_within_words else "div"), {}
        get = element.get
        if name in HEADINGS:
            sections = sum(_name(above) in SECTIONS for above in element.iterancestors())
            return ("p" if parent in UNTITLED else f"h{min(1 + sections, 6)}"), {}
        if name in ("td", "th", "cell"):
            is_head = "label" in (get("role"), element.getparent().get("role"))
            spans = {"colspan": get("cols", get("colspan", "1")), "rowspan": get("rows", get("rowspan", "1"))}
            return ("th" if is_head else SAME[name]), spans
        if name == "list":
            kind = NUMBERS.get(get("list-type", get("type", "")))
            return ("ol", {"type": kind}) if kind else ("ul", {})
        if name == "xref":
            return "a", {"href": "#"}
        if name == "hi" or (name == "ref" and parent != "ref-list") or get("break") == "no":
            return RAISED.get(get("rend", ""), "span"), {}
        return SAME.get(name) or ("section" if name in BLOCKS else "div" if name in LINES else "span"), {}


def _is_replaced(choice: _xml.Element, child: _xml.Element) -> bool:
    """Whether a TEI reading has a better alternative beside it."""
    names = {_name(other) for other in choice}
    return any(better in names and _name(child) == worse for better, worse in _CHOICES)
