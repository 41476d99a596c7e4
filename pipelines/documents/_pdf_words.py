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
        """Whether its last word goes on in the next line."""
        return self.text.endswith(BROKEN)


@dataclass(frozen=True, slots=True)
class Page:
    """A page's pieces in stored order, with fields and notes in place; `width` in points."""

    pieces: list[Piece]
    width: float


def rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each line across the whole page, from the top."""
    found = list[list[Piece]]()
    for piece in sorted(pieces, key=lambda piece: -piece.bottom):
        if found and found[-1][0].bottom - piece.bottom < piece.height / 2:
            found[-1].append(piece)
        else:
            found.append([piece])
    return found


def page(document: Any, number: int) -> Page | None:
    """A page, None if it is damaged."""
    import pypdfium2

    try:
        opened = document[number]
        textpage = opened.get_textpage()
        found = _placed(_text_pieces(textpage, opened.get_rotation()), _notes(document, opened))
        width = opened.get_width()
        textpage.close()
        opened.close()
    except pypdfium2.PdfiumError:
        return None
    return Page(found, width)


def _text_pieces(textpage: Any, rotation: int) -> list[Piece]:
    """Words are one piece up to the end of their line, or a wide gap."""
    from pypdfium2 import raw

    text = textpage.get_text_range()
    is_same = textpage.count_chars() == len(text)
    box = raw.FS_RECTF()

    def place(index: int) -> _Box:
        at = index if is_same else raw.FPDFText_GetCharIndexFromTextIndex(textpage, index)
        raw.FPDFText_GetLooseCharBox(textpage, at, box)
        return _turned(box.left, box.bottom, box.right, box.top, rotation)

    found, words, end = list[Piece](), list[tuple[str, float, float]](), 0
    left = right = 0.0

    def finish() -> None:
        _, bottom, height = max(words, key=lambda word: len(word[0]))  # a bullet or a raised number lies elsewhere
        found.append(Piece(" ".join(word for word, _, _ in words), left, right, bottom, height))
        words.clear()

    for match in _PIECE.finditer(text):
        word = match[0].replace("\x02", BROKEN)
        word = word.rstrip(BROKEN).translate(SHOWN) + (BROKEN if word.endswith(BROKEN) else "")
        if not word:
            continue
        if len(match[0]) > 1 and any(map(str.isdigit, word)) and len(word) == len(match[0]):
            word = _raised(word, [place(at) for at in range(match.start(), match.end())])
        x0, y0, x1, y1 = place(match.start())
        last = place(match.end() - 1 - word.endswith(BROKEN)) if len(match[0]) > 1 else (x0, y0, x1, y1)
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
    return found


def _is_raised_behind(last: tuple[str, float, float], word: str, bottom: float, height: float, gap: float) -> bool:
    """Whether a number is smaller and higher than the word that it touches: PDFium takes it for another word."""
    before, base, tall = last
    is_raised = height < SMALL * tall and base < bottom < base + tall
    return is_raised and word[0].isdigit() and not before.endswith(BROKEN) and -tall < gap < TOUCHING * tall


def _raised(word: str, boxes: list[_Box]) -> str:
    """A word with its small raised letters marked, which else would make another number of it (10^6, 1998[3])."""
    height = max(top - bottom for _, bottom, _, top in boxes)
    base = min(bottom for _, bottom, _, top in boxes if top - bottom > SMALL * height)
    are_raised = [top - bottom < SMALL * height and bottom > base for _, bottom, _, top in boxes]
    pieces, end = word[:1], 1
    for is_raised, places in groupby(range(1, len(word)), are_raised.__getitem__):
        start, end = end, end + len(list(places))
        letters = word[start:end]
        pieces += scripts.raised(pieces, letters, word[end:]) if is_raised else letters
    return pieces


def _turned(left: float, bottom: float, right: float, top: float, rotation: int) -> _Box:
    """A box as it lies on the page when that is shown turned."""
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
    """What the page's filled fields and free-text notes show."""
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
            notes.append(_Note(text, *_turned(box.left, low, box.right, high, page.get_rotation())))
    return notes


def _field(form: Any, annotation: Any) -> str:
    """What a field shows: its value, or whether it is ticked; nothing of buttons and passwords."""
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
    """A string of PDFium, which first says how many bytes it takes."""
    size = get(None, 0)
    if size <= 2:
        return ""
    room = (ctypes.c_ushort * (size // 2))()
    get(room, size)
    return bytes(room).decode("utf-16-le", "ignore").rstrip("\0")


def _placed(found: list[Piece], notes: list[_Note]) -> list[Piece]:
    """The pieces with those of notes: after the last one to their left on the same line, else above the next line."""
    for note in notes:
        beside = [
            number
            for number, piece in enumerate(found)
            if note.bottom <= piece.bottom + piece.height / 2 <= note.top and piece.left <= note.left
        ]
        middle = (note.bottom + note.top) / 2
        if beside:
            at, line = beside[-1] + 1, found[beside[-1]]
            piece = Piece(note.text, note.left, note.right, line.bottom, line.height)
        else:
            at = next((number for number, piece in enumerate(found) if piece.bottom < middle), len(found))
            height = min(note.top - note.bottom, found[0].height if found else 12.0)
            piece = Piece(note.text, note.left, note.right, middle - height / 2, height)
        found.insert(at, piece)
    return found
