"""Personalized PageRank over the chunks of a document, linked by mentions of titles.

x = (1 - damping) * s + damping * T' x, where s are the chunks' shares of the question's relevance and T goes from a
chunk to each of those whose title it mentions or that mention its own, with equal probability (Page et al. 1999, "The
PageRank Citation Ranking"; Haveliwala 2002, "Topic-Sensitive PageRank"; for finding evidence over several hops,
Gutiérrez et al. 2024, "HippoRAG"). A chunk without links passes everything back to s.

z(d) is the retriever's score, standardized over the chunks of the document, plus `named` where the question mentions
the title of d, standardized again; s is z squared where it is positive. The score is z + weight * x, x standardized.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, registry
from retrievers.blend import standardized
from retrievers.shared.members import Composite
from retrievers.shared.title_links import LinkedIndex
from retrievers.shared.titles import Titles

_SMALL = 1e-9  # what is left to be passed on


@dataclass(frozen=True)
class Graph(Composite):
    """Raises chunks by the links of all chunks, over any number of hops; `links` follows one hop from the best.

    `retriever` says where the walk begins, `damping` (0 to less than 1) how far it goes. Chunks have titles as in
    `links`; without any labels the order is that of `retriever`. It ranks by the document's centroid if `retriever`
    does.
    """

    retriever: Any = "bm25"
    damping: float = 0.5
    weight: float = 2.0
    named: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.damping < 1:
            raise UserError(f"graph: damping must be at least 0 and less than 1, got {self.damping}")
        for name in ("weight", "named"):
            if not 0 <= getattr(self, name) < np.inf:
                raise UserError(f"graph: {name} must be a number of at least 0, got {getattr(self, name)}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that says where the walk begins."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the retriever's, and which chunks mention which titles."""
        return _GraphIndex(self, self.retriever.index(chunks), Titles(chunks))


class _GraphIndex(LinkedIndex):
    def __init__(self, graph: Graph, member: Index, titles: Titles) -> None:
        super().__init__("graph", member, titles, graph.named)
        self._graph = graph
        self._links = self._passed(np.ones((titles.titled.shape[0], 1)))

    def linked(self, scores: npt.NDArray[np.float64], queries: Sequence[str]) -> npt.NDArray[np.float64]:
        """The scores and the walk's."""
        if not self._titles.mentions.nnz:
            return scores
        return scores + self._graph.weight * standardized(self._walk(np.square(np.maximum(scores, 0)).T).T)

    def _walk(self, start: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The shares [chunks, queries] of the walk's time, times the number of chunks: else they would tie."""
        start = len(start) * start / np.maximum(start.sum(axis=0), 1e-12)
        values, left = start.copy(), 1.0
        while left > _SMALL:
            left *= self._graph.damping
            passed = self._passed(values / np.maximum(self._links, 1))
            passed += start * (values * (self._links == 0)).sum(axis=0) / len(start)
            values = (1 - self._graph.damping) * start + self._graph.damping * passed
        return values

    def _passed(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What each chunk gets [chunks, queries] if each passes its share along every link.

        Made by way of the titles, in two thin matrices: a table of all links could have the square of the chunks.
        """
        titled, mentions = self._titles.titled, self._titles.mentions
        return np.asarray(titled @ (mentions.T @ shares) + mentions @ (titled.T @ shares))
