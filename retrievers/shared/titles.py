"""The titles of chunks, and which chunks and queries mention them.

A chunk's title is the last part of its label, without what stands in parentheses at its end ("Ed Wood (film)" is
mentioned as "Ed Wood"). It is mentioned where its words (`longdoc.words.terms`) follow one another; in chunks with the
same capitals too, save where the title has no small letters, so that "the results were" does not mention the heading
"Results". So are titles of English stop words alone ("For Against") in queries; one such word ("It") is no title.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from chunkers.units import BETWEEN
from longdoc.languages import ENGLISH_STOP_WORDS
from longdoc.words import terms
from retrievers.shared.counts import TERMS, Counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Matrix = csr_array[np.float64]

_PARENTHESES_PATTERN = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")


class Titles:
    """The titles of chunks: `titled` and `mentions` [chunks, titles] hold 1 where a chunk has, or mentions, a title.

    A chunk does not mention its own title.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._spellings: list[set[str]] = []
        self._ids: dict[tuple[str, ...], int] = {}
        self._lengths: dict[str, set[int]] = {}  # by first word, the titles' numbers of words
        self._stop_word_titles: set[int] = set()  # the titles of stop words alone
        labels = {label: self._add(label) for label in dict.fromkeys(chunk.label for chunk in chunks)}
        own_titles = [labels[chunk.label] for chunk in chunks]
        size = (len(chunks), len(self._ids))
        self.titled = _matrix([(row, title) for row, title in enumerate(own_titles) if title is not None], size)
        texts = [chunk.text for chunk in chunks]
        pairs = (
            (row, title)
            for row in self._candidates(texts).tolist()
            for title in self._mentioned_in(texts[row])
            if title != own_titles[row]
        )
        self.mentions = _matrix(list(pairs) if self._ids else [], size)

    def mentioned_by(self, queries: Sequence[str]) -> npt.NDArray[np.float64]:
        """float64 [queries, chunks]: 1 where the query mentions the title of the chunk, else 0."""
        pairs = [
            (row, title)
            for row, query in enumerate(queries)
            for title in set(self._titles_among(terms(query)))
            if title not in self._stop_word_titles or self._is_spelled(title, _single_spaced(query))
        ]
        return np.asarray((_matrix(pairs, (len(queries), len(self._ids))) @ self.titled.T.tocsr()).toarray())

    def _add(self, label: str | None) -> int | None:
        """The number of a label's title, added if new; None where the label has no title."""
        title = _PARENTHESES_PATTERN.sub("", (label or "").rpartition(BETWEEN)[2]).strip()
        words = tuple(terms(title))
        has_content_word = any(map(_is_content_word, words))
        if not (has_content_word or len(words) > 1):
            return None
        title_id = self._ids.setdefault(words, len(self._ids))
        if title_id == len(self._spellings):
            self._spellings.append(set())
            self._lengths.setdefault(words[0], set()).add(len(words))
            if not has_content_word:
                self._stop_word_titles.add(title_id)
        self._spellings[title_id].add("" if title.isupper() else _single_spaced(title))
        return title_id

    def _candidates(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        """The numbers of texts that may mention a title, as they contain the rarest word of one; ascending."""
        counts = Counts.of(texts)
        texts_with_word, has_rarest = np.diff(counts.matrix.indptr), np.zeros(len(texts), np.bool_)
        for words in self._ids:
            rows = counts.rows(list(filter(TERMS.is_counted, words)))
            if not len(rows):  # a title of single letters, which are not counted
                return np.arange(len(texts))
            if (rows >= 0).all():
                rarest = int(rows[np.argmin(texts_with_word[rows])])
                has_rarest[counts.matrix.indices[slice(*counts.matrix.indptr[rarest : rarest + 2])]] = True
        return np.flatnonzero(has_rarest)

    def _mentioned_in(self, text: str) -> Iterator[int]:
        """The numbers of the titles that a text mentions, with their capitals."""
        if titles := set(self._titles_among(terms(text))):
            spaced = _single_spaced(text)
            yield from (title for title in titles if self._is_spelled(title, spaced))

    def _is_spelled(self, title: int, spaced: str) -> bool:
        """Whether a text with single spaces contains a title with the same capitals."""
        return any(spelling in spaced for spelling in self._spellings[title])

    def _titles_among(self, words: list[str]) -> Iterator[int]:
        """The numbers of titles whose words follow one another in `words`; a title may be repeated."""
        for position, word in enumerate(words):
            for length in self._lengths.get(word, ()):
                title = self._ids.get(tuple(words[position : position + length]))
                if title is not None:
                    yield title


def _is_content_word(word: str) -> bool:
    """Whether a word is counted and is neither a stop word nor a single digit, which most texts have."""
    return TERMS.is_counted(word) and word not in ENGLISH_STOP_WORDS and not (len(word) == 1 and word.isdecimal())


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _matrix(pairs: Sequence[tuple[int, int]], shape: tuple[int, int]) -> "Matrix":
    """A sparse matrix with 1 at each (row, column) pair, also where a pair is repeated."""
    from scipy.sparse import csr_array

    positions = np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)
    return csr_array((np.ones(len(positions)), (positions[:, 0], positions[:, 1])), shape=shape)
