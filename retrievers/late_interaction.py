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
                f"late_interaction: {type(encoder).__name__} gives no vectors of tokens; retriever='dense' takes it"
            )
        object.__setattr__(self, "encoder", encoder)

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """The encoder."""
        return (encoders.record(self.encoder),)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds a vector for each token."""
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
        self._holding_values = {} if tokens is None else _chunks_holding(tokens)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, groups], at most 1; 0 for a blank query."""
        values = np.zeros((len(queries), len(self._starts)), np.float32)
        if self._tokens is None:
            return values
        for row, query in zip(values, queries, strict=True):
            if query.strip():
                row[:] = self._row(query, self._tokens)
        return values

    def _row(self, query: str, tokens: TokenVectors) -> npt.NDArray[np.float32]:
        token_vectors = self._retriever.encoder.token_vectors([query], "query")
        weights = self._weights(token_vectors.ids, len(tokens.starts) - 1)
        if not len(token_vectors.ids) or not len(tokens.ids) or not weights.any():
            return np.zeros(len(self._starts), np.float32)
        filled_values = np.flatnonzero(
            np.diff(tokens.starts)
        )  # a chunk of characters that the vocabulary drops has no token
        best = np.full((len(token_vectors.ids), len(tokens.starts) - 1), -1.0, np.float32)
        best[:, filled_values] = np.maximum.reduceat(
            token_vectors.vectors @ tokens.vectors.T, tokens.starts[filled_values], axis=1
        )
        groups_values = np.maximum.reduceat(best[:, self._members], self._starts, axis=1)
        return np.asarray(weights @ groups_values / weights.sum(), np.float32)

    def _weights(self, ids: npt.NDArray[np.int64], chunks: int) -> npt.NDArray[np.float64]:
        holding_values = np.array([self._holding_values.get(int(number), 0) for number in ids], np.float64)
        return np.log1p((chunks - holding_values + 0.5) / (holding_values + 0.5))


def _chunks_holding(tokens: TokenVectors) -> dict[int, int]:
    """In how many chunks each token of the vocabulary is."""
    owners = np.repeat(np.arange(len(tokens.starts) - 1), np.diff(tokens.starts))
    pairs = np.unique(np.stack((tokens.ids, owners)), axis=1)
    numbers, counts = np.unique(pairs[0], return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))
