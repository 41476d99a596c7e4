"""The share of a claim's words that a quote has, weighted by how rare they are in the document.

    score = Σ idf(w) over the claim's words that the quote has / Σ idf(w) over the claim's words,
    idf(w) = ln(1 + (N + 1) / (n + 1)) for a word in n of N sentences

A claim repeats the question that it answers, so its words are those that the question does not have; all of them where
it has no others. Numbers are compared without the commas between their digits.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from pipelines.support import Floats, Support, SupportIndex
from retrievers.shared.stop_words import ENGLISH

_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+")


@dataclass(frozen=True)
class Overlap(Support):
    """Lexical overlap of a claim with sentences of the document."""

    def index(self, sentences: Sequence[str]) -> "OverlapIndex":
        """The sentences' words."""
        return OverlapIndex(sentences)


class OverlapIndex(SupportIndex):
    """In which sentences each word is."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.count = len(sentences)
        numbers: dict[str, list[int]] = {}
        for number, sentence in enumerate(sentences):
            for word in terms(sentence):
                numbers.setdefault(word, []).append(number)
        self._numbers: dict[str, npt.NDArray[np.intp]] = {
            word: np.array(sentence_numbers) for word, sentence_numbers in numbers.items()
        }

    def scores(self, claim: str, query: str) -> tuple[Floats, Floats]:
        """The weighted shares of the claim's words."""
        words = sorted(terms(claim) - terms(query)) or sorted(terms(claim))
        single, double, total = np.zeros(self.count), np.zeros(max(self.count - 1, 0)), 0.0
        for word in words:
            numbers = self._numbers.get(word, np.empty(0, np.intp))
            weight = log(1 + (self.count + 1) / (len(numbers) + 1))
            total += weight
            single[numbers] += weight
            double[np.unique(np.concatenate([numbers[numbers < len(double)], numbers[numbers > 0] - 1]))] += weight
        return (single / total, double / total) if total else (single, double)


def terms(text: str) -> frozenset[str]:
    """The distinct words of a text in lower case, without English stop words."""
    words = (word.replace(",", "").lower() for word in _WORD.findall(text))
    return frozenset(word for word in words if word not in ENGLISH)
