"""Stemming and stop words for lexical retrievers.

Stems are those of the Snowball stemmers (Porter 1980, "An algorithm for suffix stripping"; https://snowballstem.org).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from longdoc import languages
from longdoc.errors import unknown
from longdoc.languages import ENGLISH_STOP_WORDS, Forms
from longdoc.words import terms
from retrievers import Scores
from retrievers.shared.counts import TERMS, Counts, WeightedIndex, Words, with_plain_forms
from retrievers.shared.ranking import ByCentroid

AUTO = "auto"  # by the language of each text


def check_stemmer(language: str, field: str) -> None:
    """Raises `UserError` for a language without a stemmer."""
    if language not in (names := [AUTO, *sorted(languages.stemmers())]):
        raise unknown(field, language, names)


def counted_words(stem: str | None = None, stop_words: str | Sequence[str] | None = None) -> Words:
    """How words of any script are counted: by their stems, and without stop words.

    `stem` is a language, `stop_words` "english", or a list in which capitals do not matter; either may be "auto", and
    None changes nothing.
    """
    if stem is None and not stop_words:
        return TERMS

    def forms(words: list[str], language: str) -> Forms:
        plain = with_plain_forms(words)[1]
        first, more = _stems([*words, *(form for (form,) in plain.values())], stem, language)
        for place, number in enumerate(plain, len(words)):
            own, other = (first[number], *more.get(number, ())), (first[place], *more.pop(place, ()))
            more[number] = tuple(dict.fromkeys((*own, *other)))[1:]
        for number in _stop_words(words, stop_words, language):
            first[number] = ""
            more.pop(number, None)
        return first[: len(words)], more

    return replace(TERMS, forms=forms, by_language=AUTO in (stem, stop_words))


def _stop_words(words: Sequence[str], stop_words: str | Sequence[str] | None, language: str) -> set[int]:
    """The positions of the stop words in `words`."""
    if stop_words == AUTO:
        return languages.stop_words(words, language)
    left_out = (
        ENGLISH_STOP_WORDS
        if isinstance(stop_words, str)
        else {term for word in stop_words or () for term in terms(word)}
    )
    return {number for number, word in enumerate(words) if word in left_out}


def _stems(words: list[str], stem: str | None, language: str) -> Forms:
    if stem == AUTO:
        return languages.stems(words, language)
    return (languages.stemmed(words, stem) if stem else words), {}


class WithoutStopWords(ByCentroid):
    """An index without stop words; a query of stop words alone is ranked by `make_full_index()`."""

    def __init__(self, index: WeightedIndex, counts: Counts, make_full_index: Callable[[], WeightedIndex]) -> None:
        self._index, self._counts, self._make_full_index = index, counts, make_full_index

    @cached_property
    def _full_index(self) -> WeightedIndex:
        return self._make_full_index()

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        scores = self._index.scores(queries)
        stop_word_queries = [
            number
            for number, query in enumerate(queries)
            if query.strip() and not scores[number].any() and not self._counts.forms(query)
        ]
        if stop_word_queries:
            scores[stop_word_queries] = self._full_index.scores([queries[number] for number in stop_word_queries])
        return scores

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return self._index.centroid_scores()
