"""MaxSim over the token vectors of an encoder: late interaction (Khattab & Zaharia 2020, "ColBERT", equation 3).

score(q, d) = sum over the tokens t of q of w(t) * max over the tokens u of d of cos(t, u), over the sum of w(t). With
`idf`, w(t) = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5)), n(t) of the N chunks holding the token (BM25's weight): encoders
that were not trained for late interaction, unlike ColBERT, do not learn which words of a question matter. Without it
all weights are 1, as in the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from models import encoders
from models.encoders import TokenEncoder, TokenVectors
from retrievers import Index, Retriever, Scores
from retrievers.shared.ranking import ExactIndex


@dataclass(frozen=True)
class LateInteraction(Retriever):
    """Ranks chunks by how similar their tokens are to each token of the query.

    `model` is what `models.encoders.get` takes, an encoder that gives vectors of tokens (`encoders.TokenEncoder`, as
    sentence-transformers models do). Chunks are encoded together with those around them; of groups of chunks
    (`scales`) no more is encoded. A blank query scores 0 everywhere. It keeps a vector for each token, with MiniLM 1.5
    KB: some 230 MB for 100,000 words. Raises `UserError` for an encoder without vectors of tokens.
    """

    model: Any = "minilm"
    device: str | tuple[str, ...] | None = None
    encoder: TokenEncoder = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        encoder = encoders.get(self.model, **({"device": self.device} if self.device is not None else {}))
        if not isinstance(encoder, TokenEncoder):
            raise UserError(
                f"late_interaction needs an encoder with token vectors, and {type(encoder).__name__} has none; use "
                "retriever='dense'"
            )
        object.__setattr__(self, "encoder", encoder)

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """The encoder."""
        return (encoders.record(self.encoder),)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index with one vector per token."""
        return self.index_groups(chunks, [[number] for number in range(len(chunks))])

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of chunks: a group's tokens are those of its chunks."""
        texts = [chunk.text for chunk in chunks]
        tokens = self.encoder.token_vectors(texts, "passage") if texts else None
        return _LateIndex(self, tokens, groups)


class _LateIndex(ExactIndex):
    def __init__(
        self, retriever: LateInteraction, tokens: TokenVectors | None, groups: Sequence[Sequence[int]]
    ) -> None:
        self._retriever, self._tokens = retriever, tokens
        self._members = np.array([number for group in groups for number in group], np.int64)
        self._starts = np.cumsum([0, *map(len, groups)])[:-1]
        self._document_frequencies = {} if tokens is None else _count_chunks(tokens)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, groups], at most 1; 0 for a blank query."""
        scores = np.zeros((len(queries), len(self._starts)), np.float32)
        if self._tokens is None:
            return scores
        for row, query in zip(scores, queries, strict=True):
            if query.strip():
                row[:] = self._query_scores(query, self._tokens)
        return scores

    def _query_scores(self, query: str, tokens: TokenVectors) -> npt.NDArray[np.float32]:
        query_tokens = self._retriever.encoder.token_vectors([query], "query")
        weights = self._weights(query_tokens.ids, len(tokens.starts) - 1)
        if not len(query_tokens.ids) or not len(tokens.ids) or not weights.any():
            return np.zeros(len(self._starts), np.float32)
        # A chunk of characters that the vocabulary drops has no token.
        nonempty_chunks = np.flatnonzero(np.diff(tokens.starts))
        best_similarities = np.full((len(query_tokens.ids), len(tokens.starts) - 1), -1.0, np.float32)
        best_similarities[:, nonempty_chunks] = np.maximum.reduceat(
            query_tokens.vectors @ tokens.vectors.T, tokens.starts[nonempty_chunks], axis=1
        )
        group_similarities = np.maximum.reduceat(best_similarities[:, self._members], self._starts, axis=1)
        return np.asarray(weights @ group_similarities / weights.sum(), np.float32)

    def _weights(self, ids: npt.NDArray[np.int64], chunk_count: int) -> npt.NDArray[np.float64]:
        frequencies = np.array([self._document_frequencies.get(int(number), 0) for number in ids], np.float64)
        return np.log1p((chunk_count - frequencies + 0.5) / (frequencies + 0.5))


def _count_chunks(tokens: TokenVectors) -> dict[int, int]:
    """The number of chunks that contain each token id (the document frequency)."""
    chunk_of_token = np.repeat(np.arange(len(tokens.starts) - 1), np.diff(tokens.starts))
    pairs = np.unique(np.stack((tokens.ids, chunk_of_token)), axis=1)
    token_ids, counts = np.unique(pairs[0], return_counts=True)
    return dict(zip(token_ids.tolist(), counts.tolist(), strict=True))
