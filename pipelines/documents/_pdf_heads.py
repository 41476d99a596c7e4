"""Removes running heads and page numbers of a PDF: rows that are repeated at the edges of pages."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from statistics import median

from pipelines.documents._pdf_words import Piece, rows

ROWS = 3  # at most, at each edge of a page
PAGES = 3  # on which a row comes again; two in a document of two pages
FOLIOS = 0.2  # of the pages have a folio in the same row, if a row that comes once is one
NUMBERS = 3  # in a row: a table has more
LARGE = 1.3
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_FOLIO = re.compile(r"\*\{-?\d+\}|\{-?\d+\}\*")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Page = Sequence[Piece]
_Form = tuple[int, str]  # which edge, and the row's words, with each number as it is or as its distance from the page's


def without_heads(pages: Sequence[Page]) -> list[list[Piece]]:
    """The pieces of each page without running heads and page numbers; the first page keeps a head without numbers."""
    median_heights = [median(piece.height for piece in page) if page else 0.0 for page in pages]
    rows_from_edges = [(lines, lines[::-1]) for lines in map(rows, pages)]
    counts = defaultdict[_Form, int](int)
    for number, sides in enumerate(rows_from_edges):
        forms_on_page = {
            form
            for side, lines in enumerate(sides)
            for row in lines[:ROWS]
            for form in _forms(side, row, number, median_heights[number])
        }
        forms_on_page.update(
            form for side, lines in enumerate(sides) for row in lines[:1] for form in _folios(side, row, number)
        )
        for form in forms_on_page:
            counts[form] += 1
    min_count = min(PAGES, max(2, len(pages)))
    min_folio_count = max(min_count, len(pages) * FOLIOS)
    repeated = {
        form for form, count in counts.items() if count >= (min_folio_count if _FOLIO.fullmatch(form[1]) else min_count)
    }
    bodies = list[list[Piece]]()
    for number, (page, sides) in enumerate(zip(pages, rows_from_edges, strict=True)):
        dropped_ids = set[int]()
        for side, lines in enumerate(sides):
            for row_number, row in enumerate(lines[:ROWS]):
                forms = [
                    *_forms(side, row, number, median_heights[number]),
                    *(() if row_number else _folios(side, row, number)),
                ]
                repeated_forms = [form for form in forms if form in repeated]
                if not repeated_forms:
                    break
                if (
                    number
                    or side
                    or not any(re.search(r"[^\W\d]", form) and "{" not in form for _, form in repeated_forms)
                ):
                    dropped_ids.update(map(id, row))
        body = [piece for piece in page if id(piece) not in dropped_ids]
        bodies.append(body or list(page))
    return bodies


def _forms(side: int, row: Sequence[Piece], page: int, median_height: float) -> Iterator[_Form]:
    """The forms of a row in which it may be repeated: each number as it is, or as its distance from the page number.

    A row of numbers alone must count the pages. A row in larger letters may be a title with a number ("Chapter 2").
    """
    text = _row_text(row).casefold()
    numbers = list(_NUMBER.finditer(text))
    has_words = re.search(r"[^\W\d]{2}", _NUMBER.sub("", text)) is not None
    if len(numbers) > NUMBERS:
        numbers = numbers[-1:]  # a date's come again as they are
    if max(piece.height for piece in row) > LARGE * median_height:
        numbers = []
    choices = [(match[0], f"{{{_integer(match[0]) - page}}}") for match in numbers]
    texts_between = [text[a:b] for a, b in _gaps(numbers, len(text))]
    for variant in product(*choices):
        if has_words or any(number.startswith("{") for number in variant):
            yield side, "".join(piece for pair in zip(texts_between, (*variant, ""), strict=True) for piece in pair)


def _folios(side: int, row: Sequence[Piece], page: int) -> Iterator[_Form]:
    """The forms of a row whose first or last number may be the page number, as beside the name of a chapter."""
    text = _row_text(row).casefold()
    numbers = list(_NUMBER.finditer(text))
    if numbers and numbers[0].start() == 0:
        yield side, f"{{{_integer(numbers[0][0]) - page}}}*"
    if numbers and numbers[-1].end() == len(text):
        yield side, f"*{{{_integer(numbers[-1][0]) - page}}}"


def _row_text(row: Sequence[Piece]) -> str:
    return " ".join(piece.text for piece in sorted(row, key=lambda piece: piece.left))


def _gaps(matches: Sequence[re.Match[str]], length: int) -> Iterator[tuple[int, int]]:
    starts = [0, *(match.end() for match in matches)]
    yield from zip(starts, [*(match.start() for match in matches), length], strict=True)


def _integer(number: str) -> int:
    if number.isdecimal():
        return int(number[:9])
    digits = [_ROMAN[letter] for letter in number]
    return sum(-digit if digit < max(digits[position:]) else digit for position, digit in enumerate(digits))
