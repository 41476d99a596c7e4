"""Dense retrieval: exact inner products of a bi-encoder's vectors (Karpukhin et al. 2020, section 3).

A passage over the encoder's limit is encoded in windows, and the best one counts for it (MaxP; Dai & Callan 2019,
"Deeper Text Understanding for IR with Contextual Neural Language Modeling", section 3).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.errors import UserError
from models import encoders
from retrievers import Ids, Index, Lengths, Retriever, Scores
from retrievers.shared.neighbours import Backend, Neighbours, Vectors, need_faiss, neighbours
from retrievers.shared.ranking import CELLS, ByCentroid, clamp, ranked, top_k
from retrievers.shared.texts import ranked_texts

_SLACK = 1e-5  # more than a tie (1e-6) and float32's error in an inner product together
_RECENT = 20_000  # queries whose vectors are cached
_MORE_LIMIT = 16  # candidates beyond k: enough, mostly, to see that the k-th tie ends


@dataclass(frozen=True)
class Dense(Retriever):
    """Ranks chunks by the inner product of an encoder's vectors; with `normalize`, by their cosine.

    `model` is what `models.encoders.get` takes: `minilm`, a folder, a hub id, a mapping, an encoder. Prefixes (None:
    the model's own), `device`, `dtype` and `batch_tokens` go to it. `backend` says what searches when only some of the
    chunks are returned: FAISS or torch, on a GPU where there is one; the ranking does not depend on it.

    A chunk over the encoder's limit is, with `long` "windows", encoded in windows and scored by the best of them; with
    "cut" only its beginning is encoded. Either way longer texts are counted (`LimitedIndex`), for every encoder that
    knows its limit (`encoders.LimitedEncoder`). Queries over the limit are cut, and counted.

    With `heading` a chunk's label (its title, section path or speaker) is encoded before its text, unless the text
    begins with it. A blank query scores 0 everywhere. The centroid is the mean over the chunks of the mean of each
    chunk's windows; a chunk's similarity to it is that of its best window.
    """

    model: Any = "minilm"
    query_prefix: str | None = None
    passage_prefix: str | None = None
    normalize: bool = True
    long: Literal["windows", "cut"] = "windows"
    backend: Backend = "auto"
    device: str | tuple[str, ...] | None = None
    dtype: Literal["auto", "bf16", "fp32"] | None = None
    batch_tokens: int | None = None
    heading: bool = False
    encoder: encoders.Encoder = field(init=False, repr=False, compare=False)
    _recent_queries: dict[str, Vectors] = field(default_factory=dict, init=False, repr=False, compare=False)

    ranks_by_centroid = True

    def __post_init__(self) -> None:
        if self.backend not in ("auto", "faiss", "torch"):
            raise UserError(f'dense: backend must be "auto", "faiss" or "torch", got {self.backend!r}')
        if self.long not in ("windows", "cut"):
            raise UserError(f'dense: long must be "windows" or "cut", got {self.long!r}')
        if self.backend == "faiss":
            need_faiss()
        named_names = ("query_prefix", "passage_prefix", "device", "dtype", "batch_tokens")
        given_fields = {name: getattr(self, name) for name in named_names if getattr(self, name) is not None}
        encoder = encoders.get(self.model, **given_fields)
        object.__setattr__(self, "encoder", encoder)

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """The encoder."""
        return (encoders.record(self.encoder),)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index that holds a vector for each window of a chunk, mostly one; equal texts are encoded once."""
        return _DenseIndex(self, ranked_texts(chunks, self.heading))

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of chunks, which are encoded once: a group's vector is the mean of its chunks'.

        Pooling from one pass is that of Günther et al. 2024, "Late Chunking", section 3, of chunks in place of tokens.
        """
        return _DenseIndex(self, ranked_texts(chunks, self.heading), groups)

    def vectors(self, texts: Sequence[str], kind: encoders.Kind) -> Vectors:
        """float32 [texts, dimensions], of length 1 with `normalize`."""
        distinct = list(dict.fromkeys(texts))
        places = {text: place for place, text in enumerate(distinct)}
        given_values = _checked(self.encoder.encode(distinct, kind), len(distinct), type(self.encoder).__name__)
        values = given_values[[places[text] for text in texts]]
        if self.normalize:
            values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
        return values.astype(np.float32)

    def query_vectors(self, queries: Sequence[str]) -> Vectors:
        """The vectors of queries, a copy; cached, since chunks of several sizes are searched for the same queries."""
        recent = self._recent_queries
        values = {query: vector for query in queries if (vector := recent.get(query)) is not None}
        if missing := [query for query in dict.fromkeys(queries) if query not in values]:
            new = dict(zip(missing, self.vectors(missing, "query"), strict=True))
            values |= new
            if len(recent) + len(new) > _RECENT:
                recent.clear()
            recent |= new
        return np.stack([values[query] for query in queries])

    def split(self, texts: Sequence[str], kind: encoders.Kind) -> list[encoders.Split] | None:
        """How each text is split at the encoder's limit, None where that is not known."""
        limited = isinstance(self.encoder, encoders.LimitedEncoder) and self.encoder.max_tokens() is not None
        if not texts or not limited:
            return None
        assert isinstance(self.encoder, encoders.LimitedEncoder)
        distinct = list(dict.fromkeys(texts))
        splits = dict(zip(distinct, self.encoder.split(distinct, kind), strict=True))
        return [splits[text] for text in texts]

    def lengths(self, splits: Sequence[encoders.Split] | None) -> tuple[Lengths, ...]:
        """The counts of texts over the limit."""
        if splits is None:
            return ()
        assert isinstance(self.encoder, encoders.LimitedEncoder)
        over = [split.beyond for split in splits if split.beyond]
        limit, tokens = self.encoder.max_tokens() or 0, sum(split.tokens for split in splits)
        return (Lengths("dense", limit, self.long, len(splits), len(over), tokens, sum(over)),)


class _DenseIndex(ByCentroid):
    """`_vectors` [windows, dimensions]; those of chunk i from `_starts[i]` to `_starts[i + 1]`."""

    def __init__(self, dense: Dense, texts: Sequence[str], groups: Sequence[Sequence[int]] | None = None) -> None:
        self._dense, self._chunks = dense, len(texts)
        splits = dense.split(texts, "passage")
        self._passages = dense.lengths(splits)
        parts = [[text] for text in texts]
        if splits is not None and dense.long == "windows":
            parts = [[text[a:b] for a, b in split.windows] for text, split in zip(texts, splits, strict=True)]
        self._starts = np.array([0, *accumulate(map(len, parts))], np.int64)
        self._owners = np.repeat(np.arange(len(parts)), np.diff(self._starts))
        windows = [window for part in parts for window in part]
        self._vectors = dense.vectors(windows, "passage") if windows else np.zeros((0, 0), np.float32)
        if groups is not None and windows:
            self._pool(groups)

    def _pool(self, groups: Sequence[Sequence[int]]) -> None:
        """Put the mean vector of each group in the place of the chunks'."""
        sums = np.add.reduceat(self._vectors.astype(np.float64), self._starts[:-1], axis=0)
        means = sums / np.diff(self._starts)[:, None]
        pooled = np.stack([means[list(group)].mean(axis=0) for group in groups])
        if self._dense.normalize:
            pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        self._vectors, self._chunks = pooled.astype(np.float32), len(groups)
        self._starts, self._owners = np.arange(len(groups) + 1), np.arange(len(groups))

    @cached_property
    def _neighbours(self) -> Neighbours:
        device = self._dense.device
        first = device.split(",")[0].strip() if isinstance(device, str) else next(iter(device or ()), None)
        return neighbours(self._vectors, self._dense.backend, first)

    def passages(self) -> tuple[Lengths, ...]:
        """The counts of chunks over the encoder's limit."""
        return self._passages

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """The counts of queries over the encoder's limit; blank ones are not encoded."""
        return self._dense.lengths(self._dense.split([query for query in queries if query.strip()], "query"))

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], each the best of its windows, summed in float64."""
        if not queries or not self._chunks:
            return np.zeros((len(queries), self._chunks), np.float32)
        return self._table(self._query_vectors(queries))

    def _table(self, queries: Vectors) -> Scores:
        """The scores of queries given as vectors."""
        windows = (queries.astype(np.float64) @ self._vectors.astype(np.float64).T).astype(np.float32)
        return np.asarray(np.maximum.reduceat(windows, self._starts[:-1], axis=1))

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products of each chunk's best window with the centroid, summed in float64."""
        if not self._chunks:
            return np.zeros(0)
        vectors = self._vectors.astype(np.float64)
        sums = np.add.reduceat(vectors, self._starts[:-1], axis=0)
        centroid = (sums / np.diff(self._starts)[:, None]).sum(axis=0) / self._chunks
        return np.asarray(np.maximum.reduceat(vectors @ centroid, self._starts[:-1]))

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k best chunks of each query, best first."""
        width = clamp(k, self._chunks)
        if not queries or not self._chunks:
            return super().search(queries, k)
        vectors = self._query_vectors(queries)
        if width + _MORE_LIMIT >= self._chunks:
            return ranked(self._table, vectors, k)
        rows = max(1, CELLS // len(self._vectors))
        blocks = [vectors[start : start + rows] for start in range(0, len(vectors), rows)]
        pairs = (pair for block in blocks for pair in zip(self._candidates(block, width), block, strict=True))
        found_rows = [self._best(chunks, query, width) for chunks, query in pairs]
        return np.stack([scores for scores, _ in found_rows]), np.stack([ids for _, ids in found_rows])

    def _best(self, chunks: Ids, query: Vectors, width: int) -> tuple[Scores, Ids]:
        """Scores and ids of the best of some chunks [width], given in document order."""
        sizes = np.diff(self._starts)[chunks]
        starts = np.cumsum(sizes) - sizes
        windows = np.repeat(self._starts[chunks] - starts, sizes) + np.arange(sizes.sum())
        exact = np.maximum.reduceat(self._vectors[windows].astype(np.float64) @ query, starts)
        scores, order = top_k(exact.astype(np.float32)[None], width)
        return scores[0], chunks[order[0]]

    def _query_vectors(self, queries: Sequence[str]) -> Vectors:
        blank = np.array([not query.strip() for query in queries])
        vectors = self._dense.query_vectors(queries)
        if vectors.shape[1] != self._vectors.shape[1]:
            raise UserError(
                f"dense: {type(self._dense.encoder).__name__} gives queries vectors of {vectors.shape[1]} dimensions "
                f"and passages vectors of {self._vectors.shape[1]}"
            )
        vectors[blank] = 0.0
        return vectors

    def _candidates(self, queries: Vectors, width: int) -> Iterator[Ids]:
        """For each query the ids, ascending, of its `width` best chunks and all that tie with the last, and some more.

        A chunk is found by its best window: windows are retrieved until `width` chunks have one among them, and the
        last window is clearly worse than the best one of the last chunk.
        """
        total, wide_count = len(self._vectors), min(width + _MORE_LIMIT, len(self._vectors))
        while True:
            near, ids = self._neighbours.nearest(queries, wide_count)
            owners = self._owners[ids]
            if wide_count == total or all(_has_enough(*row, width) for row in zip(near, owners, strict=True)):
                return map(np.unique, owners)
            wide_count = min(2 * wide_count, total)


def _has_enough(near: Scores, owners: Ids, width: int) -> bool:
    """Whether windows, best first, settle which chunks are the `width` best."""
    firsts = np.sort(np.unique(owners, return_index=True)[1])
    if len(firsts) < width:
        return False
    edge = near[firsts[width - 1]]
    return bool(near[-1] < edge - _SLACK * max(1.0, abs(edge)))


def _checked(given_value: Any, rows: int, name: str) -> npt.NDArray[np.float64]:
    """An encoder's vectors. Raises `UserError` that names it for another shape, what is no number, and NaN."""
    try:
        values = np.array(given_value, np.float64)
    except (TypeError, ValueError):
        raise UserError(f"dense: the encoder {name} gave no table of numbers for {rows} texts") from None
    if values.ndim != 2 or len(values) != rows or not values.shape[1]:
        raise UserError(f"dense: the encoder {name} gave vectors of shape {values.shape} for {rows} texts")
    if not np.isfinite(values).all():
        bad_count = int((~np.isfinite(values).all(axis=1)).sum())
        raise UserError(f"dense: the encoder {name} gave NaN or infinite vectors for {bad_count} of {rows} texts")
    return values
