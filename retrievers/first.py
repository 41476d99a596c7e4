"""The first chunks of the document, in order: the lead baseline."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Index, Retriever
from retrievers.shared.ranking import FixedIndex, falling


@dataclass(frozen=True)
class First(Retriever):
    """Ranks chunks from the start of the document. Scores decrease from the number of chunks to 1."""

    query_source = "nothing"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that ranks in document order."""
        return FixedIndex(falling(np.arange(len(chunks))))
