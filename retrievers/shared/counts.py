r"""Word counts of chunks, and the index over weighted words that the lexical retrievers share.

Words are by default those of `longdoc.words.terms`, in any script, without single letters of alphabets with capitals
and single digits: in plain English the runs of two or more letters and digits. `SCIKIT_LEARN` are those of
scikit-learn's vectorizers: in lower case, runs of two or more characters of the regular expression class `\w`, which
has underscores and no combining marks.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longdoc.words import LETTER, OTHER, kind, normal_form, terms
from retrievers import Scores
from retrievers.shared.ranking import ByCentroid
from retrievers.shared.word_places import WordPlaces

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
    """How texts are split, which of the words that gives are counted, and as what: by default as they are.

    `split` gives the words of one text; `normal` and `kind` say the same to `WordPlaces.of`, for many texts at once.
    `counts_alone` says which characters count where they are a word by themselves; `left_out` are other words that do
    not count.
    """

    split: Callable[[str], list[str]]
    normal: Callable[[str], str]
    kind: Callable[[str], int]
    counts_alone: Callable[[str], bool]
    left_out: frozenset[str] = frozenset()
    forms: Callable[[list[str]], list[str]] | None = None

    def __call__(self, text: str) -> list[str]:
        """What is counted of a text, in order."""
        counted = list(filter(self.is_counted, self.split(text)))
        return self.forms(counted) if self.forms else counted

    def is_counted(self, word: str) -> bool:
        """Whether a word of a text is counted."""
        return (len(word) > 1 or self.counts_alone(word)) and word not in self.left_out


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
        places = WordPlaces.of(texts, words.normal, words.kind, words.counts_alone)
        ids, distinct = places.numbered()
        ends, rows = places.ends_of_texts, dict(zip(distinct, range(len(distinct)), strict=True))
        if words.left_out or words.forms:
            row_of, rows = _rows_of_forms(rows, words)
            ids = row_of[ids]
            ends = np.concatenate(([0], np.cumsum(ids >= 0)))[ends]
            ids = ids[ids >= 0]
        return cls(_matrix(ids, ends, len(distinct)), rows, words)

    def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Counts of the known words in other texts, [words, texts]."""
        known = [[self.rows[form] for form in self.words(text) if form in self.rows] for text in texts]
        ids = np.fromiter(chain.from_iterable(known), np.int32)
        return _matrix(ids, np.cumsum([0, *map(len, known)]), self.matrix.shape[0])


def _rows_of_forms(rows: dict[str, int], words: Words) -> tuple[npt.NDArray[np.int64], dict[str, int]]:
    """For the row of each word that of its form, or -1 where it is not counted, and the rows of the forms."""
    counted = [word for word in rows if word not in words.left_out]
    row_of, known = np.full(len(rows), -1), dict[str, int]()
    for word, form in zip(counted, words.forms(counted) if words.forms else counted, strict=True):
        row_of[rows[word]] = known.setdefault(form, rows[word])
    return row_of, known


def _matrix(ids: npt.NDArray[np.integer], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """Counts [words, texts] of word numbers, those of text i at `ids[ends[i]:ends[i + 1]]`."""
    from scipy.sparse import csr_array

    ids = ids.astype(np.int32)  # half the memory, which scipy would otherwise only get by looking at all of them
    matrix = csr_array((np.ones(len(ids)), ids, ends.astype(np.int32)), shape=(len(ends) - 1, words)).T.tocsr()
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


def _is_no_word(char: str) -> bool:
    return False


def _may_be_a_word(char: str) -> bool:
    """Whether it is a letter without a capital form."""
    return unicodedata.category(char) == "Lo"


def _kind_in_runs(char: str) -> int:
    return LETTER if char.isalnum() or char == "_" else OTHER


TERMS = Words(terms, normal_form, kind, _may_be_a_word)
SCIKIT_LEARN_WORDS = Words(_runs, str.lower, _kind_in_runs, _is_no_word)
