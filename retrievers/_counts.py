r"""Word counts of chunks, and the index over weighted words that the lexical retrievers share.

A word is what scikit-learn's vectorizers take by default: in lower case, a run of two or more characters of the regular
expression class `\w`. The runs are found by blanking out all other characters and splitting at white space, which is
several times faster than a regular expression.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from retrievers import Scores
from retrievers._ranking import ByCentroid

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64]

_BLANK = bytes(
    ord(chr(byte).lower()) if byte < 128 and re.match(r"\w", chr(byte)) else 32 if byte < 128 else byte
    for byte in range(256)
)

_FOREIGN = re.compile(r"[^\x00-\x7f\w]")  # beyond ASCII and no part of a word


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each word occurs in each chunk: `matrix` [words, chunks], `rows` the words' rows in it.

    Rows of single characters exist but are empty.
    """

    matrix: "Matrix"
    rows: Mapping[str, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Counts":
        """Count the words of `texts`; the vocabulary is theirs alone."""
        rows: defaultdict[str, int] = defaultdict(count().__next__)
        sizes: list[int] = []

        def words() -> Iterator[list[str]]:
            for text in texts:
                runs = _runs(text)
                sizes.append(len(runs))
                yield runs

        ids = np.fromiter(map(rows.__getitem__, chain.from_iterable(words())), np.int32)
        long = (np.fromiter(map(len, rows), np.int32) > 1)[ids]
        ends = np.concatenate([[0], np.cumsum(long)])[np.cumsum([0, *sizes])]
        rows.default_factory = None  # from here on, unknown words raise KeyError
        return cls(_matrix(ids[long], ends, len(rows)), rows)

    def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Counts of the known words in other texts, [words, texts]."""
        known = [[self.rows[run] for run in _runs(text) if len(run) > 1 and run in self.rows] for text in texts]
        ids = np.fromiter(chain.from_iterable(known), np.int32)
        return _matrix(ids, np.cumsum([0, *map(len, known)]), len(self.rows))


def _matrix(ids: npt.NDArray[np.int32], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """Counts [words, texts] of word numbers, those of text i at `ids[ends[i]:ends[i + 1]]`."""
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(ids)), ids, ends), shape=(len(ends) - 1, words)).T.tocsr()
    matrix.sum_duplicates()  # transposed first: then equal words are adjacent and nothing is left to sort
    return matrix


class WeightedIndex(ByCentroid):
    """Scores are inner products of weights: `chunks` [words, chunks], `weigh(queries)` [words, queries].

    `whole()` gives the weights of the document's words, [words], for the similarity to its centroid.
    """

    def __init__(
        self,
        chunks: "Matrix",
        weigh: Callable[[Sequence[str]], "Matrix"],
        whole: Callable[[], npt.NDArray[np.float64]],
    ) -> None:
        self._chunks, self._weigh, self._whole = chunks, weigh, whole

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return np.asarray(self._chunks.T @ self._whole(), np.float64)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        if not queries or not self._chunks.nnz:
            return np.zeros((len(queries), self._chunks.shape[1]), np.float32)
        return (self._weigh(queries).T.tocsr() @ self._chunks).toarray().astype(np.float32)


def _runs(text: str) -> list[str]:
    r"""The runs of `\w` in lower case, those of a single character included."""
    if not text.isascii():
        text = _FOREIGN.sub(" ", text.lower())
    return text.encode().translate(_BLANK).decode().split()
