r"""Word counts of chunks, and the index over weighted words that the lexical retrievers share.

Words are by default those of `longdoc.words.terms`, in any script, without single letters of alphabets with capitals:
in plain English the runs of letters and digits that are no single letter, and the numbers joined of several, such as
"7.3". `SCIKIT_LEARN` are those of scikit-learn's vectorizers: in lower case, runs of two or more characters of the
regular expression class `\w`, which has underscores and no combining marks.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longdoc.normal_forms import compatible_form_without_points
from longdoc.words import LETTER, OTHER, kind, terms
from retrievers import Scores
from retrievers.shared.distinct import Vocabulary
from retrievers.shared.numbered_words import NumberedWords, Splitting
from retrievers.shared.ranking import ByCentroid

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64]

SCIKIT_LEARN = r"(?u)\b\w\w+\b"  # the default token_pattern of its vectorizers

_BLANK = bytes(
    ord(chr(byte).lower()) if byte < 128 and re.match(r"\w", chr(byte)) else 32 if byte < 128 else byte
    for byte in range(256)
)

_FOREIGN_PATTERN = re.compile(r"[^\x00-\x7f\w]")  # beyond ASCII and no part of a word


@dataclass(frozen=True, slots=True)
class Words:
    """How texts are split, which of the words that gives are counted, and as what: by default as they are.

    `split` gives the words of one text, `splitting` says the same for many texts at once, and which words of a single
    character are counted; `left_out` are other words that are not.
    """

    split: Callable[[str], list[str]]
    splitting: Splitting
    left_out: frozenset[str] = frozenset()
    forms: Callable[[list[str]], list[str]] | None = None

    def __call__(self, text: str) -> list[str]:
        """What is counted of a text, in order."""
        counted_names = list(filter(self.is_counted, self.split(text)))
        return self.forms(counted_names) if self.forms else counted_names

    def is_counted(self, word: str) -> bool:
        """Whether a word of a text is counted."""
        return (len(word) > 1 or self.splitting.counts_alone(word)) and word not in self.left_out


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each word occurs in each chunk: `matrix` [words, chunks].

    `rows` gives the rows in it of forms of words, -1 for unknown ones. Some rows are empty where words are left out or
    have the form of others.
    """

    matrix: "Matrix"
    rows: Callable[[Sequence[str]], npt.NDArray[np.int64]]
    words: Words

    @classmethod
    def of(cls, texts: Sequence[str], words: Words | None = None) -> "Counts":
        """Count the words of `texts`, `TERMS` by default; the vocabulary is theirs alone."""
        words = words or TERMS
        ids, ends, different = NumberedWords.of(texts, words.splitting)
        if not (words.left_out or words.forms):
            matrix = _matrix(ids, ends, len(different.starts))
            return cls(matrix, Vocabulary(different).find, words)
        row_of, known_values = _rows_of_forms(different.texts(), words)
        matrix = _known_only_matrix(row_of[ids], ends, len(row_of))
        return cls(matrix, lambda forms: np.array([known_values.get(form, -1) for form in forms], np.int64), words)

    def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Counts of the known words in other texts, [words, texts]."""
        forms = [self.words(text) for text in texts]
        ends = np.cumsum([0, *map(len, forms)])
        return _known_only_matrix(self.rows(list(chain.from_iterable(forms))), ends, self.matrix.shape[0])


def _rows_of_forms(different: list[str], words: Words) -> tuple[npt.NDArray[np.int64], dict[str, int]]:
    """For each of different words the row of its form, -1 where it is not counted, and the rows of the forms."""
    row_of = np.full(len(different), -1)
    counted_rows = [row for row, word in enumerate(different) if word not in words.left_out]
    forms, known_values = [different[row] for row in counted_rows], dict[str, int]()
    for row, form in zip(counted_rows, words.forms(forms) if words.forms else forms, strict=True):
        row_of[row] = known_values.setdefault(form, row)
    return row_of, known_values


def _known_only_matrix(ids: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """`_matrix` without those of number -1."""
    return _matrix(ids[ids >= 0], np.concatenate(([0], np.cumsum(ids >= 0)))[ends], words)


def _matrix(ids: npt.NDArray[np.integer], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """Counts [words, texts] of word numbers, those of text i at `ids[ends[i]:ends[i + 1]]`."""
    from scipy.sparse import csr_array

    ids, ends = ids.astype(np.int32), ends.astype(np.int32)  # else scipy looks at all of them to see whether it may
    matrix = csr_array((np.ones(len(ids)), ids, ends), shape=(len(ends) - 1, words)).T.tocsr()
    matrix.sum_duplicates()  # transposed first: then equal words are adjacent and nothing is left to sort
    return matrix


def summed(counts: "Matrix", groups: Sequence[Sequence[int]]) -> "Matrix":
    """Counts [words, groups] of groups of texts, given by their numbers, for counts [words, texts]."""
    from scipy.sparse import csr_array

    ids = np.fromiter(chain.from_iterable(groups), np.int32)
    ends = np.cumsum([0, *map(len, groups)])
    members = csr_array((np.ones(len(ids)), ids, ends), shape=(len(groups), counts.shape[1]))
    made_csr_array: Matrix = (counts @ members.T.tocsr()).tocsr()
    made_csr_array.sort_indices()
    return made_csr_array


class WeightedIndex(ByCentroid):
    """Scores are inner products of weights: `chunks` [words, chunks], `weigh(queries)` [words, queries].

    `whole()` gives the weights of the document's words, [words], for the similarity to its centroid.
    """

    def __init__(
        self,
        chunks: "Matrix",
        weigh: Callable[[Sequence[str]], "Matrix"],
        whole_function: Callable[[], npt.NDArray[np.float64]],
    ) -> None:
        self._chunks, self._weigh, self._whole_values = chunks, weigh, whole_function

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return np.asarray(self._chunks.T @ self._whole_values(), np.float64)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        if not queries:
            return np.zeros((len(queries), self._chunks.shape[1]), np.float32)
        return (self._weigh(queries).T.tocsr() @ self._chunks).toarray().astype(np.float32)


def _runs(text: str) -> list[str]:
    r"""The runs of `\w` in lower case: all else is blanked out, several times as fast as a regular expression."""
    if not text.isascii():
        text = _FOREIGN_PATTERN.sub(" ", text.lower())
    return text.encode().translate(_BLANK).decode().split()


def _is_no_word(char: str) -> bool:
    return False


def _may_be_a_word(char: str) -> bool:
    """Whether it is a digit or a letter without a capital form."""
    return char.isdecimal() or unicodedata.category(char) == "Lo"


def _kind_in_runs(char: str) -> int:
    return LETTER if char.isalnum() or char == "_" else OTHER


TERMS = Words(terms, Splitting(compatible_form_without_points, kind, _may_be_a_word, numbers=True))
SCIKIT_LEARN_WORDS = Words(_runs, Splitting(str, _kind_in_runs, _is_no_word))
