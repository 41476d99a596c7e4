"""PDF, by pypdfium2 (Apache-2.0 or BSD; Chromium's PDFium): pages with blank lines between them.

On a book that Chromium printed (117 pages) it found every word; pypdf and pdfminer.six left ligatures inside 1.3% of
them, and took 4.5 s and 9.6 s to its 0.3 s. It has no dependencies, and marks hyphens at the ends of lines. PyMuPDF is
AGPL. Running heads stay, and so do the lines.

At a line's end PDFium does not tell a compound's hyphen from one in a broken word; the rest of the document shows it
(`_unhyphenated`). On pages of three novels, whose 37 such hyphens were all in compounds, this kept 22, of which 13
occur with a hyphen elsewhere; of broken words it leaves a hyphen in about 3 of 1,000.
"""

import re
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, file_bytes

VERSION = 3
LIBRARY = "pypdfium2"

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0x7F, 0xAD])
_HYPHENS = re.compile(r"(\w+)[\ufffe\x02](?:\r?\n)?(\w+)")  # how PDFium marks a hyphen at the end of a line
_COMPOUND = re.compile(r"\w+(?:-\w+)+")
_WORD = re.compile(r"\w+")
MINIMUM = 3  # characters of a compound's parts


def read(path: Path) -> Text:
    """The text of all pages. Raises `UserError` for a file that is protected, damaged, or pictures of pages."""
    pdfium = need("pypdfium2", "documents", "reading PDF")
    with path.open("rb") as handle:
        file_bytes.check(path, handle.read(1024), b"%PDF-")
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise _refused_error(path, str(error)) from None
    try:
        labels = [document.get_page_label(number) or str(number + 1) for number in range(len(document))]
        pages = [_page(pdfium, document, number) for number in range(len(document))]
        title = document.get_metadata_value("Title")
    finally:
        document.close()
    return _joined(path, title.strip(), labels, pages)


def _page(pdfium: Any, document: Any, number: int) -> str | None:
    """A page's text, None if it cannot be read."""
    try:
        page = document[number]
        text: str = page.get_textpage().get_text_range()
        page.close()
    except pdfium.PdfiumError:
        return None
    return text


def _joined(path: Path, title: str, labels: list[str], pages: list[str | None]) -> Text:
    content = " ".join(filter(None, pages)).casefold()
    words = set(_COMPOUND.findall(content)) | set(_WORD.findall(_HYPHENS.sub(" ", content)))
    texts, marks, numbers, position = list[str](), list[tuple[int, str]](), list[int](), 0
    for number, (label, page) in enumerate(zip(labels, pages, strict=True)):
        if text := _cleaned(page or "", words):
            marks.append((position, label))
            numbers.append(number)
            texts.append(text)
            position += len(text) + 2
    if not texts:
        problem = f"{path} has no text in it, only pictures of pages: it needs OCR"
        raise UserError(f"{problem}; type: ocrmypdf {path.name} ocr-{path.name}, then ask that")
    warnings = list[str]()
    damaged = [label for label, page in zip(labels, pages, strict=True) if page is None]
    if damaged:
        warnings.append(f"{path}: damaged, not read: {_page_list(damaged)}")
    empty = [label for label, page in zip(labels, pages, strict=True) if page is not None and not page.strip()]
    if empty:
        warnings.append(f"{path}: no text (a picture, or empty), so not read: {_page_list(empty)} of {len(pages)}")
    return Text("\n\n".join(texts), title, "page", tuple(marks), warnings=tuple(warnings), numbers=tuple(numbers))


def _cleaned(page: str, words: set[str]) -> str:
    """A page with words joined that a line's end broke, without ligatures and control characters."""
    text = _HYPHENS.sub(lambda match: _unhyphenated(match[1], match[2], words), page)
    text = text.replace("\ufffe", "").replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in text.translate(_LIGATURES | _CONTROLS).split("\n")).strip()


def _unhyphenated(first: str, second: str, words: set[str]) -> str:
    """Two pieces joined as elsewhere in the document; else a compound if both are words in it, or the second a name."""
    hyphened, joined = f"{first}-{second}", first + second
    if hyphened.casefold() in words or joined.casefold() in words:
        return hyphened if hyphened.casefold() in words else joined
    name = second[0].isupper() and not first.isupper()
    are_words = min(len(first), len(second)) >= MINIMUM and {first.casefold(), second.casefold()} <= words
    return hyphened if name or are_words else joined


def _page_list(labels: list[str], limit: int = 10) -> str:
    ellipsis = " …" if len(labels) > limit else ""
    return f"page{'s' if len(labels) > 1 else ''} {', '.join(labels[:limit])}{ellipsis}"


def _refused_error(path: Path, error: str) -> UserError:
    if "password" in error.lower():
        hint = f"qpdf --decrypt --password=PASSWORD {path.name} open-{path.name}"
        return UserError(f"{path} is protected by a password: save it without, or type: {hint}")
    if "security" in error.lower():
        return UserError(f"{path} is protected in a way that is not known here: print it to a new PDF")
    return UserError(f"{path} cannot be read as PDF ({error}): it is damaged or was cut off; fetch or copy it again")
