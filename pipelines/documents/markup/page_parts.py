"""The parts of a page that are written when they end: raised words, formulas, tables, lists, choices, navigation."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipelines.documents.markup import css
from pipelines.documents.markup.counters import Counters
from pipelines.documents.markup.formulas import Formula
from pipelines.documents.markup.numerals import list_number
from pipelines.documents.markup.page_elements import BLOCKS, LINES, MOST_ROWS, NUMBER, TYPED, Frame, NumberedList, count
from pipelines.documents.markup.tables import OpenCell, Table
from pipelines.documents.markup.writer import Sink, Writer

LONGEST_SCRIPT = 200  # characters that are raised
TABLES = 8  # tables in each other that are laid out; deeper ones are read cell by cell


@dataclass(slots=True)
class _Navigation:
    outer: Sink
    linked: int = 0  # words in links, less those outside


@dataclass(slots=True)
class _Script:
    kind: str
    is_note: bool
    words: str = ""


class PageParts:
    """The open parts of a page while it is parsed, which are written to `sink`."""

    def __init__(self) -> None:
        self.sink = Sink()
        self._styles = css.Styles()
        self._open: list[Frame] = []
        self._exact = self._formulas = self._noting = self._links = self._bold = 0
        self._formula: Formula | None = None
        self._scripts: list[_Script] = []
        self._lists: list[NumberedList] = []
        self._tables: list[Table] = []
        self._label = ""  # the number of an item that has no words yet
        self._options: list[tuple[str, bool]] | None = None
        self._navigations: list[_Navigation] = []
        self._counters = Counters()

    @property
    def writer(self) -> Writer:
        """The writer of the current sink."""
        return self.sink.writer

    def number(self, label: str) -> None:
        """Write a number, or a mark, before the next words."""
        self._label = label

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
        """Whether raised words are alone in a link to a place in the text, as the number of a note is."""
        if not self._noting:
            return False
        for frame in reversed(self._open[:-1]):
            if frame.words:
                return False
            if frame.is_note:
                return True
        return False

    def _open_script(self, frame: Frame) -> None:
        self._scripts.append(_Script(frame.script, frame.is_note or self._is_linked()))

    def _open_navigation(self) -> None:
        self._navigations.append(_Navigation(self.sink))
        self.sink = Sink()

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
        """Write the label of an item before its first words; marks a table cell as plain if its words are not bold."""
        if self._tables and not self._bold and words.strip() and (row := self._tables[-1].last_row):
            row[-1].is_plain = True
        if self._label and words.strip():
            label, self._label = self._label, ""
            self.writer.words(label if label[-1] in "$€£¥" else f"{label} ")

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
        """Write a navigation part only if it is more than links."""
        navigation, inner = self._navigations.pop(), self.sink
        self.sink = navigation.outer
        text = inner.writer.text
        if text and navigation.linked < 0:
            self.writer.block(2)
            self.sink.take(inner, text)

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

    def _item_number(self, attributes: Mapping[str, str]) -> str:
        """The number of an item."""
        items = self._lists[-1] if self._lists else None
        if items is None or not items.is_ordered:
            return ""
        if match := NUMBER.match(attributes.get("value", "")):
            items.next = int(match[1])
        number, items.next = items.next, items.next + items.step
        return f"{list_number(number, attributes.get('type', items.kind))}." if items.kind else ""

    def _count(self, styles: Mapping[str, str]) -> None:
        """Count an element by its styles, and keep the text that they put before it."""
        self._label = self._counters.enter(len(self._open), styles, self._items) or self._label

    @property
    def _items(self) -> list[int]:
        """The numbers of the items that are open."""
        return [items.next - items.step for items in self._lists if items.is_ordered]

    def _begin_table(self, frame: Frame, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._tables) < TABLES and attributes.get("role") not in ("presentation", "none"):
            frame.table = Table(self.sink, is_countdown=tag != "table")
            self._tables.append(frame.table)

    def _begin_part(self, frame: Frame, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin a row or cell of the open table."""
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
            rows = MOST_ROWS if attributes.get("rowspan", "").strip() == "0" else rows  # to the last
            table.rows[-1].append(OpenCell(self.sink, columns, rows, is_head))
        else:
            table.rows[-1].append(OpenCell(self.sink, is_head=is_head))

    def _finish_table(self, table: Table) -> None:
        self._tables.pop()
        self.sink = table.outer
        table.write()
