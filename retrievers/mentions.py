"""The first, the last and the densest passage about a person (Hudson and Al Moubayed 2022, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from chunkers.shared.names import mentions
from retrievers import Index, Retriever, Scores
from retrievers.shared.ranking import ExactIndex


@dataclass(frozen=True)
class Mentions(Retriever):
    """Ranks chunks by the mentions of the query, read as a name: the first, the densest, the last, then by number.

    The score is the number of mentions; the last chunk with any, the densest and the first score 1, 2 and 3 more than
    the densest has, and a chunk that is two of these gets the higher score. Of equally dense chunks the first counts.
    Meant for the chunker `mentions`, whose windows do not overlap and include the densest one of their size.
    """

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that counts mentions of each query's name in every chunk."""
        return _MentionIndex([chunk.text for chunk in chunks])


class _MentionIndex(ExactIndex):
    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]."""
        table = np.zeros((len(queries), len(self._texts)), np.float32)
        for counts, query in zip(table, queries, strict=True):
            counts[:] = [len(mentions(text, query)) for text in self._texts]
            mentioning_chunks = np.flatnonzero(counts)
            if len(mentioning_chunks):
                densest = int(np.argmax(counts))
                max_count = counts[densest]
                counts[mentioning_chunks[-1]] = max_count + 1
                counts[densest] = max_count + 2
                counts[mentioning_chunks[0]] = max_count + 3
        return table
