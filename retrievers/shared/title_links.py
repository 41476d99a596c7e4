"""What retrievers that follow links between titles share: the scores that they begin with."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrievers import Index, Scores
from retrievers.blend import standardized
from retrievers.shared.members import CompositeIndex
from retrievers.shared.titles import Titles


class LinkedIndex(CompositeIndex):
    """An index over that of one retriever, and the titles that its chunks mention; a subclass defines `linked`.

    It begins with the retriever's scores, standardized over the chunks of the document, plus `named` where the query
    mentions the title of a chunk, standardized again. By the document's centroid, nothing is named.
    """

    def __init__(self, name: str, member: Index, titles: Titles, named_value: float) -> None:
        super().__init__(name, [member])
        self._titles, self._named_values = titles, named_value

    def linked(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Scores for standardized ones [queries, chunks]."""
        raise AssertionError(f"{type(self).__name__} does not define linked")

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        before = standardized(self.member_scores(queries)[0])
        return self.linked(standardized(before + self._named_values * self._titles.named(queries))).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]. Raises `UserError` where the member has no such ranking."""
        return np.asarray(self.linked(standardized(self.member_centroid_scores()[0]))[0])
