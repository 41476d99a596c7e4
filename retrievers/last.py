"""The last chunks of the document, the very last first: the tail baseline."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Index, Retriever
from retrievers.shared.ranking import FixedIndex, falling


@dataclass(frozen=True)
class Last(Retriever):
    """Ranks chunks from the end of the document. Scores decrease from the number of chunks to 1."""

    query_source = "nothing"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that ranks in reversed document order."""
        return FixedIndex(falling(np.arange(len(chunks))[::-1]))
