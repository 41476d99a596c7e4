"""Order chunks by score: best first, ties (to 1e-6) by position, k clamped. Indexes that several retrievers share."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from retrievers._contract import Ids, Scores

TIE = 1e-6
FIRST = 32  # queries scored together before the number of chunks is known
CELLS = 1_000_000  # scores in memory at a time, with some 50 bytes for each


def ranked(score: Callable[[Any], npt.NDArray[np.floating]], queries: Any, k: int | None) -> tuple[Scores, Ids]:
    """`top_k` of `score(queries)`, float [queries, chunks], computed for a block of queries at a time."""
    scores = score(queries[:FIRST])
    results = [top_k(scores, k)]
    block_size = max(1, CELLS // max(1, scores.shape[1]))
    for start in range(FIRST, len(queries), block_size):
        results.append(top_k(score(queries[start : start + block_size]), k))
    return np.concatenate([scores for scores, _ in results]), np.concatenate([ids for _, ids in results])


def top_k(scores: npt.NDArray[np.floating], k: int | None) -> tuple[Scores, Ids]:
    """The k best of each row of float [queries, chunks]: scores float32 and ids int64, each [queries, min(k, chunks)].

    Scores that agree to 1e-6 count as equal and are returned in document order. Raises `UserError` for k < 1.
    """
    width = clamp(k, scores.shape[1])
    order = -steps(scores)
    lowest = _lowest(order, width) if 2 * width < scores.shape[1] and not np.isnan(order).any() else None
    if lowest is None:
        ids = np.argsort(order, axis=1, kind="stable")[:, :width].astype(np.int64)
    else:
        order_in_lowest = np.argsort(np.take_along_axis(order, lowest, axis=1), axis=1, kind="stable")
        ids = np.take_along_axis(lowest, order_in_lowest, axis=1)
    return np.take_along_axis(scores, ids, axis=1).astype(np.float32), ids


def _lowest(order: npt.NDArray[np.float64], width: int) -> Ids:
    """The positions of the `width` lowest numbers of each row, ascending; of equal numbers the first."""
    last = np.partition(order, width - 1, axis=1)[:, width - 1 : width]
    ties = order == last
    ties &= np.cumsum(ties, axis=1, dtype=np.int32) <= width - (order < last).sum(axis=1, keepdims=True)
    return np.nonzero((order < last) | ties)[1].reshape(len(order), width)


def steps(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Scores rounded to whole multiples of 1e-6; equal multiples are a tie."""
    return np.rint(scores.astype(np.float64) / TIE)


def clamp(k: int | None, chunks: int) -> int:
    """The number of chunks to return: min(k, chunks), all for None. Raises `UserError` for k < 1."""
    if k is None:
        return chunks
    if k < 1:
        raise UserError(f"k must be at least 1, got {k}")
    return min(k, chunks)


def falling(order: Ids) -> Scores:
    """Scores float32 [chunks] that fall along `order`, a permutation of chunk numbers: n for the first, 1 for the last.

    Whole numbers are exact in float32, so that ranking the scores gives the order back, however many chunks there are.
    """
    scores = np.empty(len(order), np.float32)
    scores[order] = np.arange(len(order), 0, -1)
    return scores


class ExactIndex:
    """An index that scores every chunk: a subclass defines `scores`, this class `search`."""

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        raise AssertionError(f"{type(self).__name__} does not define scores")

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k best chunks of each query, best first."""
        return ranked(self.scores, queries, k)


class ByCentroid(ExactIndex):
    """An index that can rank by the document's centroid: a subclass defines `centroid_scores`."""

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]."""
        raise AssertionError(f"{type(self).__name__} does not define centroid_scores")

    def centroid(self, k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k chunks nearest to the centroid, each [min(k, chunks)], best first."""
        scores, ids = top_k(self.centroid_scores()[None], k)
        return scores[0], ids[0]


class FixedIndex(ExactIndex):
    """An index whose scores do not depend on the query."""

    def __init__(self, scores: Scores) -> None:
        self._row = scores

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], the same row for each query."""
        return np.tile(self._row, (len(queries), 1))
