"""Where a text stands in a document that has nearly the same words: an item number, a letter or a mark is different.

A place counts where at least `MIN_SHARE` of the text's words stand in order, within little more than its length.
"""

import re
from functools import cached_property

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from pipelines.records import Span

MIN_SHARE = 0.85  # of the words, in order
MIN_WORDS = 4  # words: fewer stand anywhere
_WORD = re.compile(r"\w+")


class Alignment:
    """A document, its words numbered: texts are compared word by word."""

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
