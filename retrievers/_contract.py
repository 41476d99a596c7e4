"""What a retriever and its indexes have: the base class, the kinds of index, what an encoder does not read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from longdoc.pickling import PickledByFields

Scores = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
QuerySource = Literal["query", "nothing", "id", "references", "evidence"]


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
    """How texts compare with the limit of an encoder: how many there are, how many are `over` it, and their tokens.

    `beyond` are the tokens over the limit. `long` says how passages over the limit are encoded: in "windows", or "cut",
    so that the tokens beyond are not read. Queries are always cut. Special tokens and prefixes are not counted.
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
    """An index whose encoders have a limit, which counts the passages and queries over it; one entry per encoder."""

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
    - `most`: how many chunks it selects at most, whatever k is; None: as many as are asked for.
    - `ranks_by_centroid`: whether its indexes are `CentroidIndex`es.
    - `seed`: None asks the pipeline to fill this field (of a dataclass) with the run's seed.
    - `calibration`: slope and intercept of how likely a chunk is evidence by its score, 1 / (1 + exp(-(slope * score +
      intercept))); None where scores do not say it.
    - `advice`: what would make it rank better here, said once a run; None where nothing would.
    - `chunker`: the chunker whose chunks it is made for; "" where any will do.
    """

    query_source: QuerySource = "query"
    takes_k: bool = True
    most: int | None = None
    ranks_by_centroid: bool = False
    seed: int | None = 0
    calibration: tuple[float, float] | None = None
    advice: str | None = None
    chunker: str = ""

    @abstractmethod
    def index(self, chunks: Sequence[Chunk]) -> Index:
        """An index over `chunks`; an index over no chunks finds nothing."""

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        """What a run records of the encoders that it ranks with (`models.encoders.record`); called before a run."""
        return ()

    def index_groups(self, chunks: Sequence[Chunk], groups: Sequence[Sequence[int]]) -> Index:
        """An index over groups of `chunks`, given by their numbers, the texts of a group taken as one.

        A subclass may override it to work out once what overlapping groups have in common.
        """
        return self.index([joined([chunks[number] for number in group]) for group in groups])


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """One or more chunks as one, with the label of the one in the middle; their texts are joined by a line break."""
    middle = chunks[len(chunks) // 2]
    start, end = min(chunk.start for chunk in chunks), max(chunk.end for chunk in chunks)
    return Chunk("\n".join(chunk.text for chunk in chunks), start, end, middle.label, middle.parent, middle.heading)
