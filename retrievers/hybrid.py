"""Reciprocal rank fusion of several retrievers (Cormack, Clarke & Buettcher 2009).

score(d) = sum over the members of 1000 / (c + rank(d)), ranks from 1, with c = 60 as in the paper. The paper has 1
instead of 1000; the factor does not change the order, and with it neighbours up to rank 31,000 differ by more than the
1e-6 that counts as a tie (without it, up to rank 940).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Ids, Index, Retriever, Scores, registry
from retrievers.shared.members import Composite, CompositeIndex
from retrievers.shared.ranking import ranked, steps

SCALE = 1000.0


@dataclass(frozen=True)
class Hybrid(Composite):
    """Fuses the rankings of two or more retrievers, given as names, mappings or objects.

    Chunks that tie (to 1e-6) for a member all get the worst rank of their group, so that chunks that match nothing gain
    nothing by their position. Members must have the same `query_source`; "nothing" goes with any. It ranks by the
    document's centroid if all members do, and fuses these rankings.
    """

    retrievers: tuple[Any, ...] = ("bm25", "dense")
    c: float = 60

    def __post_init__(self) -> None:
        if len(self.retrievers) < 2:
            raise UserError(
                f"hybrid needs two or more retrievers, got {len(self.retrievers)}; for example hybrid:[bm25,dense]"
            )
        if not 0 <= self.c < np.inf:
            raise UserError(f"hybrid: c must be a number of at least 0, got {self.c}")
        members = tuple(registry.get(member) for member in self.retrievers)
        object.__setattr__(self, "retrievers", members)  # so that a run's record names them in full
        self.check_query_sources("hybrid")

    @property
    def members(self) -> Sequence[Retriever]:
        """The retrievers whose rankings it fuses."""
        return self.retrievers

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the members' indexes."""
        return _HybridIndex([member.index(chunks) for member in self.retrievers], self.c)


class _HybridIndex(CompositeIndex):
    def __init__(self, members: Sequence[Index], c: float) -> None:
        super().__init__("hybrid", members)
        self._c = c

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], at most 1000 * members / (c + 1)."""
        return self._fused(self.member_scores(queries)).astype(np.float32)

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k best chunks of each query, best first, by the sums in float64.

        In float32 the contribution of late ranks would be lost beside that of a first one.
        """
        return ranked(lambda block: self._fused(self.member_scores(block)), queries, k)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], fused as in `scores`. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._fused(self.member_centroid_scores())[0])

    def _fused(self, member_scores: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float64]:
        fused = np.zeros(member_scores[0].shape, np.float64)
        for scores in member_scores:
            fused += SCALE / (self._c + worst_ranks(scores))
        return fused


def worst_ranks(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """The rank (from 1) of each score in its row, [queries, chunks]; tied scores all get the worst of their ranks."""
    rows = [len(row) - np.searchsorted(np.sort(row), row, side="left") for row in steps(scores)]
    return np.array(rows, np.float64).reshape(scores.shape)
