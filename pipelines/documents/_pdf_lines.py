"""The lines of a PDF's blocks, and the separator between two of them: nothing, a space, a line break or two.

Print does not say where a paragraph goes on. A line that takes more than 55 % of its column and does not end as a
sentence goes on in the next: of the 53 sentences of a printed story, one was left without its end so, and 12 of 71
where a line had to be too full for the next word.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pipelines.documents._pdf_words import BROKEN, CELLS, Piece

GOES_ON = 0.55  # of the column's width
FULL = 0.85
SIZES = 1.15  # a heading's letters are larger
WIDTHS = 1.3  # a title over columns is wider
PARAGRAPH = 1.45  # times the usual distance of two lines
EVEN = 1.1  # how much the spaces of a line that is set to the full width differ
NARROWEST = 0.4  # of the page, as the width of a column whose lines are all short
_SENTENCE = re.compile(r"[.!?:…。！？؟।][\"'”’»)\]]*$")
_ITEM = re.compile(r"[•▪◦●■–—*·☐☒‣-]\s|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s")
_LEADERS = re.compile(r"(?:\.\s?){4,}\d*$")  # of a table of contents
_BULLET = re.compile(r"[•▪◦●■☐☒‣]\s")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block. `share` is how much it takes of its column, which is `width` wide.

    `is_apart`: it has wide gaps or leaders, as in a table.
    """

    text: str
    left: float
    bottom: float
    height: float
    share: float
    width: float
    is_apart: bool

    @property
    def is_unfinished(self) -> bool:
        """Whether it ends within a sentence."""
        return not _SENTENCE.search(self.text)


def lines(block: Sequence[Piece], page_width: float) -> list[Line]:
    """The lines of a block, from the top; in stored order where pieces stand beside each other."""
    rows = list[list[Piece]]()
    for piece in block:
        if rows and _is_beside(rows[-1][-1], piece) and not rows[-1][-1].is_broken:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    if not rows:
        return []
    left = min(piece.left for piece in block)
    width = max(NARROWEST * page_width, max(piece.right for piece in block) - left)
    if not any(_is_beside(a[0], b[0]) for a, b in pairwise(rows)):
        rows.sort(key=lambda row: -row[0].bottom)
    return [_line(row, left, width) for row in rows]


def _line(row: Sequence[Piece], left: float, width: float) -> Line:
    text = " ".join(piece.text for piece in row)
    longest = max(row, key=lambda piece: len(piece.text))
    share = (row[-1].right - left) / width
    gaps = [b.left - a.right for a, b in pairwise(row)]
    is_spaced = share > FULL and 1 < len(gaps) == len(text.split()) - 1 and max(gaps) <= EVEN * min(gaps)
    is_apart = any(gap > CELLS * longest.height for gap in gaps) and not is_spaced
    return Line(
        text, row[0].left, longest.bottom, longest.height, share, width, is_apart or bool(_LEADERS.search(text))
    )


def _is_beside(one: Piece, other: Piece) -> bool:
    return abs(one.bottom - other.bottom) < min(one.height, other.height) / 2


def usual_distance(block: Sequence[Line]) -> float:
    """The usual distance between two lines of a block."""
    distances = [a.bottom - b.bottom for a, b in pairwise(block) if a.bottom > b.bottom]
    return median(distances) if len(distances) > 2 else min(distances, default=0.0)


def line_separator(line: Line, next_line: Line, distance: float) -> str:
    """The separator between two lines of a block."""
    if line.text.endswith(BROKEN):
        return ""
    gap = line.bottom - next_line.bottom
    max_ratio = SIZES**2 if line.is_unfinished and line.share > FULL else SIZES  # words in another font are as large
    if not 0 < gap <= max(PARAGRAPH * distance, line.height) or not _same_size(line, next_line, max_ratio):
        return "\n\n"
    if line.is_apart or next_line.is_apart or _BULLET.match(next_line.text):
        return "\n"
    if line.is_unfinished:
        if _ITEM.match(next_line.text) and line.share < FULL:
            return "\n"
        return " " if line.share > GOES_ON or next_line.text[0].islower() else "\n"
    is_same_paragraph = line.share > FULL and next_line.left <= line.left + line.height / 2
    return " " if is_same_paragraph and not _ITEM.match(next_line.text) else "\n"


def block_separator(line: Line, next_line: Line, is_paragraph: bool) -> str:
    """The separator between the last line of a column or page and the first line of the next one.

    `is_paragraph`: the last line continues the line before it.
    """
    if line.text.endswith((BROKEN, "-")) and next_line.text[0].islower():
        return ""
    is_continued = line.is_unfinished and (is_paragraph or line.share > GOES_ON) and _same_size(line, next_line)
    is_continued = is_continued and max(line.width, next_line.width) <= WIDTHS * min(line.width, next_line.width)
    is_text = not (line.is_apart or next_line.is_apart or _BULLET.match(next_line.text))
    return " " if is_continued and is_text else "\n\n"


def _same_size(line: Line, other: Line, max_ratio: float = SIZES) -> bool:
    return max(line.height, other.height) <= max_ratio * min(line.height, other.height)
