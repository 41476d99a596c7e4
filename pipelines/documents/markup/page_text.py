"""Writes the visible text of a page while it is parsed.

Sources: HTML Living Standard, section 15 (rendering), for what is hidden, and 4.4 for the numbers of lists.
"""

from collections.abc import Callable, Mapping

from pipelines.documents.markup import css
from pipelines.documents.markup.formulas import Formula, mathml
from pipelines.documents.markup.page_elements import BLOCKS, LINES, NO_ATTRIBUTES, PREFIX, Frame, frame_of
from pipelines.documents.markup.page_parts import PageParts

DEEPEST = 2_000  # nested elements; the parser itself stops a little later, silently
Linked = Callable[[tuple[str, ...]], css.Styles]


class TooDeep(Exception):
    """Elements are nested more deeply than the parser follows."""


class PageText(PageParts):
    """lxml's parser target, called at each tag and piece of text: a tree would take fifty times the memory.

    `title` is the first title's text. `linked` gives the style sheets at the addresses that the page links to.
    """

    def __init__(self, linked: Linked | None = None) -> None:
        super().__init__()
        self.title = ""
        self._linked, self._addresses = linked, list[str]()
        self._pending: list[str] = []  # pieces of text since the last tag
        self._elements: list[css.Element] = []
        self._titles = self._svg = self._drawn = 0
        self._titling = False  # the text that follows is the first title's
        self._sheet: list[str] | None = None
        self._opened_ids = set[str]()  # ids of what a button opens

    def data(self, text: str) -> None:
        """A piece of text."""
        self._pending.append(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self._flush()
        if len(self._open) >= DEEPEST:
            raise TooDeep
        if ":" in tag:
            tag = PREFIX.sub("", tag)
        attributes = dict(attributes) if attributes else NO_ATTRIBUTES  # lxml's own mapping is slow
        outer = self._open[-1] if self._open else None
        frame = frame_of(tag, attributes, outer, self._elements, self._styles, self._opened_ids)
        self._open.append(frame)
        self._elements.append(frame.element)
        if attributes or tag in ("title", "style"):
            self._record_hidden_parts(tag, attributes)
        if attributes and (name := attributes.get("id") or attributes.get("name")):
            self.sink.anchors.setdefault(name, self.writer.next)
        if frame.shown:
            self._begin(frame, frame.tag, attributes)

    def end(self, tag: str) -> None:
        """An element ends."""
        self._flush()
        if ":" in tag:
            tag = PREFIX.sub("", tag)
        frame = self._open.pop()
        self._elements.pop()
        self._titling = False
        if tag == "style" and self._sheet is not None:
            self._styles = self._styles.with_sheets(["".join(self._sheet)])
            self._sheet = None
        if frame.shown:
            self._finish(frame, frame.tag)
        self._counters.leave(len(self._open) + 1)

    def close(self) -> None:
        """The page ends."""
        self._flush()

    def _record_hidden_parts(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Record titles, style sheets and opened elements, which are not shown themselves."""
        if tag == "title" and not self._svg:
            self._titles += 1
            self._titling = self._titles == 1
        elif tag == "style":
            media = attributes.get("media", "")
            self._sheet = [] if not media or css.applies_on_screen(f"@media {media}") else None
        elif tag == "link" and self._linked is not None and "stylesheet" in attributes.get("rel", "").lower():
            self._addresses.append(attributes.get("href", ""))
            self._styles = self._linked(tuple(self._addresses))
        if "aria-controls" in attributes and ("aria-expanded" in attributes or attributes.get("role") == "tab"):
            self._opened_ids.update(attributes["aria-controls"].split())

    def _begin(self, frame: Frame, tag: str, attributes: Mapping[str, str]) -> None:
        """Start to write an element that is shown."""
        if self._formula is not None:
            self._formulas += 1
            self._formula.start(tag, attributes)
            return
        if self._scripts:
            self._begin_script(frame, tag)
            return
        self._noting += frame.is_note
        self._links += tag == "a"
        self._bold += tag in ("b", "strong")
        self._break(frame, tag)
        self._exact += tag in ("pre", "textarea")
        if tag == "math":
            self._formula, self._formulas = Formula(mathml), 1
        elif tag == "svg":
            self._svg += 1
        elif self._svg and tag in ("text", "foreignobject"):
            self._drawn += 1
            self.writer.block(1)
        elif tag == "q":
            self._write("“")
        elif tag == "nav":
            self._open_navigation()
        elif tag == "input":
            self._put_value(attributes)
        elif tag == "select":
            many = "multiple" in attributes or attributes.get("size", "1") not in ("", "0", "1")
            self._options = [] if self._options is None else self._options
            frame.start = int(many)
        elif tag == "option" and self._options is not None:
            self._options.append(("", "selected" in attributes))
        elif tag == "table" or (frame.items is not None and frame.items.step < 0 and frame.items.next == 0):
            self._begin_table(frame, tag, attributes)
        elif self._tables and tag in ("tr", "thead", "td", "th", "li"):
            self._begin_part(frame, tag, attributes)
        if frame.script:
            self._open_script(frame)
        if frame.items is not None:
            self._lists.append(frame.items)
        elif tag == "li":
            self._label = self._item_number(attributes) if not frame.is_cell else ""
        if frame.styles is not None:
            self._count(frame.styles)
        if frame.heading:
            frame.start = self.writer.next

    def _finish(self, frame: Frame, tag: str) -> None:
        """Finish writing an element that is shown."""
        if self._formula is not None:
            self._finish_formula(tag)
            return
        if self._scripts:
            self._finish_script(frame, tag)
            return
        if frame.is_inner:
            return
        if frame.styles is not None and (content := frame.styles.get("after")) and frame.visible:
            self._write(self._counters.generated_text(content, self._items))
        self._noting -= frame.is_note
        self._links -= tag == "a"
        self._bold -= tag in ("b", "strong")
        self._exact -= tag in ("pre", "textarea")
        if tag == "svg":
            self._svg -= 1
        elif self._svg and tag in ("text", "foreignobject"):
            self._drawn -= 1
            self.writer.block(1)
        elif tag == "q":
            self._write("”")
        elif tag == "select" and self._options is not None:
            self._put_options(bool(frame.start))
        elif tag == "nav":
            self._finish_navigation()
        if frame.heading:
            end = self.writer.length
            if end > frame.start:
                self.sink.headings.append((frame.start, end, frame.heading))
        if frame.items is not None:
            self._lists.pop()
        if tag == "li" or frame.styles is not None:
            self._label = ""
        if frame.is_cell:
            self.sink = self._tables[-1].outer
        elif frame.table is not None:
            self._finish_table(frame.table)
        elif tag == "thead" and self._tables:
            self._tables[-1].in_head = False
        self._break(frame, tag)

    def _break(self, frame: Frame, tag: str) -> None:
        if tag in BLOCKS:
            self.writer.block(2)
        elif tag in LINES or frame.ends == "line":
            self.writer.block(1)
        elif tag in ("td", "th", "button", "select", "input") or frame.ends == "word":
            self.writer.space()

    def _flush(self) -> None:
        """Write the text since the last tag."""
        if not self._pending:
            return
        text = "".join(self._pending)
        self._pending.clear()
        if self._titling:
            self.title = text
        if self._sheet is not None:
            self._sheet.append(text)
        if not self._open:
            self._write(text)
            return
        frame = self._open[-1]
        if not (frame.shown and frame.visible and frame.sized) or (self._svg and not self._drawn):
            return
        if self._formula is not None:
            self._formula.data(text)
        elif self._options is not None:
            if self._options:
                words, is_selected = self._options[-1]
                self._options[-1] = (words + text, is_selected)
        else:
            frame.words = True
            if self._navigations:
                self._navigations[-1].linked += len(text.split()) * (1 if self._links else -1)
            self._write(text)
