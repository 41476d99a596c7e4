"""Writes the visible text of a Word document, element by element (ECMA-376, part 1, 17).

Changes are read as accepted: inserted and moved words where they are now, deleted ones not at all. A note stands behind
the paragraph that refers to it, so that it is under the right heading; so does a text box.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipelines.documents.markup.formulas import Formula, word
from pipelines.documents.markup.tables import OpenCell, Table
from pipelines.documents.markup.writer import Sink, Writer
from pipelines.documents.word.fields import Field
from pipelines.documents.word.numbers import Numbers, numeral
from pipelines.documents.word.styles import BODY, Format, Styles, is_on, paragraph_format, run_format, value

TABLES = 8  # tables in each other that are laid out; deeper ones are read cell by cell
_DROPPED = frozenset((
    "del", "moveFrom", "Fallback", "pPr", "rPr", "tblPr", "tblGrid", "sectPr", "sdtPr", "sdtEndPr",
    "delText", "rt", "rubyPr", "trPr", "tcPr", "ffData", "docPr", "cNvPr",
))  # fmt: skip
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_BREAKS = {"br": "\n", "cr": "\n", "tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_MATH = "/math"
_SYMBOLS = dict(zip(range(0x41, 0x5B), "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", strict=True))
_SYMBOLS |= dict(zip(range(0x61, 0x7B), "αβχδεφγηιϕκλμνοπθρστυϖωξψζ", strict=True))
_SYMBOLS |= dict(zip(range(0xA2, 0xA7), "′≤⁄∞ƒ", strict=True)) | dict(
    zip(range(0xAB, 0xBD), "↔←↑→↓°±″≥×∝∂•÷≠≡≈…", strict=True)
)
_SYMBOLS |= {0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅",
             0xDB: "⇔", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫"}  # fmt: skip
_BOXES = {0xA8: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0x6F: "☐", 0x78: "☒"}  # of Wingdings


@dataclass(slots=True)
class _Paragraph:
    style: str
    format: Format
    start: int
    label: str = ""
    scripts: str = ""  # raised or lowered words so far; runs cut them anywhere
    script: str = ""
    is_deleted: bool = False  # its end is: it goes on in the next
    behind: list[Sink] = field(default_factory=list)  # notes and text boxes


class WordText:
    """Writes the elements of a part; `notes` are the elements of notes by kind and id, `formats` of their numbers."""

    def __init__(
        self, styles: Styles, numbers: Numbers, notes: Mapping[tuple[str, str], Any], formats: Mapping[str, str]
    ) -> None:
        self.sink, self.inserted = Sink(), 0  # how many files are inserted whole, which are not read
        self._styles, self._numbers, self._notes, self._formats = styles, numbers, notes, formats
        self._counts = dict.fromkeys(_NOTES.values(), 0)
        self._paragraphs: list[_Paragraph] = []
        self._continued: tuple[int, list[Sink]] | None = None  # of an unfinished paragraph: start, what is behind
        self._tables: list[Table | None] = []
        self._cells: list[Sink] = []
        self._boxes: list[Sink] = []
        self._run = Format()
        self._formula: Formula | None = None
        self._fields: list[Field] = []
        self._depth = 0
        self._behind_table: list[Sink] = []
        self._note_label = ""

    @property
    def writer(self) -> Writer:
        """The writer of the current sink."""
        return self.sink.writer

    def write(self, root: Any) -> None:
        """Write the content of an element."""
        from lxml import etree

        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if not isinstance(element.tag, str):
                continue
            space, _, tag = element.tag[1:].rpartition("}") if element.tag[0] == "{" else ("", "", element.tag)
            if event == "start":
                if tag in _DROPPED or (tag == "tr" and _is_row_hidden(element)):
                    walker.skip_subtree()
                elif space.endswith(_MATH):
                    if not self._start_formula(tag, element):
                        walker.skip_subtree()
                else:
                    self._start(tag, element)
            elif tag in _DROPPED or (tag == "tr" and _is_row_hidden(element)):
                continue
            elif space.endswith(_MATH):
                self._end_formula(tag, element)
            else:
                self._end(tag, element)

    def _start(self, tag: str, element: Any) -> None:
        if tag == "p":
            self._start_paragraph(element)
        elif tag == "r":
            properties = element.find("./{*}rPr")
            run_style = value(properties.find("./{*}rStyle")) if properties is not None else ""
            self._run = run_format(properties).under(self._styles.format(run_style) if run_style else Format())
        elif tag == "tbl":
            self._tables.append(Table(self.sink) if len(self._tables) < TABLES else None)
        elif self._tables and (table := self._tables[-1]) is not None and tag in ("tr", "tc"):
            self._start_part(table, tag, element)
        elif tag == "txbxContent":
            self._boxes.append(self.sink)
            self.sink = Sink()
        elif tag == "fldChar":
            self._mark_field(element)
        elif tag == "altChunk":
            self.inserted += 1
        elif tag in _NOTES:
            self._refer(_NOTES[tag], element)

    def _end(self, tag: str, element: Any) -> None:
        if tag == "t":
            self._put(element.text or "")
        elif tag == "instrText" and self._fields:
            self._fields[-1].instruction += element.text or ""
        elif tag in _BREAKS:
            self._put(_BREAKS[tag])
        elif tag == "sym":
            self._put(_symbol(element))
        elif tag == "p":
            self._end_paragraph()
        elif tag == "tc" and self._tables:
            if self._tables[-1] is None:
                self.writer.block(1)
            elif self._cells:
                self.sink = self._cells.pop()
        elif tag == "tbl":
            self._end_table()
        elif tag == "txbxContent" and self._boxes:
            box, self.sink = self.sink, self._boxes.pop()
            if self._paragraphs:
                self._paragraphs[-1].behind.append(box)

    def _start_paragraph(self, element: Any) -> None:
        properties = element.find("./{*}pPr")
        style = value(properties.find("./{*}pStyle")) if properties is not None else ""
        style = style if style in self._styles.elements else self._styles.default
        format = paragraph_format(properties).under(self._styles.format(style))
        mark = properties.find("./{*}rPr") if properties is not None else None
        is_deleted = mark is not None and any(mark.find(f"./{{*}}{name}") is not None for name in ("del", "moveFrom"))
        if self._continued is None:
            paragraph = _Paragraph(style, format, self.writer.next)
        else:
            start, behind = self._continued
            paragraph, self._continued = _Paragraph(style, format, start, behind=behind), None
        paragraph.is_deleted = is_deleted
        is_hidden = mark is not None and is_on(mark.find("./{*}vanish")) is True
        if not is_deleted and not is_hidden:
            paragraph.label = self._numbers.next(format, style, self._styles)
        if self._note_label:
            paragraph.label, self._note_label = f"{self._note_label} ", ""
        self._paragraphs.append(paragraph)

    def _end_paragraph(self) -> None:
        if not self._paragraphs:
            return
        paragraph = self._paragraphs.pop()
        self._write_scripts(paragraph)
        if paragraph.is_deleted and not self._boxes:
            self._continued = paragraph.start, paragraph.behind
            return
        self._fields = [field for field in self._fields if field.is_result]  # one without an end hides no more
        end, level = self.writer.length, paragraph.format.outline
        if level is not None and level < BODY and end > paragraph.start:
            self.sink.headings.append((paragraph.start, end, level + 1))
        self.writer.block(2)
        if self._cells:
            self._behind_table += paragraph.behind
        else:
            self._write_sinks(paragraph.behind)

    def _write_sinks(self, sinks: list[Sink]) -> None:
        for sink in sinks:
            if text := sink.writer.text:
                self.writer.block(2)
                self.sink.take(sink, text)
                self.writer.block(2)

    def _put(self, text: str) -> None:
        """Write words of a run."""
        if self._formula is not None:
            self._formula.data(text)
            return
        paragraph = self._paragraphs[-1] if self._paragraphs else None
        format = self._run if paragraph is None else self._run.under(self._styles.format(paragraph.style))
        if format.hidden or not all(field.is_result for field in self._fields):
            return
        if self._fields:
            self._fields[-1].has_words = True
        if not format.bold:
            self._note_plain(text)
        if paragraph is not None:
            self._label(paragraph, text)
            script = format.script if format.script in ("superscript", "subscript") else ""
            if script != paragraph.script:
                self._write_scripts(paragraph)
                paragraph.script = script or ""
            if script:
                paragraph.scripts += text
                return
        if text == "\n":
            self.writer.block(1)
        else:
            self.writer.words(text)

    def _mark_field(self, element: Any) -> None:
        """Begin a field, begin its result, or end it."""
        kind = next((text for name, text in element.attrib.items() if name.endswith("fldCharType")), "")
        if kind == "begin":
            self._fields.append(Field.of(element))
        elif self._fields and kind == "separate":
            self._fields[-1].is_result = True
        elif self._fields and kind == "end" and (text := self._fields.pop().shown):
            self._put_formula(text)

    def _note_plain(self, text: str) -> None:
        """Mark the current cell as plain, as it has words that are not bold."""
        table = self._tables[-1] if self._tables else None
        if table is not None and text.strip() and table.last_row:
            table.last_row[-1].is_plain = True

    def _label(self, paragraph: _Paragraph, text: str) -> None:
        """Write the number of a paragraph before its first words."""
        if paragraph.label and text.strip():
            label, paragraph.label = paragraph.label, ""
            self.writer.words(label)

    def _write_scripts(self, paragraph: _Paragraph) -> None:
        """Write the raised or lowered words so far."""
        words, paragraph.scripts = paragraph.scripts, ""
        if words and paragraph.script == "superscript":
            self.writer.raised(words)
        elif words:
            self.writer.lowered(words)
        if words and words[-1].isspace():
            self.writer.space()
        paragraph.script = ""

    def _refer(self, kind: str, element: Any) -> None:
        """Write a reference to a note; the note itself is written after the paragraph."""
        attributes = {name.rpartition("}")[2]: text for name, text in element.attrib.items()}
        note = self._notes.get((kind, attributes.get("id", "")))
        if not self._paragraphs or self._run.hidden:
            return
        paragraph = self._paragraphs[-1]
        has_mark = attributes.get("customMarkFollows", "0") in ("1", "true", "on")
        self._counts[kind] += not has_mark
        label = "" if has_mark else f"[{numeral(self._counts[kind], self._formats[kind])}]"
        self._write_scripts(paragraph)
        self._label(paragraph, label)
        self.writer.words(label)
        if note is None:
            return
        inner = WordText(self._styles, self._numbers, {}, self._formats)
        inner._note_label = label
        inner.write(note)
        paragraph.behind.append(inner.sink)

    def _start_part(self, table: Table, tag: str, element: Any) -> None:
        if tag == "tr":
            table.rows.append([])
            properties = element.find("./{*}trPr")
            if properties is not None:
                if is_on(properties.find("./{*}tblHeader")) and len(table.rows) == table.heads + 1:
                    table.heads += 1
                before = value(properties.find("./{*}gridBefore"))
                if before.isdecimal() and int(before) > 0:
                    table.rows[-1].append(OpenCell(Sink(), int(before)))
            return
        properties = element.find("./{*}tcPr")
        span = value(properties.find("./{*}gridSpan")) if properties is not None else ""
        columns = int(span) if span.isdecimal() and 0 < int(span) < 1_000 else 1
        merged = properties.find("./{*}vMerge") if properties is not None else None
        cell = OpenCell(Sink(), columns)
        if not table.rows:
            table.rows.append([])
        if merged is not None and value(merged) in ("", "continue"):
            cell.continues_above = True
        table.rows[-1].append(cell)
        self._cells.append(self.sink)
        self.sink = cell.sink

    def _end_table(self) -> None:
        table = self._tables.pop() if self._tables else None
        self.writer.block(2)
        if table is not None:
            table.write()
        self.writer.block(2)
        if not self._cells:
            behind, self._behind_table = self._behind_table, []
            self._write_sinks(behind)

    def _start_formula(self, tag: str, element: Any) -> bool:
        """Start an element of a formula; returns whether its content is read."""
        if tag == "oMathPara" or (tag.endswith("Pr") and tag != "Pr"):
            return tag == "oMathPara"
        if self._formula is None:
            if tag != "oMath":
                return True
            self._formula, self._depth = Formula(word), 0
        else:
            self._formula.start(tag, _properties(element, tag))
        self._depth += 1
        return True

    def _end_formula(self, tag: str, element: Any) -> None:
        if self._formula is None or tag == "oMathPara" or tag.endswith("Pr"):
            return
        if tag == "t":
            self._formula.data(element.text or "")
        self._depth -= 1
        if self._depth:
            self._formula.end()
            return
        text, self._formula = self._formula.text, None
        self._put_formula(text)

    def _put_formula(self, text: str) -> None:
        if self._paragraphs:
            self._write_scripts(self._paragraphs[-1])
            self._label(self._paragraphs[-1], text)
        self._note_plain(text)
        self.writer.formula(text)


def _properties(element: Any, tag: str) -> dict[str, str]:
    """The values of a formula's properties by name."""
    properties = element.find(f"./{{*}}{tag}Pr")
    if properties is None:
        return {}
    return {
        child.tag.rpartition("}")[2]: value(child) if child.attrib else "1"
        for child in properties
        if isinstance(child.tag, str)
    }


def _is_row_hidden(element: Any) -> bool:
    """Whether a row is deleted, or hidden."""
    properties = element.find("./{*}trPr")
    if properties is None:
        return False
    return properties.find("./{*}del") is not None or is_on(properties.find("./{*}hidden")) is True


def _symbol(element: Any) -> str:
    """The character of a symbol font; "" for an unknown one."""
    attributes = {name.rpartition("}")[2]: text for name, text in element.attrib.items()}
    try:
        code = int(attributes.get("char", ""), 16)
    except ValueError:
        return ""
    font = attributes.get("font", "").lower()
    if 0xF000 <= code <= 0xF0FF or font in ("symbol", "wingdings"):
        code &= 0xFF
        table = _SYMBOLS if font == "symbol" else _BOXES if font.startswith("wingdings") else {}
        return table.get(code, chr(code) if font == "symbol" and 0x20 <= code < 0x40 else "")
    return chr(code) if 0x20 <= code < 0xD800 else ""
