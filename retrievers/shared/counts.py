r"""Word counts of chunks, and the index over weighted words that the lexical retrievers share.

Words are by default those of `longdoc.words.terms`, in any script, without single letters of alphabets with capitals
and single digits: in plain English the runs of two or more letters and digits. `SCIKIT_LEARN` are those of
scikit-learn's vectorizers: in lower case, runs of two or more characters of the regular expression class `\w`, which
has underscores and no combining marks.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longdoc.words import terms
from retrievers import Scores
from retrievers.shared.ranking import ByCentroid

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64]

SCIKIT_LEARN = r"(?u)\b\w\w+\b"  # the default token_pattern of its vectorizers

_BLANK = bytes(
    ord(chr(byte).lower()) if byte < 128 and re.match(r"\w", chr(byte)) else 32 if byte < 128 else byte
    for byte in range(256)
)

_FOREIGN = re.compile(r"[^\x00-\x7f\w]")  # beyond ASCII and no part of a word


@dataclass(frozen=True, slots=True)
class Words:
    """How a text is split, which of the distinct words that gives are counted, and as what: by default as they are."""

    split: Callable[[str], list[str]]
    is_counted: Callable[[str], bool]
    forms: Callable[[list[str]], list[str]] = list

    def __call__(self, text: str) -> list[str]:
        """What is counted of a text, in order."""
        return self.forms(list(filter(self.is_counted, self.split(text))))


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each word occurs in each chunk: `matrix` [words, chunks], `rows` the rows in it of the words' forms.

    Words that are not counted have an empty row of `matrix`, and are not in `rows`.
    """

    matrix: "Matrix"
    rows: Mapping[str, int]
    words: Words

    @classmethod
    def of(cls, texts: Sequence[str], words: Words | None = None) -> "Counts":
        """Count the words of `texts`, `TERMS` by default; the vocabulary is theirs alone."""
        words = words or TERMS
        rows: defaultdict[str, int] = defaultdict(count().__next__)
        sizes: list[int] = []

        def split() -> Iterator[list[str]]:
            for text in texts:
                found = words.split(text)
                sizes.append(len(found))
                yield found

        ids = np.fromiter(map(rows.__getitem__, chain.from_iterable(split())), np.int32)
        is_counted = np.fromiter(map(words.is_counted, rows), np.bool_)
        kept = is_counted[ids]
        ends = np.concatenate([[0], np.cumsum(kept)])[np.cumsum([0, *sizes])]
        counted = list(compress(rows, is_counted.tolist()))
        known: dict[str, int] = {}
        row_of = np.arange(len(rows), dtype=np.int32)
        for word, form in zip(counted, words.forms(counted), strict=True):
            row_of[rows[word]] = known.setdefault(form, rows[word])
        return cls(_matrix(row_of[ids[kept]], ends, len(rows)), known, words)

    def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Counts of the known words in other texts, [words, texts]."""
        known = [[self.rows[form] for form in self.words(text) if form in self.rows] for text in texts]
        ids = np.fromiter(chain.from_iterable(known), np.int32)
        return _matrix(ids, np.cumsum([0, *map(len, known)]), self.matrix.shape[0])


def _matrix(ids: npt.NDArray[np.int32], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """Counts [words, texts] of word numbers, those of text i at `ids[ends[i]:ends[i + 1]]`."""
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(len(ids)), ids, ends), shape=(len(ends) - 1, words)).T.tocsr()
    matrix.sum_duplicates()  # transposed first: then equal words are adjacent and nothing is left to sort
    return matrix


def summed(counts: "Matrix", groups: Sequence[Sequence[int]]) -> "Matrix":
    """Counts [words, groups] of groups of texts, given by their numbers, for counts [words, texts]."""
    from scipy.sparse import csr_array

    ids = np.fromiter(chain.from_iterable(groups), np.int32)
    ends = np.cumsum([0, *map(len, groups)])
    members = csr_array((np.ones(len(ids)), ids, ends), shape=(len(groups), counts.shape[1]))
    made: Matrix = (counts @ members.T.tocsr()).tocsr()
    made.sort_indices()
    return made


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
    r"""The runs of `\w` in lower case: all else is blanked out, several times as fast as a regular expression."""
    if not text.isascii():
        text = _FOREIGN.sub(" ", text.lower())
    return text.encode().translate(_BLANK).decode().split()


def _is_long(word: str) -> bool:
    return len(word) > 1


def _is_term(word: str) -> bool:
    """Whether it has several characters, or is a letter without a capital form, which may be a whole word."""
    return len(word) > 1 or unicodedata.category(word) == "Lo"


TERMS = Words(terms, _is_term)
SCIKIT_LEARN_WORDS = Words(_runs, _is_long)
