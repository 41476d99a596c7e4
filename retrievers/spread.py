"""Scores spread over the text around each chunk: for evidence that is a stretch of text, as a topic of a meeting is.

score(d) = sum over the chunks e of (s(e) - mean of s) * exp(-|p(d) - p(e)| / words), where p is where the middle of a
chunk stands in the document, in words. This is a kernel estimate of where a document speaks of the query, as passages
are found by Kise et al. 2001, "Passage Retrieval Based on Density Distributions of Terms and Its Applications to
Document Retrieval and Question Answering", and by Lv & Zhai 2009, "Positional Language Models for Information
Retrieval", section 3, with the exponential for their kernels. Scores are taken less their mean, so that a chunk that
matches less than others do lowers what is around it, and many short chunks weigh no more than a few long ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from retrievers import Index, Retriever, Scores, registry
from retrievers.shared.members import Composite, CompositeIndex


@dataclass(frozen=True)
class Spread(Composite):
    """Adds to the score of each chunk of `retriever` those of the chunks around it, the less the farther away.

    At a distance of `words` words a score counts for 1/e of its value. Where all scores are the same, all are 0. It
    ranks by the document's centroid if `retriever` does, and spreads these scores.
    """

    retriever: Any = "bm25"
    words: float = 400

    def __post_init__(self) -> None:
        if not 0 < self.words < np.inf:
            raise UserError(f"spread: words must be a number over 0, got {self.words}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever whose scores it spreads."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that spreads the scores of the retriever's index."""
        return _SpreadIndex(self.retriever.index(chunks), places(chunks) / self.words)


class _SpreadIndex(CompositeIndex):
    """`places` [chunks] are measured in distances over which a score falls to 1/e."""

    def __init__(self, member: Index, places: npt.NDArray[np.float64]) -> None:
        super().__init__("spread", [member])
        self._order = np.argsort(places, kind="stable")
        self._decay = np.exp(-np.diff(places[self._order]))

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._spread(self.member_scores(queries)[0]).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], spread as in `scores`. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._spread(self.member_centroid_scores()[0])[0])

    def _spread(self, scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        if not scores.size:
            return scores.astype(np.float64)
        centered = scores.T[self._order].astype(np.float64)
        centered -= centered.mean(axis=0)
        before = _decayed_sums(centered, self._decay)
        after = _decayed_sums(centered[::-1], self._decay[::-1])[::-1]
        spread_scores = np.empty_like(centered)
        spread_scores[self._order] = before + after - centered
        return spread_scores.T


def _decayed_sums(scores: npt.NDArray[np.float64], decay: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Running sums down the rows of `scores` [chunks, queries], multiplied by the next of `decay` at each row."""
    sums = scores.copy()
    for row in range(1, len(sums)):
        sums[row] += decay[row - 1] * sums[row - 1]
    return sums


def places(chunks: Sequence[Chunk]) -> npt.NDArray[np.float64]:
    """The position of each chunk's middle, in words of the document's mean length."""
    texts = [chunk.text for chunk in chunks]
    characters = max(1, sum(map(len, texts)))
    middles = np.array([chunk.start + chunk.end for chunk in chunks], np.float64) / 2
    return middles * (sum(count_words(texts)) / characters if texts else 0.0)
