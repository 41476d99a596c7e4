"""Words counted by their stems, and words left out, for lexical retrievers.

Stems are those of the Snowball stemmers (Porter 1980, "An algorithm for suffix stripping"; https://snowballstem.org).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from longdoc.errors import unknown
from longdoc.words import terms
from retrievers import Scores
from retrievers.shared.counts import WeightedIndex, Words
from retrievers.shared.ranking import ByCentroid
from retrievers.shared.stop_words import ENGLISH


def check_stemmer(language: str, field: str) -> None:
    """Raises `UserError` for a language without a stemmer."""
    import Stemmer

    if language not in Stemmer.algorithms():
        raise unknown(field, language, Stemmer.algorithms())


def stemmed(words: Words, language: str | None) -> Words:
    """The words counted by their stems in a language; None: as they are."""
    if language is None:
        return words

    def stems(names: list[str]) -> list[str]:
        import Stemmer

        return list(Stemmer.Stemmer(language).stemWords(names))  # one each time: it is not safe between threads

    return replace(words, forms=stems)


def without_stop_words(words: Words, stop_words: str | Sequence[str]) -> Words:
    """The words save stop words: "english", or a list in which capitals do not matter."""
    left_out_names = (
        ENGLISH if isinstance(stop_words, str) else frozenset(term for word in stop_words for term in terms(word))
    )
    return replace(words, left_out=left_out_names)


class WithoutStopWords(ByCentroid):
    """An index of the words that are no stop words; a query of stop words alone is answered by `whole()`."""

    def __init__(self, index: WeightedIndex, words: Words, whole_function: Callable[[], WeightedIndex]) -> None:
        self._index, self._words, self._make_whole_values = index, words, whole_function

    @cached_property
    def _whole_weighted_index(self) -> WeightedIndex:
        return self._make_whole_values()

    def scores(self, queries: Sequence[str]) -> Scores:
        """float32 [queries, chunks]; 0 where they share no word."""
        scores = self._index.scores(queries)
        bare_numbers = [number for number, query in enumerate(queries) if query.strip() and not self._words(query)]
        if bare_numbers:
            scores[bare_numbers] = self._whole_weighted_index.scores([queries[number] for number in bare_numbers])
        return scores

    def centroid_scores(self) -> npt.NDArray[np.float64]:
        """float64 [chunks], the inner products with the document's weights."""
        return self._index.centroid_scores()
