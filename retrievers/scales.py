"""Ranks chunks at several scales: alone, with their neighbours, and with all of their parent.

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
                f"scales: scales must be one or more of chunk, window and parent, without repeats, as in "
                f"scales=[chunk,window]; got {list(self.scales)}"
            )
        object.__setattr__(self, "retriever", registry.get(self.retriever))  # so that a run's record names it in full

    @property
    def members(self) -> Sequence[Retriever]:
        """The retriever that scores every scale."""
        return (self.retriever,)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over the retriever's indexes, one for each scale."""
        indexes = [self._index(scale, chunks) for scale in self.scales]
        return _ScalesIndex([index for index, _ in indexes], [group_of_chunk for _, group_of_chunk in indexes])

    def _index(self, scale: Scale, chunks: Sequence[Chunk]) -> tuple[Index, Ids]:
        """The index of a scale's texts, and the number of each chunk's text in it [chunks]."""
        if scale == "chunk":
            return self.retriever.index(chunks), np.arange(len(chunks))
        if scale == "window":
            count = len(chunks)
            windows = [range(max(0, center - WINDOW), min(count, center + WINDOW + 1)) for center in range(count)]
            return self.retriever.index_groups(chunks, windows), np.arange(count)
        group_ids: dict[Any, int] = {}
        group_of_chunk = [
            group_ids.setdefault(chunk.parent or ("alone", position), len(group_ids))
            for position, chunk in enumerate(chunks)
        ]
        groups: list[list[int]] = [[] for _ in group_ids]
        for position, group in enumerate(group_of_chunk):
            groups[group].append(position)
        return self.retriever.index_groups(chunks, groups), np.array(group_of_chunk, np.int64)


class _ScalesIndex(CompositeIndex):
    def __init__(self, members: Sequence[Index], group_of_chunk: Sequence[Ids]) -> None:
        super().__init__("scales", members)
        self._group_of_chunk = group_of_chunk

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        return self._standardized_sum(self.member_scores(queries)).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], added as in `scores`. Raises `UserError` for a member that cannot rank by the centroid."""
        return np.asarray(self._standardized_sum(self.member_centroid_scores())[0])

    def _standardized_sum(self, member_scores: Sequence[npt.NDArray[np.floating]]) -> npt.NDArray[np.float64]:
        total = np.zeros((len(member_scores[0]), len(self._group_of_chunk[0])), np.float64)
        for scores, group_of_chunk in zip(member_scores, self._group_of_chunk, strict=True):
            total += standardized(scores[:, group_of_chunk])
        return total
