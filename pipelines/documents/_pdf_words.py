"""The words of a PDF's page and where they stand, by PDFium: of its text, of filled form fields and of free-text notes.

PDFium's text leaves annotations out, although a viewer shows them.
"""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pipelines.documents.markup import scripts
from pipelines.documents.stored_pdf import SHOWN

BROKEN = "\ufffe"  # at the end of a word that a line's end breaks
_PIECE = re.compile(r"[^\s\ufffe\x02]+[\ufffe\x02]?")
TOUCHING = 0.15  # of the height of letters: a raised number stands no further behind its word
GAP = 0.6  # of the height of letters: wider than the spaces of most lines, and no wider than between columns
CELLS = 1.5  # of it: a gap between cells, no space of a line that is set to the full width
SMALL = 0.85  # of the height of the letters beside them: raised ones
_HIDDEN = 1 << 1 | 1 << 5  # flags of an annotation: hidden, no view
_PASSWORD = 1 << 13  # flag of a text field
_Box = tuple[float, float, float, float]  # left, bottom, right, top
_TICK = {True: "☒", False: "☐"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Words on one line without a wide gap. `bottom` is that of the line, `height` that of its letters, in points."""

    text: str
    left: float
    right: float
    bottom: float
    height: float

    @property
    def is_broken(self) -> bool:
        """Whether its last word is broken at the end of the line."""
        return self.text.endswith(BROKEN)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's pieces in stored order, with fields and notes in place; `width` in points."""

    pieces: list[Piece]
    width: float


def rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each line across the whole page, from the top."""
    lines = list[list[Piece]]()
    for piece in sorted(pieces, key=lambda piece: -piece.bottom):
        if lines and lines[-1][0].bottom - piece.bottom < piece.height / 2:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return lines


def page(document: Any, number: int) -> Page | None:
    """A page, None if it is damaged."""
    import pypdfium2

    try:
        pdf_page = document[number]
        textpage = pdf_page.get_textpage()
        pieces = _with_notes(_text_pieces(textpage, pdf_page.get_rotation()), _notes(document, pdf_page))
        width = pdf_page.get_width()
        textpage.close()
        pdf_page.close()
    except pypdfium2.PdfiumError:
        return None
    return Page(pieces, width)


def _text_pieces(textpage: Any, rotation: int) -> list[Piece]:
    """The pieces of a page: runs of words up to the end of a line or a wide gap."""
    from pypdfium2 import raw

    text = textpage.get_text_range()
    is_same = textpage.count_chars() == len(text)
    box = raw.FS_RECTF()

    def char_box(index: int) -> _Box:
        char_index = index if is_same else raw.FPDFText_GetCharIndexFromTextIndex(textpage, index)
        raw.FPDFText_GetLooseCharBox(textpage, char_index, box)
        return _rotated(box.left, box.bottom, box.right, box.top, rotation)

    pieces, words, end = list[Piece](), list[tuple[str, float, float]](), 0
    left = right = 0.0

    def finish() -> None:
        _, bottom, height = max(words, key=lambda word: len(word[0]))  # a bullet or a raised number lies elsewhere
        pieces.append(Piece(" ".join(word for word, _, _ in words), left, right, bottom, height))
        words.clear()

    for match in _PIECE.finditer(text):
        word = match[0].replace("\x02", BROKEN)
        word = word.rstrip(BROKEN).translate(SHOWN) + (BROKEN if word.endswith(BROKEN) else "")
        if not word:
            continue
        if len(match[0]) > 1 and any(map(str.isdigit, word)) and len(word) == len(match[0]):
            word = _with_marked_scripts(
                word, [char_box(char_index) for char_index in range(match.start(), match.end())]
            )
        x0, y0, x1, y1 = char_box(match.start())
        last = char_box(match.end() - 1 - word.endswith(BROKEN)) if len(match[0]) > 1 else (x0, y0, x1, y1)
        x0, x1, height = min(x0, last[0]), max(x1, last[2]), max(y1 - y0, 1.0)
        if words and _is_raised_behind(words[-1], word, y0, height, x0 - right):
            before, bottom, tall = words.pop()
            words.append((before + scripts.raised(before, word, ""), bottom, tall))
            right, end = max(right, x1), match.end()
            continue
        if words:
            is_new_line = "\n" in text[end : match.start()] or words[-1][0].endswith(BROKEN)
            if is_new_line or max(x0 - right, left - x1) > GAP * height:
                finish()
        left, right = (min(left, x0), max(right, x1)) if words else (x0, x1)
        words.append((word, y0, height))
        end = match.end()
    if words:
        finish()
    return pieces


def _is_raised_behind(last: tuple[str, float, float], word: str, bottom: float, height: float, gap: float) -> bool:
    """Whether a word is a raised number that touches the last word: smaller and higher."""
    last_word, base, last_height = last
    is_raised = height < SMALL * last_height and base < bottom < base + last_height
    return (
        is_raised
        and word[0].isdigit()
        and not last_word.endswith(BROKEN)
        and -last_height < gap < TOUCHING * last_height
    )


def _with_marked_scripts(word: str, boxes: list[_Box]) -> str:
    """A word with small raised letters marked, as in 10^6 or 1998[3], so that its number stays right."""
    height = max(top - bottom for _, bottom, _, top in boxes)
    base = min(bottom for _, bottom, _, top in boxes if top - bottom > SMALL * height)
    are_raised = [top - bottom < SMALL * height and bottom > base for _, bottom, _, top in boxes]
    pieces, end = word[:1], 1
    for is_raised, positions in groupby(range(1, len(word)), are_raised.__getitem__):
        start, end = end, end + len(list(positions))
        letters = word[start:end]
        pieces += scripts.raised(pieces, letters, word[end:]) if is_raised else letters
    return pieces


def _rotated(left: float, bottom: float, right: float, top: float, rotation: int) -> _Box:
    """A box in the coordinates of a page that is shown rotated."""
    if rotation == 90:
        return bottom, -right, top, -left
    if rotation == 180:
        return -right, -top, -left, -bottom
    if rotation == 270:
        return -top, left, -bottom, right
    return left, bottom, right, top


@dataclass(frozen=True, slots=True)
class _Note:
    text: str
    left: float
    bottom: float
    right: float
    top: float


def _notes(document: Any, page: Any) -> list[_Note]:
    """The texts of the page's filled form fields and free-text notes, with their boxes."""
    from pypdfium2 import raw

    notes = list[_Note]()
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        box = raw.FS_RECTF()
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        text = ""
        if not raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN and raw.FPDFAnnot_GetRect(annotation, box):
            if kind == raw.FPDF_ANNOT_FREETEXT:
                text = _string(lambda *room: raw.FPDFAnnot_GetStringValue(annotation, b"Contents", *room))  # noqa: B023
            elif kind == raw.FPDF_ANNOT_WIDGET and document.formenv:
                text = _field(document.formenv, annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if text := " ".join(text.translate(SHOWN).split()):
            low, high = sorted((box.bottom, box.top))
            notes.append(_Note(text, *_rotated(box.left, low, box.right, high, page.get_rotation())))
    return notes


def _field(form: Any, annotation: Any) -> str:
    """The text that a form field shows: its value, or a tick; "" for buttons and passwords."""
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return _TICK[bool(raw.FPDFAnnot_IsChecked(form, annotation))]
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if kind == raw.FPDF_FORMFIELD_TEXTFIELD and raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return ""
    return _string(lambda *room: raw.FPDFAnnot_GetFormFieldValue(form, annotation, *room))


def _string(get: Any) -> str:
    """A string from a PDFium function, which is called for its size first."""
    size = get(None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    get(buffer, size)
    return bytes(buffer).decode("utf-16-le", "ignore").rstrip("\0")


def _with_notes(pieces: list[Piece], notes: list[_Note]) -> list[Piece]:
    """The pieces with each note after the last piece to its left on the same line, else before the next line."""
    for note in notes:
        left_pieces = [
            number
            for number, piece in enumerate(pieces)
            if note.bottom <= piece.bottom + piece.height / 2 <= note.top and piece.left <= note.left
        ]
        middle = (note.bottom + note.top) / 2
        if left_pieces:
            position, line = left_pieces[-1] + 1, pieces[left_pieces[-1]]
            piece = Piece(note.text, note.left, note.right, line.bottom, line.height)
        else:
            position = next((number for number, piece in enumerate(pieces) if piece.bottom < middle), len(pieces))
            height = min(note.top - note.bottom, pieces[0].height if pieces else 12.0)
            piece = Piece(note.text, note.left, note.right, middle - height / 2, height)
        pieces.insert(position, piece)
    return pieces
