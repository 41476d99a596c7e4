"""Words counted by their stems, and words left out, for lexical retrievers.

Stems are those of the Snowball stemmers (Porter 1980, "An algorithm for suffix stripping"; https://snowballstem.org).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from longdoc import languages
from longdoc.errors import unknown
from longdoc.languages import Forms
from longdoc.stop_words import ENGLISH
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
    """The words of any script, by stems and without stop words.

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
    """The numbers of the words that are left out."""
    if stop_words == AUTO:
        return languages.stop_words(words, language)
    left_out = ENGLISH if isinstance(stop_words, str) else {term for word in stop_words or () for term in terms(word)}
    return {number for number, word in enumerate(words) if word in left_out}


def _stems(words: list[str], stem: str | None, language: str) -> Forms:
    if stem == AUTO:
        return languages.stems(words, language)
    return (languages.stemmed(words, stem) if stem else words), {}


class WithoutStopWords(ByCentroid):
    """An index of the words that are no stop words; a query of stop words alone is answered by `whole()`."""

    def __init__(self, index: WeightedIndex, counts: Counts, whole_function: Callable[[], WeightedIndex]) -> None:
        self._index, self._counts, self._make_whole_values = index, counts, whole_function

    @cached_property
    def _whole_weighted_index(self) -> WeightedIndex:
        return self._make_whole_values()

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        scores = self._index.scores(queries)
        bare_numbers = [
            number
            for number, query in enumerate(queries)
            if query.strip() and not scores[number].any() and not self._counts.forms(query)
        ]
        if bare_numbers:
            scores[bare_numbers] = self._whole_weighted_index.scores([queries[number] for number in bare_numbers])
        return scores

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return self._index.centroid_scores()
