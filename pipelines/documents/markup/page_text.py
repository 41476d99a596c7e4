"""What a browser shows of a page, written as plain text while the page is parsed.

Sources: HTML Living Standard, section 15 (rendering), for what is hidden, and 4.4 for the numbers of lists.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pipelines.documents.markup import css
from pipelines.documents.markup.formulas import Formula, mathml
from pipelines.documents.markup.grids import OpenCell, Sink, Table
from pipelines.documents.markup.page_elements import (
    BLOCKS,
    LINES,
    NO_ATTRIBUTES,
    NUMBER,
    PREFIX,
    TYPED,
    Frame,
    NumberedList,
    count,
    frame_of,
    numeral,
)
from pipelines.documents.markup.writer import Writer

DEEPEST = 2_000  # nested elements; the parser itself stops a little later, silently
LONGEST_SCRIPT = 200  # characters that are raised
TABLES = 8  # tables in each other that are laid out; deeper ones are read cell by cell

Linked = Callable[[tuple[str, ...]], css.Styles]


class TooDeep(Exception):
    """Elements are nested more deeply than the parser follows."""


@dataclass(slots=True)
class _Navigation:
    outer: Sink
    linked: int = 0  # words in links, less those outside


@dataclass(slots=True)
class _Script:
    kind: str
    is_note: bool
    words: str = ""


class PageText:
    """lxml's parser target, called at each tag and piece of text: a tree would take fifty times the memory.

    `title` is the first title's text. `linked` has the style sheets at some addresses, which the page names.
    """

    def __init__(self, linked: Linked | None = None) -> None:
        self.sink, self.title = Sink(), ""
        self._linked, self._addresses, self._styles = linked, list[str](), css.Styles()
        self._pending: list[str] = []  # pieces of text since the last tag
        self._open: list[Frame] = []
        self._elements: list[css.Element] = []
        self._exact = self._titles = self._svg = self._drawn = self._formulas = self._noting = self._links = (
            self._bold
        ) = 0
        self._titling = False  # the text that follows is the first title's
        self._sheet: list[str] | None = None
        self._formula: Formula | None = None
        self._scripts: list[_Script] = []
        self._lists: list[NumberedList] = []
        self._tables: list[Table] = []
        self._label = ""  # the number of an item that has no words yet
        self._options: list[tuple[str, bool]] | None = None
        self._navigations: list[_Navigation] = []
        self._opened = set[str]()  # ids of what a button opens

    @property
    def writer(self) -> Writer:
        """What words are written to."""
        return self.sink.writer

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
        frame = frame_of(tag, attributes, outer, self._elements, self._styles, self._opened)
        self._open.append(frame)
        self._elements.append(frame.element)
        if attributes or tag in ("title", "style"):
            self._note_parts(tag, attributes)
        if attributes and (name := attributes.get("id") or attributes.get("name")):
            self.sink.anchors.setdefault(name, self.writer.next)
        if frame.shown:
            self._begin(frame, tag, attributes)

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
            self._finish(frame, tag)

    def close(self) -> None:
        """The page ends."""
        self._flush()

    def _note_parts(self, tag: str, attributes: Mapping[str, str]) -> None:
        """What is hidden and has a meaning all the same: titles and style sheets."""
        if tag == "title" and not self._svg:
            self._titles += 1
            self._titling = self._titles == 1
        elif tag == "style":
            media = attributes.get("media", "")
            self._sheet = [] if not media or css.does_hold(f"@media {media}") else None
        elif tag == "link" and self._linked is not None and "stylesheet" in attributes.get("rel", "").lower():
            self._addresses.append(attributes.get("href", ""))
            self._styles = self._linked(tuple(self._addresses))
        if "aria-controls" in attributes and ("aria-expanded" in attributes or attributes.get("role") == "tab"):
            self._opened.update(attributes["aria-controls"].split())

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
        self._break(tag)
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
            self._navigations.append(_Navigation(self.sink))
            self.sink = Sink()
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
            self._scripts.append(_Script(frame.script, frame.is_note or self._is_linked()))
        if frame.items is not None:
            self._lists.append(frame.items)
        elif tag == "li":
            self._label = self._numbered(attributes) if not frame.is_cell else ""
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
        if tag == "li":
            self._label = ""
        if frame.is_cell:
            self.sink = self._tables[-1].outer
        elif frame.table is not None:
            self._finish_table(frame.table)
        elif tag == "thead" and self._tables:
            self._tables[-1].in_head = False
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in BLOCKS:
            self.writer.block(2)
        elif tag in LINES:
            self.writer.block(1)
        elif tag in ("td", "th", "button", "select", "input"):
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

    def _write(self, text: str) -> None:
        if self._scripts:
            self._scripts[-1].words += text
            if len(self._scripts[-1].words) > LONGEST_SCRIPT:  # an element that was not closed
                text = " ".join(script.words for script in self._scripts)
                self._scripts.clear()
                self.writer.words(f" {text}")
            return
        self._write_label(text)
        self.writer.words(text, self._exact > 0)

    def _is_linked(self) -> bool:
        """Whether raised words are all that is in a link to a place in a text: a note's."""
        if not self._noting:
            return False
        for frame in reversed(self._open[:-1]):
            if frame.words:
                return False
            if frame.is_note:
                return True
        return False

    def _begin_script(self, frame: Frame, tag: str) -> None:
        frame.is_inner = True
        script = self._scripts[-1]
        script.is_note = script.is_note or frame.is_note
        if frame.script:
            self._scripts.append(_Script(frame.script, frame.is_note))
        elif tag in BLOCKS or tag in LINES:
            script.words += " "

    def _finish_script(self, frame: Frame, tag: str) -> None:
        if not frame.script:
            return
        script = self._scripts.pop()
        if self._scripts:  # one inside another
            outer, words = self._scripts[-1], script.words.strip()
            mark = "^" if script.kind == "raised" else "_"
            outer.words += f"{mark}{words}" if outer.words.strip() and words[:1].isalnum() else words
            return
        self._noting -= frame.is_note
        self._write_label(script.words)
        if script.kind == "raised":
            self.writer.raised(script.words, script.is_note)
        else:
            self.writer.lowered(script.words)

    def _write_label(self, words: str) -> None:
        """Write what comes before the first words of an item; those of a cell are noted as plain or bold."""
        if self._tables and not self._bold and words.strip() and (row := self._tables[-1].last_row):
            row[-1].is_plain = True
        if self._label and words.strip():
            label, self._label = self._label, ""
            self.writer.words(f"{label} ")

    def _finish_formula(self, tag: str) -> None:
        assert self._formula is not None
        self._formulas -= 1
        if self._formulas:
            self._formula.end()
            return
        text, self._formula = self._formula.text, None
        self._write_label(text)
        if self._open and not (self._open[-1].visible and self._open[-1].sized):
            return
        self.writer.formula(text)

    def _finish_navigation(self) -> None:
        """Write a part for navigation that is more than links: links to other places are not what a page says."""
        navigation, own = self._navigations.pop(), self.sink
        self.sink = navigation.outer
        text = own.writer.text
        if text and navigation.linked < 0:
            self.writer.block(2)
            self.sink.take(own, text)

    def _put_value(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("type", "").lower() in TYPED and (words := attributes.get("value", "").strip()):
            frame = self._open[-1]
            if frame.visible and frame.sized:
                self._write(f" {words} ")

    def _put_options(self, many: bool) -> None:
        options, self._options = self._options or [], None
        chosen = [words for words, is_selected in options if is_selected] or [words for words, _ in options[:1]]
        for words in [words for words, _ in options] if many else chosen[-1:]:
            self._write(f" {words.strip()} ")
            if many:
                self.writer.block(1)

    def _numbered(self, attributes: Mapping[str, str]) -> str:
        """The number of an item."""
        own = self._lists[-1] if self._lists else None
        if own is None or not own.is_ordered:
            return ""
        if match := NUMBER.match(attributes.get("value", "")):
            own.next = int(match[1])
        number, own.next = own.next, own.next + own.step
        if self._styles.marker is not None:
            numbers = [str(one.next - one.step) for one in self._lists if one.is_ordered]
            parts = self._styles.marker
            return "".join(
                text if not is_counter else numbers[-1] if text == "\0" else text.join(numbers)
                for text, is_counter in parts
            ).strip()
        return f"{numeral(number, attributes.get('type', own.kind))}." if own.kind else ""

    def _begin_table(self, frame: Frame, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._tables) < TABLES and attributes.get("role") not in ("presentation", "none"):
            frame.table = Table(self.sink, is_countdown=tag != "table")
            self._tables.append(frame.table)

    def _begin_part(self, frame: Frame, tag: str, attributes: Mapping[str, str]) -> None:
        """A row or cell of the table that is open."""
        table = self._tables[-1]
        if self.sink is not table.outer:  # a cell is open: of a table that is too deep to be laid out
            if tag in ("td", "th"):
                self.writer.block(1)
            return
        if table.is_countdown:
            if tag == "li":
                table.rows.append([])
                self._begin_cell(frame, table, attributes, is_head=False)
        elif tag == "thead":
            table.in_head = True
        elif tag == "tr":
            table.rows.append([])
            table.heads += table.in_head
        elif tag in ("td", "th"):
            if not table.rows:
                table.rows.append([])
            self._begin_cell(frame, table, attributes, tag == "th")

    def _begin_cell(self, frame: Frame, table: Table, attributes: Mapping[str, str], is_head: bool) -> None:
        frame.is_cell, self.sink = True, Sink()
        if attributes:
            columns, rows = (count(attributes.get(name, "")) for name in ("colspan", "rowspan"))
            table.rows[-1].append(OpenCell(self.sink, columns, rows, is_head))
        else:
            table.rows[-1].append(OpenCell(self.sink, is_head=is_head))

    def _finish_table(self, table: Table) -> None:
        self._tables.pop()
        self.sink = table.outer
        table.write()
