"""The pages of a PDF as PDFium stores them, with its lines and running heads: what FinanceBench's texts are made of."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.optional import need
from pipelines.documents import Text, _hyphens, file_bytes

VERSION = 3
LIBRARY = "pypdfium2"

_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0x7F, 0xAD])
SHOWN = _hyphens.LIGATURES | _CONTROLS  # of each character, what a person sees


def read(path: Path) -> Text:
    """The text of all pages. Raises `UserError` for a file that is protected, damaged, or pictures of pages."""
    with opened(path) as document:
        labels = page_labels(document)
        pages = [_page(document, number) for number in range(len(document))]
        title = document.get_metadata_value("Title")
    return _joined(path, title.strip(), labels, pages)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """PDFium's document. Raises `UserError` for a file that is protected or damaged."""
    pdfium = need("pypdfium2", "documents", "reading PDF")
    with path.open("rb") as handle:
        file_bytes.check(path, handle.read(1024), b"%PDF-")
    try:
        document = pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise _reading_error(path, str(error)) from None
    try:
        yield document
    finally:
        document.close()


def page_labels(document: Any) -> list[str]:
    """The labels of the pages, as a viewer shows them."""
    return [document.get_page_label(number) or str(number + 1) for number in range(len(document))]


def _page(document: Any, number: int) -> str | None:
    """A page's text, None if it cannot be read."""
    from pypdfium2 import PdfiumError

    try:
        page = document[number]
        text: str = page.get_textpage().get_text_range()
        page.close()
    except PdfiumError:
        return None
    return text


def _joined(path: Path, title: str, labels: list[str], pages: list[str | None]) -> Text:
    words = _hyphens.vocabulary(filter(None, pages))
    texts, marks, numbers, position = list[str](), list[tuple[int, str]](), list[int](), 0
    for number, (label, page) in enumerate(zip(labels, pages, strict=True)):
        if text := _cleaned(page or "", words):
            marks.append((position, label))
            numbers.append(number)
            texts.append(text)
            position += len(text) + 2
    are_empty = [None if page is None else not page.strip() for page in pages]
    warnings = unread(path, labels, are_empty)
    return Text("\n\n".join(texts), title, "page", tuple(marks), warnings=warnings, numbers=tuple(numbers))


def unread(path: Path, labels: list[str], are_empty: list[bool | None]) -> tuple[str, ...]:
    """Warnings for damaged pages (None) and pages without text (True). Raises `UserError` if no page has text."""
    if all(is_empty is not False for is_empty in are_empty):
        problem = f"{path} has no text in it, only pictures of pages: it needs OCR"
        raise UserError(f"{problem}; type: ocrmypdf {path.name} ocr-{path.name}, then ask that")
    warnings = list[str]()
    if damaged := [label for label, is_empty in zip(labels, are_empty, strict=True) if is_empty is None]:
        warnings.append(f"{path}: damaged, not read: {_page_list(damaged)}")
    if empty := [label for label, is_empty in zip(labels, are_empty, strict=True) if is_empty]:
        warnings.append(f"{path}: no text (a picture, or empty), so not read: {_page_list(empty)} of {len(labels)}")
    return tuple(warnings)


def _cleaned(page: str, words: set[str]) -> str:
    """The text of a page with broken words joined, without ligatures and control characters."""
    text = _hyphens.MARKED.sub(lambda match: _hyphens.unhyphenated(match[1], match[2], words), page)
    text = text.replace("\ufffe", "").replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in text.translate(SHOWN).split("\n")).strip()


def _page_list(labels: list[str], limit: int = 10) -> str:
    ellipsis = " …" if len(labels) > limit else ""
    return f"page{'s' if len(labels) > 1 else ''} {', '.join(labels[:limit])}{ellipsis}"


def _reading_error(path: Path, error: str) -> UserError:
    if "password" in error.lower():
        hint = f"qpdf --decrypt --password=PASSWORD {path.name} open-{path.name}"
        return UserError(f"{path} is protected by a password; save it without, or type: {hint}")
    if "security" in error.lower():
        return UserError(f"{path} is protected in an unsupported way; print it to a new PDF")
    return UserError(f"{path} cannot be read as PDF ({error}). It is damaged or was cut off; fetch or copy it again")
