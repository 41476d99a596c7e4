"""What retrievers that follow links between titles share: the scores that they begin with."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrievers import Index, Scores
from retrievers.blend import standardized
from retrievers.shared.members import CompositeIndex
from retrievers.shared.titles import Titles

CLAUSES = 8
_BETWEEN_CLAUSES = re.compile(
    r"[,;:，、；：]|\b(?:that|which|who|whose|whom|where|when|and|of the|by the)\b", re.IGNORECASE
)


class LinkedIndex(CompositeIndex):
    """An index over that of one retriever, and the titles that its chunks mention; a subclass defines `linked`.

    It begins with the retriever's scores, standardized over the chunks of the document, plus `named` where the query
    mentions the title of a chunk, standardized again. By the document's centroid, nothing is named. With `clauses` the
    best of the scores for a clause of the query is added first, so many times.
    """

    def __init__(self, name: str, member: Index, titles: Titles, named_value: float, clauses: float = 0.0) -> None:
        super().__init__(name, [member])
        self._titles, self._named_values, self._clauses = titles, named_value, clauses

    def linked(self, scores: npt.NDArray[np.float64], queries: Sequence[str]) -> npt.NDArray[np.float64]:
        """Scores for standardized ones [queries, chunks]; a query is "" where there is none."""
        raise AssertionError(f"{type(self).__name__} does not define linked")

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        before = standardized(self.member_scores(queries)[0])
        if self._clauses:
            before += self._clauses * self._best_of_clauses(queries, before.shape[1])
        named = standardized(before + self._named_values * self._titles.named(queries))
        return self.linked(named, queries).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]. Raises `UserError` where the member has no such ranking."""
        return np.asarray(self.linked(standardized(self.member_centroid_scores()[0]), [""])[0])

    def _best_of_clauses(self, queries: Sequence[str], chunks: int) -> npt.NDArray[np.float64]:
        """The best standardized score for a clause of each query [queries, chunks]; 0 for queries of one clause."""
        parts = [clauses_of(query) for query in queries]
        scores = standardized(self.member_scores([clause for clauses in parts for clause in clauses])[0])
        best, start = np.zeros((len(queries), chunks)), 0
        for row, clauses in zip(best, parts, strict=True):
            if clauses:
                row[:] = scores[start : start + len(clauses)].max(axis=0)
            start += len(clauses)
        return best


def clauses_of(question: str) -> list[str]:
    """The clauses of a question, split at commas and at English words that begin one; none where there is only one.

    The first eight of two words or more: a text that is no question may have any number.
    """
    clauses = [clause for clause in map(str.strip, _BETWEEN_CLAUSES.split(question)) if clause]
    return [clause for clause in clauses if len(clause.split()) > 1][:CLAUSES] if len(clauses) > 1 else []
