"""Running heads and folios of a PDF: rows at the edges of pages that come again, with or without its number in them."""

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
    """The pieces of each page without running heads and folios; the first page keeps a head of words alone."""
    usual = [median(piece.height for piece in page) if page else 0.0 for page in pages]
    edges = [(lines, lines[::-1]) for lines in map(rows, pages)]
    counts = defaultdict[_Form, int](int)
    for number, sides in enumerate(edges):
        seen = {
            form
            for side, lines in enumerate(sides)
            for row in lines[:ROWS]
            for form in _forms(side, row, number, usual[number])
        }
        seen.update(
            form for side, lines in enumerate(sides) for row in lines[:1] for form in _folios(side, row, number)
        )
        for form in seen:
            counts[form] += 1
    enough = min(PAGES, max(2, len(pages)))
    most = max(enough, len(pages) * FOLIOS)
    repeated = {form for form, count in counts.items() if count >= (most if _FOLIO.fullmatch(form[1]) else enough)}
    kept = list[list[Piece]]()
    for number, (page, sides) in enumerate(zip(pages, edges, strict=True)):
        dropped = set[int]()
        for side, lines in enumerate(sides):
            for place, row in enumerate(lines[:ROWS]):
                forms = [*_forms(side, row, number, usual[number]), *(() if place else _folios(side, row, number))]
                common = [form for form in forms if form in repeated]
                if not common:
                    break
                if number or side or not any(re.search(r"[^\W\d]", form) and "{" not in form for _, form in common):
                    dropped.update(map(id, row))
        body = [piece for piece in page if id(piece) not in dropped]
        kept.append(body or list(page))
    return kept


def _forms(side: int, row: Sequence[Piece], page: int, usual: float) -> Iterator[_Form]:
    """The forms in which a row may come again. A row of numbers alone has to count the pages.

    One in letters that are larger than usual is a title if its number goes on: "Chapter 2" on page 2.
    """
    text = _words(row).casefold()
    numbers = list(_NUMBER.finditer(text))
    has_words = re.search(r"[^\W\d]{2}", _NUMBER.sub("", text)) is not None
    if len(numbers) > NUMBERS:
        numbers = numbers[-1:]  # a date's come again as they are
    if max(piece.height for piece in row) > LARGE * usual:
        numbers = []
    choices = [(match[0], f"{{{_value(match[0]) - page}}}") for match in numbers]
    between = [text[a:b] for a, b in _gaps(numbers, len(text))]
    for chosen in product(*choices):
        if has_words or any(number.startswith("{") for number in chosen):
            yield side, "".join(piece for pair in zip(between, (*chosen, ""), strict=True) for piece in pair)


def _folios(side: int, row: Sequence[Piece], page: int) -> Iterator[_Form]:
    """The forms of a row whose first or last number counts the pages, as beside the name of each chapter."""
    text = _words(row).casefold()
    numbers = list(_NUMBER.finditer(text))
    if numbers and numbers[0].start() == 0:
        yield side, f"{{{_value(numbers[0][0]) - page}}}*"
    if numbers and numbers[-1].end() == len(text):
        yield side, f"*{{{_value(numbers[-1][0]) - page}}}"


def _words(row: Sequence[Piece]) -> str:
    return " ".join(piece.text for piece in sorted(row, key=lambda piece: piece.left))


def _gaps(matches: Sequence[re.Match[str]], length: int) -> Iterator[tuple[int, int]]:
    starts = [0, *(match.end() for match in matches)]
    yield from zip(starts, [*(match.start() for match in matches), length], strict=True)


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number[:9])
    values = [_ROMAN[letter] for letter in number]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))
