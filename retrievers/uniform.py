"""Chunks spread evenly over the document, whatever the query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Ids, Index, Retriever, Scores
from retrievers.shared.ranking import FixedIndex, clamp, falling


@dataclass(frozen=True)
class Uniform(Retriever):
    """Selects the middle chunks of k equal parts of the document.

    The order bisects: the middle first, then the quarters, and so on, so that the best k are about evenly spread for
    any k, also when a prompt has to drop its lowest-ranked passages.
    """

    query_source = "nothing"
    nested = False

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index whose `scores` decrease along the bisecting order of all chunks."""
        return _UniformIndex(len(chunks))


class _UniformIndex(FixedIndex):
    def __init__(self, chunks: int) -> None:
        super().__init__(falling(bisecting(chunks)))
        self._chunks = chunks

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """The k evenly spaced chunks in bisecting order; scores decrease from k to 1."""
        width = clamp(k, self._chunks)
        order = bisecting(width)
        ids = (2 * order + 1) * self._chunks // (2 * max(width, 1))
        rows = len(queries), 1
        return np.tile(np.arange(width, 0, -1, dtype=np.float32), rows), np.tile(ids, rows)


def bisecting(n: int) -> Ids:
    """0..n-1 with the middle first, then the middles of the halves, of the quarters, and so on."""
    order: list[int] = []
    level = [(0, n)]
    while level:
        level = [(start, end) for start, end in level if start < end]
        order += [(start + end) // 2 for start, end in level]
        level = [half for s, e in level for half in ((s, (s + e) // 2), ((s + e) // 2 + 1, e))]
    return np.array(order, np.int64)
