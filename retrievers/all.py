"""Every chunk in document order: for readers or strategies that take the whole document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Index, Retriever
from retrievers.shared.ranking import FixedIndex


@dataclass(frozen=True)
class All(Retriever):
    """Selects all chunks. Every chunk scores 0, and ties are in document order."""

    query_source = "nothing"
    takes_k = False

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index in which every chunk scores 0."""
        return FixedIndex(np.zeros(len(chunks), np.float32))
