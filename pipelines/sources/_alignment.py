"""Where a text stands in a document that has nearly the same words: an item number, a letter or a mark is different.

A place counts where at least `LEAST_LIMIT` of the text's words stand in order, within little more than its length.
"""

import re
from functools import cached_property

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from pipelines.records import Span

LEAST_LIMIT = 0.85  # of the words, in order
FEWEST_LIMIT = 4  # words: fewer stand anywhere
_WORD = re.compile(r"\w+")


class Alignment:
    """A document, its words numbered: texts are compared word by word."""

    def __init__(self, text: str) -> None:
        self._text = text

    def place(self, quotation: str) -> Span | None:
        """The span of the best place, from its first to its last word in common; None where too few words agree."""
        numbers = self._numbers
        words = [numbers.get(word, 0) for word in _WORD.findall(quotation)]
        if len(words) < FEWEST_LIMIT or len(words) > len(self._words):
            return None
        wanted_text = "".join(map(chr, words))
        best = fuzz.partial_ratio_alignment(wanted_text, self._written)
        if best is None:
            return None
        margin = len(words) // 5 + 2  # words of the document alone: numbers, marks
        start = max(best.dest_start - margin, 0)
        # unknown words have a number that no word of the document has, so they are equal to none
        steps = LCSseq.opcodes(wanted_text, self._written[start : best.dest_end + margin])
        equal = [(step.dest_start, step.dest_end) for step in steps if step.tag == "equal"]
        if sum(end - begin for begin, end in equal) < LEAST_LIMIT * len(words):
            return None
        return self._words[start + equal[0][0]][0], self._words[start + equal[-1][1] - 1][1]

    @cached_property
    def _words(self) -> list[Span]:
        return [match.span() for match in _WORD.finditer(self._text)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """A number from 1 for each word."""
        values: dict[str, int] = {}
        for start, end in self._words:
            values.setdefault(self._text[start:end], len(values) + 1)
        return values

    @cached_property
    def _written(self) -> str:
        """The words as one character each, since rapidfuzz compares strings fastest."""
        return "".join(chr(self._numbers[self._text[start:end]]) for start, end in self._words)
