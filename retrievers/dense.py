"""Dense retrieval: exact inner products of a bi-encoder's vectors (Karpukhin et al. 2020, section 3)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from models import encoders
from retrievers import Ids, Index, Scores
from retrievers._neighbours import Backend, Neighbours, Vectors, need_faiss, neighbours
from retrievers._ranking import ByCentroid, clamp, top_k

_SLACK = 1e-5  # more than a tie (1e-6) and float32's error in an inner product together
_LATELY = 64  # lists of questions whose vectors are kept
_MORE = 16  # candidates beyond k: enough, mostly, to see that the k-th tie ends


@dataclass(frozen=True)
class Dense:
    """Ranks chunks by the inner product of an encoder's vectors; with `normalize`, by their cosine.

    `model` is what `models.encoders.get` takes: `minilm`, a folder, a hub id, a mapping, an encoder. Prefixes (None:
    the model's own), `device`, `dtype` and `batch_size` go to it. `backend` says what searches when only some of the
    chunks are wanted: FAISS or torch, on a GPU where there is one; the ranking does not depend on it.
    A blank query scores 0 everywhere. The centroid is the mean of the chunks' vectors.
    """

    model: Any = "minilm"
    query_prefix: str | None = None
    passage_prefix: str | None = None
    normalize: bool = True
    backend: Backend = "auto"
    device: str | None = None
    dtype: Literal["fp32", "bf16"] | None = None
    batch_size: int | None = None
    encoder: encoders.Encoder = field(init=False, repr=False, compare=False)
    _asked_lately: dict[tuple[str, ...], Vectors] = field(default_factory=dict, init=False, repr=False, compare=False)

    asked_with: ClassVar[Literal["query"]] = "query"
    selects: ClassVar[bool] = True
    ranks_by_centroid: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.backend not in ("auto", "faiss", "torch"):
            raise UserError(f'dense: backend must be "auto", "faiss" or "torch", got {self.backend!r}')
        if self.backend == "faiss":
            need_faiss()
        named = ("query_prefix", "passage_prefix", "device", "dtype", "batch_size")
        given = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        encoder = encoders.get(self.model, **given)
        if not isinstance(encoder, encoders.Encoder):
            raise UserError(f"dense: model must be an encoder, got {self.model!r}; encoders: {encoders.names()}")
        object.__setattr__(self, "encoder", encoder)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds one vector a chunk; equal texts are encoded once."""
        return _DenseIndex(self, [chunk.text for chunk in chunks])

    def vectors(self, texts: Sequence[str], kind: encoders.Kind) -> Vectors:
        """float32 [texts, dimensions], of length 1 with `normalize`."""
        distinct = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(distinct)}
        found = np.asarray(self.encoder.encode(distinct, kind), np.float64)[[places[text] for text in texts]]
        if self.normalize:
            found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
        return found.astype(np.float32)

    def asked(self, queries: Sequence[str]) -> Vectors:
        """The vectors of questions, a copy; the same ones are asked again where chunks are cut in several ways."""
        lately, key = self._asked_lately, tuple(queries)
        if (found := lately.get(key)) is None:
            if len(lately) >= _LATELY:
                lately.clear()
            found = lately[key] = self.vectors(queries, "query")
        return found.copy()


class _DenseIndex(ByCentroid):
    def __init__(self, dense: Dense, texts: Sequence[str]) -> None:
        self._dense, self._chunks = dense, len(texts)
        self._vectors = dense.vectors(texts, "passage") if texts else np.zeros((0, 0), np.float32)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return neighbours(self._vectors, self._dense.backend, self._dense.device)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], summed in float64."""
        if not queries or not self._chunks:
            return np.zeros((len(queries), self._chunks), np.float32)
        return (self._asked(queries).astype(np.float64) @ self._vectors.astype(np.float64).T).astype(np.float32)

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the mean vector, summed in float64."""
        vectors = self._vectors.astype(np.float64)
        return np.asarray(vectors @ (vectors.sum(axis=0) / max(self._chunks, 1)))

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k best chunks of each query, best first."""
        width = clamp(k, self._chunks)
        if not queries or width + _MORE >= self._chunks:
            return super().search(queries, k)
        asked = self._asked(queries)
        ids = np.sort(self._candidates(asked, width), axis=1)
        exact = [self._vectors[row].astype(np.float64) @ query for row, query in zip(ids, asked, strict=True)]
        scores, order = top_k(np.stack(exact).astype(np.float32), width)
        return scores, np.take_along_axis(ids, order, axis=1)

    def _asked(self, queries: Sequence[str]) -> Vectors:
        blank = np.array([not query.strip() for query in queries])
        vectors = self._dense.asked(queries)
        vectors[blank] = 0.0
        return vectors

    def _candidates(self, asked: Vectors, width: int) -> Ids:
        """Ids [queries, width or more] that hold the `width` best of each query and all that tie with the last."""
        wide = width + _MORE
        while True:
            near, ids = self._neighbours.nearest(asked, wide)
            edge = near[:, width - 1]
            if wide == self._chunks or np.all(near[:, -1] < edge - _SLACK * np.maximum(1.0, np.abs(edge))):
                return ids.astype(np.int64)
            wide = min(2 * wide, self._chunks)
