"""Chunks ranked by the references: an upper bound on what a retriever can contribute.

Compared with a retriever it shows how much of the loss is due to retrieval. It is not a system to compare with others.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Index, Retriever, Scores
from retrievers._ranking import ExactIndex

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Oracle(Retriever):
    r"""Ranks chunks by the share of a reference's words (lower-cased `\w+`, each as often as it comes) that they hold.

    A chunk that holds all of them in a row scores 1 more; of several references the best counts. Without references
    every chunk scores 0.
    """

    query_source = "references"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that looks for each line of a query, a reference, in every chunk."""
        return _OracleIndex([_words(chunk.text) for chunk in chunks])


class _OracleIndex(ExactIndex):
    def __init__(self, chunks: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(words) for words in chunks]
        self._rows = [f" {' '.join(words)} " for words in chunks]

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], 0 to 2."""
        table = np.zeros((len(queries), len(self._rows)), np.float32)
        for row, query in zip(table, queries, strict=True):
            for words in filter(None, map(_words, query.splitlines())):
                np.maximum(row, self._held(words), out=row)
        return table

    def _held(self, words: Sequence[str]) -> Scores:
        wanted, in_a_row = Counter(words), f" {' '.join(words)} "
        shares = [(wanted & counts).total() / len(words) for counts in self._counts]
        whole = [in_a_row in row for row in self._rows]
        return np.add(shares, whole, dtype=np.float32) if shares else np.zeros(0, np.float32)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
