"""Classifies the elements of a page: hidden or shown, headings, notes, raised words, lists."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pipelines.documents.markup import css
from pipelines.documents.markup.numerals import STYLES
from pipelines.documents.markup.tables import Table

DROPPED = frozenset((
    "title", "script", "style", "noscript", "iframe", "object", "embed", "canvas", "audio",
    "video", "datalist", "meter", "progress", "rp", "rt", "rtc",
))  # fmt: skip
SHOWN_WITH = {"dialog": "open", "template": "shadowrootmode"}  # elements that are shown only with an attribute
LINES = frozenset((
    "br", "div", "li", "tr", "dt", "dd", "legend", "caption", "figcaption", "summary", "address", "center",
))  # fmt: skip
BLOCKS = frozenset((
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "dl", "table", "section", "article",
    "main", "header", "footer", "aside", "figure", "details", "form", "fieldset", "hr", "body", "menu", "dialog", "nav",
))  # fmt: skip
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ROLES = HEADINGS | {"sup", "sub", "ol", "ul", "menu"}
LISTS = frozenset(("ol", "ul", "menu"))
# Names by which pages hide words with style sheets that are not inside them; the last are marks beside a heading
OFFSCREEN = frozenset(
    [
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "screen-reader-text",
        "screen-reader-only",
        "a-offscreen",
        "offscreen",
        "element-invisible",
        "MathJax_Preview",
        "katex-html",
        "material-icons",
        "material-symbols-outlined",
        "material-symbols-rounded",
        "headerlink",
        "anchor-link",
    ]
)
FORMULAS = frozenset(("mwe-math-mathml-a11y", "mwe-math-mathml-inline", "mwe-math-mathml-display"))
NOTES = frozenset(("noteref", "footnote-ref", "footnoteref", "reference", "footnote-reference", "fnref", "fn-ref"))
RAISED, LOWERED = frozenset(("sup", "superscript")), frozenset(("sub", "subscript"))
TYPED = frozenset(
    [
        "",
        "text",
        "search",
        "tel",
        "url",
        "email",
        "date",
        "month",
        "week",
        "time",
        "datetime-local",
        "number",
        "button",
        "submit",
        "reset",
    ]
)
COUNTING = frozenset(("counter-reset", "counter-increment", "before", "after"))
GENERIC = frozenset(("div", "span", "section", "article"))  # may be parts of a table by their role or style
PARTS = {
    **dict.fromkeys(("table", "grid", "treegrid"), "table"),
    **dict.fromkeys(("row", "table-row"), "tr"),
    **dict.fromkeys(("cell", "gridcell", "table-cell"), "td"),
    **dict.fromkeys(("columnheader", "rowheader"), "th"),
    "table-header-group": "thead",
}
APART = ("inline-block", "inline-flex", "inline-grid", "inline-table", "table-cell")
ROWS = ("flex", "grid", "inline-flex", "inline-grid")
MOST_ROWS = 65_534
NO_ATTRIBUTES: Mapping[str, str] = {}
_OFF = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|em|rem|%)|rect\((?:[\s,]*[01](?:px)?){4}[\s,]*\)")  # out of the page, or cut
_ZERO = re.compile(r"0(?:\.0+)?(?:px|pt|em|rem|%)?\Z")
PREFIX = re.compile(r"^(?:html|xhtml|h|m|mml|math|svg):")  # of XHTML and what is in it; others are not HTML's
NUMBER = re.compile(r"\s*([+-]?\d{1,9})")


@dataclass(slots=True)
class Frame:
    """An element that is open."""

    element: css.Element
    shown: bool
    tag: str = ""  # what it is, in a table by role or style another than its name
    visible: bool = True
    sized: bool = True
    heading: int = 0  # its level
    start: int = 0
    script: str = ""  # "raised" or "lowered"
    is_note: bool = False
    items: "NumberedList | None" = None
    table: Table | None = None
    is_cell: bool = False
    is_row: bool = False  # its elements stand beside each other
    ends: str = ""  # "line" or "word" at its beginning and end
    is_inner: bool = False  # of a raised or lowered word
    words: bool = False  # whether any came yet
    styles: Mapping[str, str] | None = None  # those that count


@dataclass(slots=True)
class NumberedList:
    """A list that is open: how it is numbered, and its next number."""

    is_ordered: bool
    kind: str
    next: int
    step: int = 1


def frame_of(
    tag: str,
    attributes: Mapping[str, str],
    outer: Frame | None,
    above: Sequence[css.Element],
    sheets: css.Styles,
    opened_ids: Collection[str],
) -> Frame:
    """The frame of an element inside others; `opened_ids` are the ids of elements that buttons open."""
    if outer is not None and not outer.shown:
        return Frame(_NOTHING, shown=False)
    element = _element(tag, attributes.get("id", ""), attributes.get("class", "")) if attributes else _element(tag)
    own = css.declarations(attributes["style"]) if "style" in attributes else NO_ATTRIBUTES
    styles = sheets.of(element, above, own) if sheets.rules else own
    if tag in ("html", "body"):  # pages hide themselves until a script has run
        attributes, styles = NO_ATTRIBUTES, {name: styles[name] for name in COUNTING.intersection(styles)}
    frame = Frame(element, _is_shown(tag, attributes, element, styles, opened_ids), tag)
    if outer is not None:
        frame.visible, frame.sized = outer.visible, outer.sized
        frame.ends = "word" if outer.is_row else ""
    if tag in GENERIC and (part := PARTS.get(attributes.get("role", "")) or PARTS.get(styles.get("display", ""))):
        frame.tag = part
    elif "display" in styles:
        frame.is_row = styles["display"] in ROWS
        is_line = styles["display"] in ("block", "flex", "grid", "table", "list-item", "flow-root")
        frame.ends = frame.ends or ("line" if is_line else "word" if styles["display"] in APART else "")
    if "visibility" in styles:
        frame.visible = styles["visibility"] not in ("hidden", "collapse")
    if "font-size" in styles:
        frame.sized = _ZERO.match(styles["font-size"]) is None
    if styles and not COUNTING.isdisjoint(styles):
        frame.styles = styles
    if frame.shown and (attributes or styles or tag in ROLES):
        _set_role(frame, tag, attributes, styles)
    return frame


def _is_shown(
    tag: str,
    attributes: Mapping[str, str],
    element: css.Element,
    styles: Mapping[str, str],
    opened_ids: Collection[str],
) -> bool:
    if tag in DROPPED or SHOWN_WITH.get(tag, tag) not in (tag, *attributes):
        return False
    if not attributes and not styles:
        return True
    if not element.classes.isdisjoint(FORMULAS) or (element.id and element.id in opened_ids):
        return True
    if not element.classes.isdisjoint(OFFSCREEN) or styles.get("display") == "none" or "popover" in attributes:
        return False
    if any(_OFF.match(styles.get(name, "")) for name in ("clip", "left", "text-indent")):
        return False
    if tag == "nobr" and attributes.get("aria-hidden") == "true":  # MathJax, which writes MathML behind it
        return False
    return attributes.get("hidden", "until-found").lower() == "until-found"


def _set_role(frame: Frame, tag: str, attributes: Mapping[str, str], styles: Mapping[str, str]) -> None:
    role, classes, aligned = attributes.get("role", ""), frame.element.classes, styles.get("vertical-align")
    if tag in HEADINGS and role not in ("presentation", "none"):
        frame.heading = int(tag[1])
    elif role == "heading":
        level = attributes.get("aria-level", "2")
        frame.heading = int(level) if level.isdecimal() and 0 < len(level) < 3 else 2
    kinds = attributes.get("epub:type", attributes.get("type", "")).split() if tag in ("a", "sup", "span") else []
    is_reference = "noteref" in kinds or role == "doc-noteref" or not classes.isdisjoint(NOTES)
    is_inline = tag in ("span", "a", "small", "font", "em", "i", "b", "strong")
    frame.is_note = is_reference or (tag == "a" and "#" in attributes.get("href", ""))
    if tag == "sup" or (is_inline and (aligned == "super" or not classes.isdisjoint(RAISED))):
        frame.script = "raised"
    elif tag == "sub" or (is_inline and (aligned == "sub" or not classes.isdisjoint(LOWERED))):
        frame.script = "lowered"
    elif tag == "a" and is_reference:
        frame.script = "raised"
    if tag in LISTS:
        frame.items = _list(tag, attributes, styles)


@lru_cache(maxsize=4_096)
def _element(tag: str, identity: str = "", classes: str = "") -> css.Element:
    return css.Element(tag, identity, frozenset(classes.split()))


_NOTHING = css.Element("", "", frozenset())


def _list(tag: str, attributes: Mapping[str, str], styles: Mapping[str, str]) -> NumberedList:
    style = styles.get("list-style-type") or styles.get("list-style", "")
    kind = attributes.get("type", "1")
    for word in style.split():
        kind = "" if word == "none" else STYLES.get(word, kind)
    start = NUMBER.match(attributes.get("start", ""))
    if "reversed" in attributes:
        return NumberedList(tag == "ol", kind, int(start[1]) if start else 0, -1)
    return NumberedList(tag == "ol", kind, int(start[1]) if start else 1)


def count(text: str) -> int:
    """The number of rows or columns in an attribute, at least 1."""
    match = NUMBER.match(text)
    return max(1, min(int(match[1]), MOST_ROWS)) if match else 1
