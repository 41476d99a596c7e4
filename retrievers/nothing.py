"""Selects no chunks (`retriever="none"`): the reader answers closed-book, without the document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Index, Retriever
from retrievers._contract import Ids, Scores
from retrievers.shared.ranking import clamp


@dataclass(frozen=True)
class Nothing(Retriever):
    """Selects nothing: the prompt has its words, the question and the options, and an empty place for the document.

    A reader that answers as well without the document as with it was not tested by the questions, or knows the
    document. The document is not split (`whole`).
    """

    query_source = "nothing"
    takes_k = False
    most = 0
    chunker = "whole"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that finds nothing."""
        return _NoIndex(len(chunks))


class _NoIndex:
    def __init__(self, chunks: int) -> None:
        self._chunks = chunks

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids, both [queries, 0]."""
        clamp(k, self._chunks)
        return np.zeros((len(queries), 0), np.float32), np.zeros((len(queries), 0), np.int64)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], all 0: no chunk is better than another."""
        return np.zeros((len(queries), self._chunks), np.float32)
