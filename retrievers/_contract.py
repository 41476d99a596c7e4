"""Base class of retrievers, the protocols of their indexes, texts over an encoder's limit, training data of rankers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.descriptions import PickledByFields

Scores = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
QuerySource = Literal["query", "nothing", "id", "references", "evidence"]
EVIDENCE = 0.5  # the share of a unit's characters from which it counts as evidence


@runtime_checkable
class Index(Protocol):
    """The indexed chunks of one document, searched for many queries at once."""

    def search(self, queries: Sequence[str], k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and chunk numbers, each [queries, min(k, chunks)], best first, ties (to 1e-6) by position.

        k None returns all chunks.
        """
        ...

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks], the score of every chunk."""
        ...


@runtime_checkable
class CentroidIndex(Index, Protocol):
    """An index that can also rank by similarity to the document's centroid: for documents without a question."""

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the similarity of each chunk to the document's centroid."""
        ...

    def centroid(self, k: int | None = None) -> tuple[Scores, Ids]:
        """Scores and numbers of the k chunks nearest to it, each [min(k, chunks)], best first, ties by position."""
        ...


@dataclass(frozen=True, slots=True)
class Lengths:
    """The numbers of texts longer than an encoder's limit, and of the tokens that are lost.

    `over` of the `texts` are longer than `limit`; `beyond` of their `tokens` are over it. `long` says how passages over
    the limit are encoded: in "windows", or "cut", so that the tokens beyond are not read. Queries are always cut.
    Special tokens and prefixes are not counted.
    """

    retriever: str
    limit: int
    long: Literal["windows", "cut"]
    texts: int
    over: int
    tokens: int
    beyond: int


@runtime_checkable
class LimitedIndex(Index, Protocol):
    """An index that counts the passages and queries longer than its encoders' limits; one entry per encoder."""

    def passages(self) -> tuple[Lengths, ...]:
        """The passages, counted when they were indexed; empty where the limit is not known."""
        ...

    def queries(self, queries: Sequence[str]) -> tuple[Lengths, ...]:
        """The queries, in the order of `passages()`."""
        ...


class Retriever(PickledByFields, ABC):
    """Base class of retrievers: indexes a document once and searches it for many queries at once.

    A subclass defines `index` and overrides the attributes in which it differs:
    - `query_source`: what the pipeline passes as queries: the question ("query"), anything ("nothing"), the example's
      id ("id", for seeded choices), or the references or the gold spans ("references", "evidence", for an oracle), a
      line each.
    - `takes_k`: False means that all chunks are selected, and that `k` is refused.
    - `most`: the largest number of chunks that it selects, whatever k is; None: no limit.
    - `ranks_by_centroid`: whether its indexes are `CentroidIndex`es.
    - `seed`: None asks the pipeline to fill this field (of a dataclass) with the run's seed.
    - `advice`: a hint on how it would rank better here, shown once a run; None where there is none.
    - `chunker`: the chunker that it is made for; "" where any will do.
    """

    query_source: QuerySource = "query"
    takes_k: bool = True
    most: int | None = None
    ranks_by_centroid: bool = False
    seed: int | None = 0
    advice: str | None = None
    chunker: str = ""

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over `chunks`; an index over no chunks finds nothing."""

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """Records of the encoders that it ranks with (`models.encoders.record`), taken before a run."""
        return ()

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of `chunks`; each group lists chunk numbers, and its texts are joined.

        A subclass may override it to compute once what overlapping groups share.
        """
        return self.index([joined([chunks[number] for number in group]) for group in groups])


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Merge chunks into one: texts joined by line breaks, label, parent and heading of the middle chunk."""
    middle = chunks[len(chunks) // 2]
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    return Chunk("\n".join(chunk.text for chunk in chunks), start, end, middle.label, middle.parent, middle.heading)


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """A document's chunks and questions, and for each the share of a chunk's characters that is gold evidence.

    `shares` is float32 [questions, chunks], 0 to 1.
    """

    id: str
    chunks: Sequence[Chunk]
    questions: Sequence[str]
    shares: npt.NDArray[np.float32]

    @property
    def relevant(self) -> npt.NDArray[np.bool_]:
        """Mask of the chunks that are evidence, [questions, chunks]: half gold or more, or with the largest share."""
        largest_share = self.shares.max(axis=1, keepdims=True, initial=0.0)
        return np.asarray((self.shares > 0) & (self.shares >= np.minimum(largest_share, EVIDENCE)))
