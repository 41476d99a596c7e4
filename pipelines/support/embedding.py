"""The cosine of a claim and a quote, both encoded by a sentence encoder (Reimers and Gurevych 2019, section 3).

A short answer says little by itself, so that the claim is encoded behind the question that it answers. The vector of
two neighbouring sentences is the mean of theirs. Negative cosines are 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

import retrievers
from chunkers import Chunk
from pipelines.support import Floats, Support, SupportIndex, asserted_text
from retrievers import Index, Retriever


@dataclass(frozen=True)
class Embedding(Support):
    """Cosines by an encoder: `model` is what `dense` takes ("minilm", a folder, a hub id, a mapping, an encoder).

    Raises `UserError` where the encoder is not installed, or there is no such model.
    """

    model: Any = "minilm"
    _retriever: Retriever = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_retriever", retrievers.get("dense", model=self.model))

    def index(self, sentences: Sequence[str]) -> "EmbeddingIndex":
        """The vectors of the sentences."""
        return EmbeddingIndex(sentences, self._retriever)


class EmbeddingIndex(SupportIndex):
    """A vector for each sentence, and for each two neighbours."""

    def __init__(self, sentences: Sequence[str], retriever: Retriever) -> None:
        self.count = len(sentences)
        numbers = range(self.count)
        groups = [*([number] for number in numbers), *map(list, pairwise(numbers))]
        chunks = [Chunk(sentence, 0, len(sentence)) for sentence in sentences]
        self._index: Index | None = retriever.index_groups(chunks, groups) if chunks else None

    def scores(self, claim: str, query: str) -> tuple[Floats, Floats]:
        """The cosines."""
        if self._index is None:
            return np.zeros(0), np.zeros(0)
        cosines = np.clip(self._index.scores([asserted_text(claim, query)])[0].astype(np.float64), 0.0, 1.0)
        return cosines[: self.count], cosines[self.count :]
