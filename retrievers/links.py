"""Scores passed on along mentions of titles, for questions whose evidence lies in several places.

The passage with the answer is often about something that the question does not name, and that another passage names:
to "Where was the director of Jaws born?" the passage on Jaws leads to that on its director. Passages linked to good
ones are candidates too, as in multi-hop retrieval over hyperlinks (Asai et al. 2020, "Learning to Retrieve Reasoning
Paths over Wikipedia Graph for Question Answering"); here nothing is learned, and links are mentions of titles.

z(d) is the retriever's score, standardized over the chunks of the document, plus `named` where the question mentions
the title of d, standardized again. Then score(d) = z(d) + weight * max of z(e) over those of the `top` best chunks that
mention the title of d or whose title d mentions, where that is positive.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Index, Retriever, registry
from retrievers.shared.members import Composite
from retrievers.shared.ranking import top_k
from retrievers.shared.title_links import LinkedIndex
from retrievers.shared.titles import Titles


@dataclass(frozen=True)
class Links(Composite):
    """Raises the chunks whose titles the question or one of the best chunks mentions, and those that mention theirs.

    `retriever` ranks before. The title of a chunk is the last part of its label, so the chunks have to be labelled with
    what they are about, as those of `units` and `sections` are; without any labels the order is that of `retriever`. It
    ranks by the document's centroid if `retriever` does.
    """

    retriever: Any = "bm25"
    top: int = 5
    weight: float = 0.5
    named: float = 2.0

    def __post_init__(self) -> None:
        if self.top < 1:
            raise UserError(f"links: top must be at least 1 chunk, got {self.top}")
        for name in ("weight", "named"):
            if not 0 <= getattr(self, name) < np.inf:
                raise UserError(f"links: {name} must be a number of at least 0, got {getattr(self, name)}")
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that ranks before."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the retriever's, and which chunks mention which titles."""
        return _LinksIndex(self, self.retriever.index(chunks), Titles(chunks))


class _LinksIndex(LinkedIndex):
    def __init__(self, links: Links, member: Index, titles: Titles) -> None:
        super().__init__("links", member, titles, links.named)
        self._top, self._weight = links.top, links.weight
        self._titled, self._mentions = titles.titled, titles.mentions
        self._chunks_with, self._chunks_that_mention = self._titled.T.tocsr(), self._mentions.T.tocsr()

    def linked(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The scores with what the chunks linked to the best ones are given."""
        if not self._mentions.nnz:
            return scores
        passed = np.zeros_like(scores)
        for row, given_value, best in zip(scores, passed, top_k(scores, self._top)[1], strict=True):
            for chunk in best[row[best] > 0]:
                linked = self._linked_to(int(chunk))
                given_value[linked] = np.maximum(given_value[linked], row[chunk])
        return scores + self._weight * passed

    def _linked_to(self, chunk: int) -> npt.NDArray[np.intp]:
        """The chunks whose titles a chunk mentions, and those that mention its own."""
        entries = [row_of(self._chunks_with, title) for title in row_of(self._mentions, chunk)]
        back = [row_of(self._chunks_that_mention, title) for title in row_of(self._titled, chunk)]
        return np.concatenate([*entries, *back, np.zeros(0, np.intp)])


def row_of(matrix: Any, row: int) -> npt.NDArray[np.intp]:
    """The columns of a sparse matrix's row that are not 0."""
    return np.asarray(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]], np.intp)
