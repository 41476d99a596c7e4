"""Chunks ranked by the references: an upper bound on what a retriever can contribute.

Compared with a retriever it shows how much of the loss is due to retrieval. It is not a system to compare with others.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from longdoc.words import words
from retrievers import Index, Retriever, Scores
from retrievers._ranking import ExactIndex


@dataclass(frozen=True)
class Oracle(Retriever):
    """Ranks chunks by the share of a reference's words (`longdoc.words`, each as often as it comes) that they hold.

    A chunk that holds all of them in a row scores 1 more; of several references the best counts. Without references
    every chunk scores 0.
    """

    query_source = "references"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that looks for each line of a query, a reference, in every chunk."""
        return _OracleIndex([words(chunk.text) for chunk in chunks])


class _OracleIndex(ExactIndex):
    def __init__(self, chunks: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(found) for found in chunks]
        self._rows = [f" {' '.join(found)} " for found in chunks]

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], 0 to 2."""
        table = np.zeros((len(queries), len(self._rows)), np.float32)
        for row, query in zip(table, queries, strict=True):
            for wanted in filter(None, map(words, query.splitlines())):
                np.maximum(row, self._held(wanted), out=row)
        return table

    def _held(self, reference: Sequence[str]) -> Scores:
        wanted, in_a_row = Counter(reference), f" {' '.join(reference)} "
        shares = [(wanted & counts).total() / len(reference) for counts in self._counts]
        whole = [in_a_row in row for row in self._rows]
        return np.add(shares, whole, dtype=np.float32) if shares else np.zeros(0, np.float32)
