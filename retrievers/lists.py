"""Items of lists ranked with their lead-ins: "(c) is already public" is no evidence without "Confidential is not:".

A list's items may be moved towards the best of them: score(d) + weight * (max over the list of score - score(d)). Then
a chunk that leads into a list scores at least as much as each of its items, so that it is selected with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, Scores, registry
from retrievers.shared.list_items import lead_ins
from retrievers.shared.members import Composite, CompositeIndex


@dataclass(frozen=True)
class Lists(Composite):
    """Ranks the lead-in of a list with its best item, and with `weight` over 0 the other items nearer to it.

    `retriever` ranks before. With `weight` 1 all items of a list rank as its best does, with 0 each by itself. A chunk
    without a list keeps its score. It ranks by the document's centroid if `retriever` does.
    """

    retriever: Any = "bm25"
    weight: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise UserError(f"lists: weight must be a number from 0 to 1, got {self.weight}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that ranks before."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the retriever's, and which chunks lead into which lists."""
        return _ListsIndex(self.retriever.index(chunks), lead_ins(chunks), self.weight)


class _ListsIndex(CompositeIndex):
    """`leads` [chunks] are the numbers of the chunks' lead-ins."""

    def __init__(self, member: Index, leads: npt.NDArray[np.int64], weight: float) -> None:
        super().__init__("lists", [member])
        self._weight = weight
        items = np.flatnonzero(leads != np.arange(len(leads)))
        items = items[np.argsort(leads[items], kind="stable")]
        different_leads, firsts = np.unique(leads[items], return_index=True)
        # the items by their lead-in
        self._lists = dict(zip(different_leads.tolist(), np.split(items, firsts[1:]), strict=False))

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._with_lists(self.member_scores(queries)[0]).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]. Raises `UserError` where the member has no such ranking."""
        return np.asarray(self._with_lists(self.member_centroid_scores()[0])[0])

    def _with_lists(self, scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        values = scores.astype(np.float64)
        for items in self._lists.values():
            best = values[:, items].max(axis=1, keepdims=True)
            values[:, items] += self._weight * (best - values[:, items])
        for lead, items in sorted(self._lists.items(), reverse=True):  # inner lists first
            values[:, lead] = np.maximum(values[:, lead], values[:, items].max(axis=1))
        return values
