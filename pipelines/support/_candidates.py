"""Scores by a model that reads a claim together with each quote, which is dear: it reads the likeliest quotes alone."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from pipelines.support import Floats, SupportIndex, asserted_text
from pipelines.support.overlap import OverlapIndex

PairSupport = Callable[[str, Sequence[str]], Sequence[float]]


class CandidateIndex(SupportIndex):
    """The `count` sentences and pairs of neighbours that have most words in common with question and claim are read.

    `read` gives the support of a claim, 0–1, by each of some quotes. Whatever has no word in common, and what is not
    read, is 0.
    """

    def __init__(self, sentences: Sequence[str], count: int, read: PairSupport) -> None:
        self._texts = [*sentences, *(f"{first} {second}" for first, second in pairwise(sentences))]
        self._sentence_count, self._count, self._read = len(sentences), count, read
        self._words = OverlapIndex(sentences)

    def scores(self, claim: str, query: str) -> tuple[Floats, Floats]:
        """The scores of the candidates, 0 for the others."""
        text = asserted_text(claim, query)
        overlaps = np.concatenate(self._words.scores(text, ""))
        order = [number for number in np.argsort(-overlaps, kind="stable")[: self._count] if overlaps[number] > 0]
        values = np.zeros(len(self._texts))
        if order:
            values[order] = self._read(text, [self._texts[number] for number in order])
        return values[: self._sentence_count], values[self._sentence_count :]
