"""PDF, by pypdfium2 (Apache-2.0 or BSD; Chromium's PDFium): what a viewer shows, as running text.

Lines of a paragraph are joined, over columns and pages too; running heads and folios are left out; filled form fields
and free-text notes stand where they are shown.

On a book that Chromium printed (117 pages) PDFium found every word; pypdf and pdfminer.six left ligatures inside 1.3%
of them, and took 4.5 s and 9.6 s to its 0.3 s. It has no dependencies, and marks hyphens at the ends of lines. PyMuPDF
is AGPL. The places of words take another 8 ms a page.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, _hyphens, _pdf_columns, _pdf_heads, _pdf_lines, _pdf_words, stored_pdf
from pipelines.documents._pdf_lines import Line
from pipelines.documents._pdf_words import BROKEN, Piece

VERSION = 6
LIBRARY = "pypdfium2"
MOST = 1 << 20  # lines, of about 10,000 pages

_LAST = re.compile(rf"(?<!\w)(\w+)(?:{BROKEN}|-)$")
_PAGE_END = re.compile(r"-\n+(?=[^\W\d_A-Z])")
_FIRST = re.compile(r"\w+")


def read(path: Path) -> Text:
    """The text of all pages. Raises `UserError` for a file that is protected, damaged, or pictures of pages."""
    need("pypdfium2", "documents", "reading PDF")
    from pypdfium2 import PdfiumError

    logging.getLogger("pypdfium2").addHandler(logging.NullHandler())  # it writes of forms by XFA
    with stored_pdf.opened(path) as document:
        with suppress(PdfiumError):  # then the fields cannot be read, and the text can
            document.init_forms()
        labels = stored_pdf.page_labels(document)
        pages = list(_pages(path, document))
        title = document.get_metadata_value("Title").strip()
    warnings = stored_pdf.unread(path, labels, [None if page is None else not page.pieces for page in pages])
    bodies = _pdf_heads.without_heads([page.pieces if page else [] for page in pages])
    joined = _Joined(_vocabulary(bodies))
    for number, (page, body) in enumerate(zip(pages, bodies, strict=True)):
        if page:
            joined.add(number, body, page.width)
    marks = tuple((start, labels[number]) for number, start in joined.starts.items())
    return Text("".join(joined.parts), title, "page", marks, warnings=warnings, numbers=tuple(joined.starts))


def _pages(path: Path, document: Any) -> Iterator[_pdf_words.Page | None]:
    count = 0
    for number in range(len(document)):
        page = _pdf_words.page(document, number)
        count += len(page.pieces) if page else 0
        if count > MOST:
            raise UserError(f"{path} has more than {MOST:,} lines; cut it into smaller files")
        yield page


def _vocabulary(pages: Sequence[Sequence[Piece]]) -> set[str]:
    """The words of all pages, without words that are broken at the end of a line or page."""
    text = "\n".join(" ".join(piece.text for piece in page) for page in pages)
    return _hyphens.vocabulary([_PAGE_END.sub(BROKEN, text.replace(f"{BROKEN} ", BROKEN))])


class _Joined:
    """Joins pages; `starts` maps the number of each page with text to its position."""

    def __init__(self, vocabulary: set[str]) -> None:
        self.parts, self.starts = list[str](), dict[int, int]()
        self._vocabulary, self._length = vocabulary, 0
        self._last: Line | None = None
        self._is_paragraph = False  # the last line continues the one before it

    def add(self, number: int, pieces: Sequence[Piece], width: float) -> None:
        """Add a page's text."""
        for block in _pdf_columns.blocks(pieces):
            lines = _pdf_lines.lines(block, width)
            distance = _pdf_lines.usual_distance(lines)
            for line_number, line in enumerate(lines):
                if self._last is None:
                    separator = ""
                elif line_number:
                    separator = _pdf_lines.line_separator(self._last, line, distance)
                else:
                    separator = _pdf_lines.block_separator(self._last, line, self._is_paragraph)
                self._add(number, line, separator)

    def _add(self, number: int, line: Line, separator: str) -> None:
        if self._last is not None:
            if not separator:
                self.parts[-1], removed_count = self._unbroken(self.parts[-1], line.text)
                self._length -= removed_count
            elif self.parts[-1].endswith(BROKEN):  # a hyphen that belongs to no word
                self.parts[-1] = self.parts[-1][:-1] + "-"
            self._append(separator)
        self.starts.setdefault(number, self._length)
        self._append(line.text)
        self._last, self._is_paragraph = line, separator in ("", " ") and len(self.parts) > 1

    def _append(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self._length += len(text)

    def _unbroken(self, text: str, next_line: str) -> tuple[str, int]:
        """A line, its broken last word spelled as elsewhere in the document; and the number of removed characters."""
        last, first = _LAST.search(text), _FIRST.match(next_line)
        word = last and first and _hyphens.unhyphenated(last[1], first[0], self._vocabulary)
        if last and first and word == last[1] + first[0]:
            return text[:-1], 1
        return text[:-1] + "-", 0
