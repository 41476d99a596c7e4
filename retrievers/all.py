"""Every chunk in document order: for readers or strategies that take the document whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from chunkers import Chunk
from retrievers import Index
from retrievers._ranking import FixedIndex


@dataclass(frozen=True, slots=True)
class All:
    """Takes all there is. Every chunk scores 0, and ties stand in document order."""

    query_source: ClassVar[Literal["nothing"]] = "nothing"
    takes_k: ClassVar[bool] = False

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that prefers no chunk to another."""
        return FixedIndex(np.zeros(len(chunks), np.float32))
