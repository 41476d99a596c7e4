"""Chunks in a seeded random order: the floor that a retriever must beat."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkers import Chunk
from retrievers import Ids, Index, Retriever, Scores
from retrievers.shared.ranking import ExactIndex, falling


@dataclass(frozen=True)
class Random(Retriever):
    """A random order per example, seeded by (seed, example id), so that neither batching nor call order matters.

    The queries are example ids. `seed` None is the run's seed in a run, and 0 outside of one.
    """

    seed: int | None = None

    query_source = "id"

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index with a random order per id; scores decrease from the number of chunks to 1."""
        return _RandomIndex(len(chunks), self.seed or 0)


class _RandomIndex(ExactIndex):
    def __init__(self, chunks: int, seed: int) -> None:
        self._chunks, self._seed = chunks, seed

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [ids, chunks]."""
        rows = [falling(_order(self._seed, example, self._chunks)) for example in queries]
        return np.array(rows, np.float32).reshape(len(queries), self._chunks)


def _order(seed: int, example: str, chunk_count: int) -> Ids:
    digest = hashlib.sha256(f"{seed}:{example}".encode("utf-8", "surrogatepass")).digest()
    draws = np.random.Generator(np.random.PCG64(int.from_bytes(digest))).random(chunk_count)
    return np.argsort(draws, kind="stable")
