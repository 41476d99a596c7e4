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
_CACHE_SIZE = 20_000  # queries whose vectors are cached
_EXTRA_CANDIDATES = 16  # candidates beyond k: enough, mostly, to see that the k-th tie ends


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
    _query_cache: dict[str, Vectors] = field(default_factory=dict, init=False, repr=False, compare=False)

    ranks_by_centroid = True

    def __post_init__(self) -> None:
        if self.backend not in ("auto", "faiss", "torch"):
            raise UserError(f'dense: backend must be "auto", "faiss" or "torch", got {self.backend!r}')
        if self.long not in ("windows", "cut"):
            raise UserError(f'dense: long must be "windows" or "cut", got {self.long!r}')
        if self.backend == "faiss":
            need_faiss()
        option_names = ("query_prefix", "passage_prefix", "device", "dtype", "batch_tokens")
        options = {name: getattr(self, name) for name in option_names if getattr(self, name) is not None}
        encoder = encoders.get(self.model, **options)
        object.__setattr__(self, "encoder", encoder)

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """The encoder."""
        return (encoders.record(self.encoder),)

    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index with one vector per window of a chunk (most chunks are one window); equal texts are encoded once."""
        return _DenseIndex(self, ranked_texts(chunks, self.heading))

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of chunks, which are encoded once: a group's vector is the mean of its chunks'.

        Pooling from one pass is that of Günther et al. 2024, "Late Chunking", section 3, of chunks in place of tokens.
        """
        return _DenseIndex(self, ranked_texts(chunks, self.heading), groups)

    def vectors(self, texts: Sequence[str], kind: encoders.Kind) -> Vectors:
        """float32 [texts, dimensions], of length 1 with `normalize`."""
        distinct = list(dict.fromkeys(texts))
        positions = {text: position for position, text in enumerate(distinct)}
        distinct_vectors = _checked(self.encoder.encode(distinct, kind), len(distinct), type(self.encoder).__name__)
        vectors = distinct_vectors[[positions[text] for text in texts]]
        if self.normalize:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors.astype(np.float32)

    def query_vectors(self, queries: Sequence[str]) -> Vectors:
        """float32 [queries, dimensions], a copy; cached, since several indexes are searched for the same queries."""
        cache = self._query_cache
        vectors = {query: vector for query in queries if (vector := cache.get(query)) is not None}
        if missing := [query for query in dict.fromkeys(queries) if query not in vectors]:
            new_vectors = dict(zip(missing, self.vectors(missing, "query"), strict=True))
            vectors |= new_vectors
            if len(cache) + len(new_vectors) > _CACHE_SIZE:
                cache.clear()
            cache |= new_vectors
        return np.stack([vectors[query] for query in queries])

    def split(self, texts: Sequence[str], kind: encoders.Kind) -> list[encoders.Split] | None:
        """The windows of each text within the encoder's limit; None where the encoder has no known limit."""
        limited = isinstance(self.encoder, encoders.LimitedEncoder) and self.encoder.max_tokens() is not None
        if not texts or not limited:
            return None
        assert isinstance(self.encoder, encoders.LimitedEncoder)
        distinct = list(dict.fromkeys(texts))
        splits = dict(zip(distinct, self.encoder.split(distinct, kind), strict=True))
        return [splits[text] for text in texts]

    def lengths(self, splits: Sequence[encoders.Split] | None) -> tuple[Lengths, ...]:
        """One count of the texts over the encoder's limit; empty where the limit is not known."""
        if splits is None:
            return ()
        assert isinstance(self.encoder, encoders.LimitedEncoder)
        excess = [split.beyond for split in splits if split.beyond]
        limit, tokens = self.encoder.max_tokens() or 0, sum(split.tokens for split in splits)
        return (Lengths("dense", limit, self.long, len(splits), len(excess), tokens, sum(excess)),)


class _DenseIndex(ByCentroid):
    """`_vectors` [windows, dimensions]; those of chunk i from `_starts[i]` to `_starts[i + 1]`."""

    def __init__(self, dense: Dense, texts: Sequence[str], groups: Sequence[Sequence[int]] | None = None) -> None:
        self._dense, self._chunk_count = dense, len(texts)
        splits = dense.split(texts, "passage")
        self._passages = dense.lengths(splits)
        windows_by_chunk = [[text] for text in texts]
        if splits is not None and dense.long == "windows":
            windows_by_chunk = [
                [text[a:b] for a, b in split.windows] for text, split in zip(texts, splits, strict=True)
            ]
        self._starts = np.array([0, *accumulate(map(len, windows_by_chunk))], np.int64)
        self._chunk_of_window = np.repeat(np.arange(len(windows_by_chunk)), np.diff(self._starts))
        windows = [window for chunk_windows in windows_by_chunk for window in chunk_windows]
        self._vectors = dense.vectors(windows, "passage") if windows else np.zeros((0, 0), np.float32)
        if groups is not None and windows:
            self._pool(groups)

    def _pool(self, groups: Sequence[Sequence[int]]) -> None:
        """Replace the chunks' vectors by the mean vector of each group."""
        sums = np.add.reduceat(self._vectors.astype(np.float64), self._starts[:-1], axis=0)
        means = sums / np.diff(self._starts)[:, None]
        pooled = np.stack([means[list(group)].mean(axis=0) for group in groups])
        if self._dense.normalize:
            pooled /= np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        self._vectors, self._chunk_count = pooled.astype(np.float32), len(groups)
        self._starts, self._chunk_of_window = np.arange(len(groups) + 1), np.arange(len(groups))

    @cached_property
    def _neighbours(self) -> Neighbours:
        device = self._dense.device
        first_device = device.split(",")[0].strip() if isinstance(device, str) else next(iter(device or ()), None)
        return neighbours(self._vectors, self._dense.backend, first_device)

    def passages(self) -> tuple[Lengths, ...]:
        """Counts of chunks over the encoder's limit."""
        return self._passages

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """Counts of queries over the encoder's limit; blank queries are not encoded."""
        return self._dense.lengths(self._dense.split([query for query in queries if query.strip()], "query"))

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]: each chunk's best window, computed in float64."""
        if not queries or not self._chunk_count:
            return np.zeros((len(queries), self._chunk_count), np.float32)
        return self._vector_scores(self._query_vectors(queries))

    def _vector_scores(self, query_vectors: Vectors) -> Scores:
        """float32 [queries, chunks] for query vectors [queries, dimensions]."""
        window_scores = (query_vectors.astype(np.float64) @ self._vectors.astype(np.float64).T).astype(np.float32)
        return np.asarray(np.maximum.reduceat(window_scores, self._starts[:-1], axis=1))

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks]: the inner product of each chunk's best window with the centroid."""
        if not self._chunk_count:
            return np.zeros(0)
        vectors = self._vectors.astype(np.float64)
        sums = np.add.reduceat(vectors, self._starts[:-1], axis=0)
        centroid = (sums / np.diff(self._starts)[:, None]).sum(axis=0) / self._chunk_count
        return np.asarray(np.maximum.reduceat(vectors @ centroid, self._starts[:-1]))

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and ids of the k best chunks of each query, best first."""
        width = clamp(k, self._chunk_count)
        if not queries or not self._chunk_count:
            return super().search(queries, k)
        query_vectors = self._query_vectors(queries)
        if width + _EXTRA_CANDIDATES >= self._chunk_count:
            return ranked(self._vector_scores, query_vectors, k)
        block_size = max(1, CELLS // len(self._vectors))
        blocks = [query_vectors[start : start + block_size] for start in range(0, len(query_vectors), block_size)]
        pairs = (pair for block in blocks for pair in zip(self._candidates(block, width), block, strict=True))
        results = [self._best(chunk_ids, vector, width) for chunk_ids, vector in pairs]
        return np.stack([scores for scores, _ in results]), np.stack([ids for _, ids in results])

    def _best(self, chunk_ids: Ids, query_vector: Vectors, width: int) -> tuple[Scores, Ids]:
        """Scores and ids, each [width], of the best chunks among `chunk_ids`, which are in document order."""
        sizes = np.diff(self._starts)[chunk_ids]
        starts = np.cumsum(sizes) - sizes
        window_ids = np.repeat(self._starts[chunk_ids] - starts, sizes) + np.arange(sizes.sum())
        chunk_scores = np.maximum.reduceat(self._vectors[window_ids].astype(np.float64) @ query_vector, starts)
        scores, order = top_k(chunk_scores.astype(np.float32)[None], width)
        return scores[0], chunk_ids[order[0]]

    def _query_vectors(self, queries: Sequence[str]) -> Vectors:
        blank = np.array([not query.strip() for query in queries])
        vectors = self._dense.query_vectors(queries)
        if vectors.shape[1] != self._vectors.shape[1]:
            raise UserError(
                f"dense: {type(self._dense.encoder).__name__} must encode queries and passages with the same number of "
                f"dimensions, got {vectors.shape[1]} and {self._vectors.shape[1]}"
            )
        vectors[blank] = 0.0
        return vectors

    def _candidates(self, query_vectors: Vectors, width: int) -> Iterator[Ids]:
        """Ascending chunk ids for each query: its `width` best chunks, all that tie with the last, and a few more.

        A chunk is found by its best window. More windows are retrieved until they belong to `width` chunks and the
        last window is clearly worse than the best window of the last of these chunks.
        """
        total, window_count = len(self._vectors), min(width + _EXTRA_CANDIDATES, len(self._vectors))
        while True:
            window_scores, window_ids = self._neighbours.nearest(query_vectors, window_count)
            chunk_ids = self._chunk_of_window[window_ids]
            if window_count == total or all(
                _is_settled(*row, width) for row in zip(window_scores, chunk_ids, strict=True)
            ):
                return map(np.unique, chunk_ids)
            window_count = min(2 * window_count, total)


def _is_settled(window_scores: Scores, chunk_ids: Ids, width: int) -> bool:
    """Whether these windows, best first, are enough to know the `width` best chunks."""
    first_windows = np.sort(np.unique(chunk_ids, return_index=True)[1])
    if len(first_windows) < width:
        return False
    last_score = window_scores[first_windows[width - 1]]
    return bool(window_scores[-1] < last_score - _SLACK * max(1.0, abs(last_score)))


def _checked(vectors: Any, rows: int, encoder_name: str) -> npt.NDArray[np.float64]:
    """An encoder's vectors as float64 [rows, dimensions]. Raises `UserError` for a wrong shape, non-numbers or NaN."""
    try:
        table = np.array(vectors, np.float64)
    except (TypeError, ValueError):
        raise UserError(
            f"dense: the encoder {encoder_name} must return a table of numbers with {rows} rows, one per text"
        ) from None
    if table.ndim != 2 or len(table) != rows or not table.shape[1]:
        raise UserError(
            f"dense: the encoder {encoder_name} must return {rows} vectors, one per text, got shape {table.shape}"
        )
    if not np.isfinite(table).all():
        bad_count = int((~np.isfinite(table).all(axis=1)).sum())
        raise UserError(
            f"dense: the encoder {encoder_name} returned NaN or infinite vectors for {bad_count} of {rows} texts"
        )
    return table
