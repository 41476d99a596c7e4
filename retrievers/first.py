"""The first chunks of the document, in order: the lead baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from chunkers import Chunk
from retrievers import Index
from retrievers._ranking import FixedIndex, falling


@dataclass(frozen=True, slots=True)
class First:
    """Ranks chunks from the start of the document. Scores fall from the number of chunks to 1."""

    query_source: ClassVar[Literal["nothing"]] = "nothing"
    takes_k: ClassVar[bool] = True

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that answers with the document's order."""
        return FixedIndex(falling(np.arange(len(chunks))))
