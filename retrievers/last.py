"""The last chunks of the document, the very last first: the tail baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from chunkers import Chunk
from retrievers import Index
from retrievers._ranking import FixedIndex, falling


@dataclass(frozen=True, slots=True)
class Last:
    """Ranks chunks from the end of the document. Scores fall from the number of chunks to 1."""

    query_source: ClassVar[Literal["nothing"]] = "nothing"
    takes_k: ClassVar[bool] = True

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that answers with the document's order turned round."""
        return FixedIndex(falling(np.arange(len(chunks))[::-1]))
