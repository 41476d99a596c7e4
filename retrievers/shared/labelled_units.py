"""Documents whose units are judged for each question: what rankers are trained on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunkers import Chunk

EVIDENCE = 0.5  # the share of a unit's characters from which it counts as evidence


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document's chunks and questions, and for each the share of a chunk's characters that is gold evidence.

    `shares` is float32 [questions, chunks], 0 to 1.
    """

    id: str
    chunks: Sequence[Chunk]
    questions: Sequence[str]
    shares: npt.NDArray[np.float32]

    @property
    def relevant(self) -> npt.NDArray[np.bool_]:
        """Which chunks are evidence, [questions, chunks]: half of it or more, or the chunk with most where none is."""
        most_value = self.shares.max(axis=1, keepdims=True, initial=0.0)
        return np.asarray((self.shares > 0) & (self.shares >= np.minimum(most_value, EVIDENCE)))
