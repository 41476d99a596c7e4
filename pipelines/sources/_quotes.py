"""Where quoted evidence stands in a document, whatever happened to white space, quotation marks and dashes.

A quotation is first sought as a whole, then without reference marks ("[6]", "[es]"), then its sentences one by one:
annotators join sentences that are apart in the text, and shorten what is between them to "...". What is still not there
is aligned by its words, and its place approximate.
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
MIN_WORDS = 4  # words: fewer stand anywhere
_WORD = re.compile(r"\w+")


class Quotes:
    """A document in which quotations can be looked up."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._normal, self._places = normalized(text)
        self._alignment = Alignment(text)

    def find(self, quotation: str) -> tuple[list[Span], bool, bool]:
        """The spans of a quotation, in the order of its parts, whether all was found, and whether some approximately.

        Of several places the first counts, those that begin and end with whole words before others; sentences sought
        one by one come behind one another if they can.
        """
        unmarked = _MARK.sub("", quotation)
        if span := self._span(quotation, 0) or self._span(unmarked, 0):
            return [span], True, False
        spans: list[Span] = []
        exact = numbers = 0
        parts = list(_parts(unmarked))
        for part in parts:
            after = bisect_left(self._places, spans[-1][1]) if spans else 0
            if span := self._span(part, after) or self._span(part, 0):
                spans.append(span)
                exact += 1
            elif span := self._alignment.place(part):
                spans.append(span)
            else:
                numbers += not any(map(str.isalpha, part))  # an item's number, "3."
        if spans and len(spans) + numbers == len(parts):
            return spans, True, exact < len(parts)
        if span := self._alignment.place(unmarked):
            return [span], True, True
        return spans, False, False

    def has(self, span: Span, quotation: str) -> bool:
        """Whether the quotation stands at a span of the document."""
        return normalized(self._text[slice(*span)])[0] == normalized(quotation)[0]

    def _span(self, quotation: str, after: int) -> Span | None:
        """The first place of a text from the normal form's position `after` on, by preference of whole words."""
        form = normalized(quotation)[0]
        first = None
        start = self._normal.find(form, after) if form else -1
        while start >= 0:
            span = self._places[start], self._places[start + len(form) - 1] + 1
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
    """The text without white space and quotation marks, its dashes made alike; and where each character was."""
    forms: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        form = _form(character)
        if form == "-" and forms and forms[-1] == "-" and places[-1] == place - 1:
            places[-1] = place  # a dash of several hyphens
            continue
        forms += form
        places += [place] * len(form)
    return "".join(forms), places


@lru_cache(maxsize=1 << 14)
def _form(character: str) -> str:
    """One character as it is compared: letters with marks apart, ligatures and full-width forms as plain letters."""
    form = _FORMS.get(character)
    return "".join(unicodedata.normalize("NFKD", character).split()) if form is None else form


def _parts(quotation: str) -> Iterator[str]:
    for stretch in _ELLIPSIS.split(quotation):
        yield from (stretch[start:end] for start, end in sentences(stretch))


class Alignment:
    """Where a text stands in a document that has nearly the same words: a number, a letter or a mark is different.

    The document's words are numbered, and texts compared word by word. A place counts where at least `MIN_SHARE` of the
    text's words stand in order, within little more than its length.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def place(self, quotation: str) -> Span | None:
        """The span of the best place, from its first to its last word in common; None where too few words agree."""
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
