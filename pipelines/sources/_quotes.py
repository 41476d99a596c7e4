"""Finds quoted evidence in a document, ignoring white space, quotation marks and the forms of dashes.

A quotation is first searched as a whole, then without reference marks ("[6]", "[es]"), then sentence by sentence:
annotators join sentences that are apart in the text, and shorten what is between them to "...". What is still not found
is aligned word by word, which gives an approximate span.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from chunkers.shared.boundaries import sentences
from pipelines.records import Span

_QUOTES = dict.fromkeys("'`´‘’‚‛′‹›\"“”„‟″«»＂", "")  # left out: single and double ones stand for each other
_DASHES = dict.fromkeys("-‐‑‒–—―−﹘﹣－", "-")
_INVISIBLE = dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", "")  # soft hyphen, characters of no width
_FORMS = _QUOTES | _DASHES | _INVISIBLE
_MARK = re.compile(r"\[[^\]\s]{1,3}\]")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:\.\s?\.\s?\.|…)(?:\s*\])?\s*")

MIN_SHARE = 0.85  # of the words, in order
MIN_WORDS = 4  # fewer words occur in many places
_WORD = re.compile(r"\w+")


class Quotes:
    """A document in which quotations can be looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._normal, self._positions = normalized(text)
        self._alignment = Alignment(text)

    def find(self, quotation: str) -> tuple[list[Span], bool, bool]:
        """The spans of a quotation in the order of its parts, whether all were found, and whether some approximately.

        Each part is found at its first occurrence, preferably one that begins and ends with whole words, and after the
        part before it if possible.
        """
        unmarked = _MARK.sub("", quotation)
        if span := self._span(quotation, 0) or self._span(unmarked, 0):
            return [span], True, False
        spans: list[Span] = []
        exact_count = number_count = 0
        parts = list(_parts(unmarked))
        for part in parts:
            start = bisect_left(self._positions, spans[-1][1]) if spans else 0
            if span := self._span(part, start) or self._span(part, 0):
                spans.append(span)
                exact_count += 1
            elif span := self._alignment.place(part):
                spans.append(span)
            else:
                number_count += not any(map(str.isalpha, part))  # an item's number, "3."
        if spans and len(spans) + number_count == len(parts):
            return spans, True, exact_count < len(parts)
        if span := self._alignment.place(unmarked):
            return [span], True, True
        return spans, False, False

    def has(self, span: Span, quotation: str) -> bool:
        """Whether the text of a span is the quotation."""
        return normalized(self._text[slice(*span)])[0] == normalized(quotation)[0]

    def _span(self, quotation: str, after: int) -> Span | None:
        """The first span of a text from position `after` of the normalized text on, preferably of whole words."""
        form = normalized(quotation)[0]
        first = None
        start = self._normal.find(form, after) if form else -1
        while start >= 0:
            span = self._positions[start], self._positions[start + len(form) - 1] + 1
            if self._is_whole(span):
                return span
            first = first or span
            start = self._normal.find(form, start + 1)
        return first

    def _is_whole(self, span: Span) -> bool:
        return not any(
            0 < edge < len(self._text) and self._text[edge - 1].isalnum() and self._text[edge].isalnum()
            for edge in span
        )


def normalized(text: str) -> tuple[str, list[int]]:
    """The text without white space and quotation marks, with one form of dash; and each character's old position."""
    forms: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text):
        form = _form(character)
        if form == "-" and forms and forms[-1] == "-" and positions[-1] == position - 1:
            positions[-1] = position  # a dash of several hyphens
            continue
        forms += form
        positions += [position] * len(form)
    return "".join(forms), positions


@lru_cache(maxsize=1 << 14)
def _form(character: str) -> str:
    """A character in the form in which texts are compared: Unicode's NFKD, without quotation marks and white space."""
    form = _FORMS.get(character)
    return "".join(unicodedata.normalize("NFKD", character).split()) if form is None else form


def _parts(quotation: str) -> Iterator[str]:
    for passage in _ELLIPSIS.split(quotation):
        yield from (passage[start:end] for start, end in sentences(passage))


class Alignment:
    """Finds the passage of a document that has nearly the same words as a quotation.

    Both are compared word by word. A passage matches if it has at least `MIN_SHARE` of the quotation's words, in order,
    within little more than its length.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def place(self, quotation: str) -> Span | None:
        """The span of the best match, from its first to its last common word; None if too few words are equal."""
        numbers = self._numbers
        words = [numbers.get(word, 0) for word in _WORD.findall(quotation)]
        if len(words) < MIN_WORDS or len(words) > len(self._words):
            return None
        encoded_words = "".join(map(chr, words))
        best = fuzz.partial_ratio_alignment(encoded_words, self._encoded)
        if best is None:
            return None
        margin = len(words) // 5 + 2  # words of the document alone: numbers, marks
        start = max(best.dest_start - margin, 0)
        # unknown words have a number that no word of the document has, so they are equal to none
        steps = LCSseq.opcodes(encoded_words, self._encoded[start : best.dest_end + margin])
        equal = [(step.dest_start, step.dest_end) for step in steps if step.tag == "equal"]
        if sum(end - begin for begin, end in equal) < MIN_SHARE * len(words):
            return None
        return self._words[start + equal[0][0]][0], self._words[start + equal[-1][1] - 1][1]

    @cached_property
    def _words(self) -> list[Span]:
        return [match.span() for match in _WORD.finditer(self._text)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """A number from 1 for each word."""
        numbers: dict[str, int] = {}
        for start, end in self._words:
            numbers.setdefault(self._text[start:end], len(numbers) + 1)
        return numbers

    @cached_property
    def _encoded(self) -> str:
        """The words as one character each, since rapidfuzz compares strings fastest."""
        return "".join(chr(self._numbers[self._text[start:end]]) for start, end in self._words)
