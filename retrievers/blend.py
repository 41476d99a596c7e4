"""A weighted sum of the scores of several retrievers, each standardized within the document.

score(d) = sum over the members of weight * (s(d) - mean) / deviation, mean and standard deviation over the chunks of
the document (z-scores; Montague & Aslam 2001, "Relevance Score Normalization for Metasearch", "ZMUV"). Unlike ranks
(`hybrid`), a sum keeps how far the best chunks of a member are ahead of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, Scores, registry
from retrievers.shared.members import Composite, CompositeIndex
from retrievers.shared.ranking import TIE


@dataclass(frozen=True)
class Blend(Composite):
    """Adds the standardized scores of two or more retrievers, given as names, mappings or objects.

    `weights` are positive, one per retriever (default: 1 each). A member whose scores are all the same (to
    1e-6) for a query adds nothing. Members must have the same `query_source`; "nothing" goes with any. It ranks by the
    document's centroid if all members do, and adds these scores.
    """

    retrievers: tuple[Any, ...] = ("bm25", "dense")
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.retrievers) < 2:
            raise UserError(
                f"blend needs two or more retrievers, got {len(self.retrievers)}; for example blend:[bm25,dense]"
            )
        weights = self.weights or (1.0,) * len(self.retrievers)
        if len(weights) != len(self.retrievers) or not all(0 < weight < np.inf for weight in weights):
            raise UserError(
                f"blend: weights must be {len(self.retrievers)} positive numbers, one per retriever, "
                f"got {list(self.weights)}"
            )
        object.__setattr__(self, "weights", weights)
        members = tuple(registry.get(member) for member in self.retrievers)
        object.__setattr__(self, "retrievers", members)  # so that a run's record names them in full
        self.check_query_sources("blend")

    @property
    def members(self) -> Sequence[Retriever]:
        """The retrievers whose scores it adds."""
        return self.retrievers

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the members' indexes."""
        return _BlendIndex([member.index(chunks) for member in self.retrievers], self.weights)


class _BlendIndex(CompositeIndex):
    def __init__(self, members: Sequence[Index], weights: Sequence[float]) -> None:
        super().__init__("blend", members)
        self._weights = weights

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._weighted_sum(self.member_scores(queries)).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], added as in `scores`. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._weighted_sum(self.member_centroid_scores())[0])

    def _weighted_sum(self, member_scores: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float64]:
        total = np.zeros(member_scores[0].shape, np.float64)
        for weight, scores in zip(self._weights, member_scores, strict=True):
            total += weight * standardized(scores)
        return total


def standardized(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Z-scores of each row of scores [queries, chunks]; 0 where the whole row ties (to 1e-6)."""
    rows = scores.astype(np.float64)
    if not rows.shape[1]:
        return rows
    rows -= rows.mean(axis=1, keepdims=True)
    has_spread = np.ptp(rows, axis=1, keepdims=True) > TIE
    return np.where(has_spread, rows / np.where(has_spread, rows.std(axis=1, keepdims=True), 1.0), 0.0)
