"""A chunk ranked at several scales: by itself, with its neighbours, and with all that its parent holds.

score(d) = sum over the scales of (s(d) - mean) / deviation, where s is the score of the text of that scale around d,
mean and standard deviation over the chunks of the document (as `blend` adds retrievers). Scoring a passage together
with what is around it is that of Callan 1994, "Passage-Level Evidence in Document Retrieval".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from retrievers import Ids, Index, Retriever, Scores, registry
from retrievers.blend import standardized
from retrievers.shared.members import Composite, CompositeIndex

Scale = Literal["chunk", "window", "parent"]
WINDOW = 2  # neighbours on either side


@dataclass(frozen=True)
class Scales(Composite):
    """Adds the standardized scores that `retriever` gives to each chunk at several scales.

    "chunk" is the chunk itself, "window" the chunk and two neighbours on either side, "parent" all chunks of
    the same parent (a sentence's paragraph, a paragraph's section); a chunk without a parent is its own. It ranks by
    the document's centroid if `retriever` does, and adds these scores.
    """

    retriever: Any = "bm25"
    scales: tuple[Scale, ...] = ("chunk", "window")

    def __post_init__(self) -> None:
        is_known = set(self.scales) <= set(get_args(Scale))
        if not self.scales or not is_known or len(set(self.scales)) < len(self.scales):
            raise UserError(
                f"scales: give one or more different ones of chunk, window and parent, as in scales=[chunk,window], "
                f"got {list(self.scales)}"
            )
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that scores every scale."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds the retriever's, one for each scale."""
        indexes = [self._index(scale, chunks) for scale in self.scales]
        return _ScalesIndex([index for index, _ in indexes], [places for _, places in indexes])

    def _index(self, scale: Scale, chunks: Sequence[Chunk]) -> tuple[Index, Ids]:
        """The index of the texts of a scale, and which of them is each chunk's [chunks]."""
        if scale == "chunk":
            return self.retriever.index(chunks), np.arange(len(chunks))
        if scale == "window":
            last, width = len(chunks), WINDOW
            around = [range(max(0, position - width), min(last, position + width + 1)) for position in range(last)]
            return self.retriever.index_groups(chunks, around), np.arange(last)
        numbers: dict[Any, int] = {}
        places = [
            numbers.setdefault(chunk.parent or ("alone", position), len(numbers))
            for position, chunk in enumerate(chunks)
        ]
        parts: list[list[int]] = [[] for _ in numbers]
        for position, place in enumerate(places):
            parts[place].append(position)
        return self.retriever.index_groups(chunks, parts), np.array(places, np.int64)


class _ScalesIndex(CompositeIndex):
    def __init__(self, members: Sequence[Index], places: Sequence[Ids]) -> None:
        super().__init__("scales", members)
        self._places = places

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._sum(self.member_scores(queries)).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], added as `scores` are. Raises `UserError` where the member has no such ranking."""
        return np.asarray(self._sum(self.member_centroid_scores())[0])

    def _sum(self, scores: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float64]:
        total = np.zeros((len(scores[0]), len(self._places[0])), np.float64)
        for values, places in zip(scores, self._places, strict=True):
            total += standardized(values[:, places])
        return total
