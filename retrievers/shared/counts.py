r"""Word counts of chunks, and the index over weighted words that the lexical retrievers share.

Words are by default those of `longdoc.words.terms`, in any script, without single letters of alphabets with capitals:
in plain English the runs of letters and digits that are no single letter, and the numbers joined of several, such as
"7.3". `SCIKIT_LEARN` are those of scikit-learn's vectorizers: in lower case, runs of two or more characters of the
regular expression class `\w`, which has underscores and no combining marks. A word with accents counts without them
too: who asks for "Nunez" finds "Núñez".
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longdoc.characters import compatible_form_without_points
from longdoc.languages import ENGLISH, Forms, without_accents
from longdoc.words import LETTER, OTHER, kind, terms
from retrievers import Scores
from retrievers.shared.distinct import Positions, Stretches, Vocabulary
from retrievers.shared.form_rows import FormRows, Rows
from retrievers.shared.numbered_words import Ids, NumberedWords, Splitting
from retrievers.shared.ranking import ByCentroid
from retrievers.shared.text_languages import numbered_by_language

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64]

SCIKIT_LEARN = r"(?u)\b\w\w+\b"  # the default token_pattern of its vectorizers

_BLANK = bytes(
    ord(chr(byte).lower()) if byte < 128 and re.match(r"\w", chr(byte)) else 32 if byte < 128 else byte
    for byte in range(256)
)

_NON_ASCII_NON_WORD = re.compile(r"[^\x00-\x7f\w]")  # characters beyond ASCII that are not part of a word


def with_plain_forms(words: list[str], language: str = ENGLISH) -> Forms:
    """The forms of each word: as written, and without accents."""
    if "".join(words).isascii():
        return words, {}
    plain = {n: (without_accents(word),) for n, word in enumerate(words) if not word.isascii()}
    return words, {n: forms for n, forms in plain.items() if forms[0] != words[n]}


def as_written(words: list[str], language: str = ENGLISH) -> Forms:
    """The forms of each word: only as written."""
    return words, {}


@dataclass(frozen=True, slots=True)
class Words:
    """How texts are split into words, and which forms of each word are counted.

    `split` gives the words of one text, `splitting` says the same for many texts at once, and which words of a single
    character are counted. `forms` gives the forms of words of a text in a language; a stop word has none.
    `by_language`: forms differ between languages, and the language of each text is detected.
    """

    split: Callable[[str], list[str]]
    splitting: Splitting
    forms: Callable[[list[str], str], Forms] = with_plain_forms
    by_language: bool = False

    def __call__(self, text: str, languages: Sequence[str] = (ENGLISH,), is_query: bool = False) -> list[str]:
        """The forms of a text's words in order; with several languages, the forms in each, told apart by a prefix.

        A query with "4.3" asks for the section of this number too, which opens a line.
        """
        counts_alone = self.splitting.counts_alone
        words = [word for word in self.split(text) if len(word) > 1 or counts_alone(word)]
        if is_query and self.splitting.numbers:
            words += [f"\n{word}" for word in words if not word.isalnum() and any(map(str.isdecimal, word))]
        if len(languages) == 1:
            return _flat(*self.forms(words, languages[0]))
        return [
            key + form
            for language, key in _language_prefixes(languages).items()
            for form in _flat(*self.forms(words, language))
        ]

    def is_counted(self, word: str) -> bool:
        """Whether a word of a text is counted."""
        return len(word) > 1 or self.splitting.counts_alone(word)


def _flat(first_forms: list[str], other_forms: Mapping[int, tuple[str, ...]]) -> list[str]:
    if not other_forms:
        return list(filter(None, first_forms))
    return [form for n, first in enumerate(first_forms) for form in (first, *other_forms.get(n, ())) if form]


def _language_prefixes(languages: Sequence[str]) -> dict[str, str]:
    """The prefix of each language's forms, so that equal forms of two languages differ; "" for a single language."""
    return {language: f"{language} " if len(languages) > 1 else "" for language in languages}


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each form of a word occurs in each chunk: `matrix` [forms, chunks].

    `rows` gives the row number of each form, -1 for unknown forms. `languages` are those of the chunks.
    """

    matrix: "Matrix"
    rows: Callable[[Sequence[str]], npt.NDArray[np.int64]]
    words: Words
    languages: tuple[str, ...] = (ENGLISH,)

    @classmethod
    def of(cls, texts: Sequence[str], words: Words | None = None) -> "Counts":
        """Count the words of `texts`, `TERMS` by default; the vocabulary is theirs alone."""
        words = words or TERMS
        ids, ends, distinct_words = NumberedWords.of(texts, words.splitting)
        if words.forms in (as_written, with_plain_forms):
            return cls._of_plain_words(ids, ends, distinct_words, words)
        vocabulary = distinct_words.texts()
        keyed = numbered_by_language(ids, ends, vocabulary) if words.by_language else (ids, (ENGLISH,))
        keyed_ids, languages = keyed
        forms = [words.forms(vocabulary, language) for language in languages]
        rows = FormRows.of(forms, _language_prefixes(languages).values())
        return cls(_matrix(*rows(keyed_ids, ends), rows.total), rows.find, words, languages)

    @classmethod
    def _of_plain_words(cls, ids: Ids, ends: Positions, distinct_words: Stretches, words: Words) -> "Counts":
        """Counts of words as written, and of those with accents without them too."""
        vocabulary, non_ascii = Vocabulary(distinct_words), distinct_words.non_ascii()
        if words.forms is as_written or not len(non_ascii):
            return cls(_matrix(ids, ends, len(distinct_words.starts)), vocabulary.find, words)
        rows = FormRows.with_plain_forms(distinct_words, vocabulary, non_ascii)

        def find(forms: Sequence[str]) -> Rows:
            return np.maximum(vocabulary.find(forms), rows.find(forms))

        return cls(_matrix(*rows(ids, ends), rows.total), find, words)

    def forms(self, text: str) -> list[str]:
        """The forms of a query's words, in each of the languages of the chunks."""
        return self.words(text, self.languages, is_query=True)

    def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Counts of the known words in other texts, [words, texts]."""
        forms = list(map(self.forms, texts))
        ends, rows = np.cumsum([0, *map(len, forms)]), self.rows(list(chain.from_iterable(forms)))
        is_known = rows >= 0
        return _matrix(rows[is_known], np.concatenate(([0], np.cumsum(is_known)))[ends], self.matrix.shape[0])


def _matrix(ids: npt.NDArray[np.integer], ends: npt.NDArray[np.int64], words: int) -> "Matrix":
    """Counts [words, texts] from word numbers; those of text i are `ids[ends[i]:ends[i + 1]]`."""
    from scipy.sparse import csr_array

    ids, ends = ids.astype(np.int32), ends.astype(np.int32)  # otherwise scipy checks whether they fit
    matrix = csr_array((np.ones(len(ids)), ids, ends), shape=(len(ends) - 1, words)).T.tocsr()
    matrix.sum_duplicates()  # transposed first: then equal words are adjacent and nothing is left to sort
    return matrix


def summed(counts: "Matrix", groups: Sequence[Sequence[int]]) -> "Matrix":
    """Counts [words, groups], summed over groups of text numbers, for counts [words, texts]."""
    from scipy.sparse import csr_array

    ids = np.fromiter(chain.from_iterable(groups), np.int32)
    ends = np.cumsum([0, *map(len, groups)])
    members = csr_array((np.ones(len(ids)), ids, ends), shape=(len(groups), counts.shape[1]))
    group_counts: Matrix = (counts @ members.T.tocsr()).tocsr()
    group_counts.sort_indices()
    return group_counts


class WeightedIndex(ByCentroid):
    """Scores are inner products of weights: `chunks` [words, chunks], `weigh(queries)` [words, queries].

    `document_weights()` gives the weights of the document's words, [words], for the similarity to its centroid.
    """

    def __init__(
        self,
        chunks: "Matrix",
        weigh: Callable[[Sequence[str]], "Matrix"],
        document_weights: Callable[[], npt.NDArray[np.float64]],
    ) -> None:
        self._chunks, self._weigh, self._document_weights = chunks, weigh, document_weights

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return np.asarray(self._chunks.T @ self._document_weights(), np.float64)

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        if not queries:
            return np.zeros((len(queries), self._chunks.shape[1]), np.float32)
        return (self._weigh(queries).T.tocsr() @ self._chunks).toarray().astype(np.float32)


def _runs(text: str) -> list[str]:
    r"""The runs of `\w` in lower case: all else is blanked out, several times as fast as a regular expression."""
    if not text.isascii():
        text = _NON_ASCII_NON_WORD.sub(" ", text.lower())
    return text.encode().translate(_BLANK).decode().split()


def _never_a_word(char: str) -> bool:
    return False


def _may_be_a_word(char: str) -> bool:
    """Whether a single character can be a word: a digit, or a letter of a script without capitals."""
    return char.isdecimal() or unicodedata.category(char) == "Lo"


def _kind_in_runs(char: str) -> int:
    return LETTER if char.isalnum() or char == "_" else OTHER


TERMS = Words(terms, Splitting(compatible_form_without_points, kind, _may_be_a_word, numbers=True))
SCIKIT_LEARN_WORDS = Words(_runs, Splitting(str, _kind_in_runs, _never_a_word), as_written)
