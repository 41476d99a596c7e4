"""How much of a chunk's names other chunks mention: links that need no titles."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from chunkers import Chunk
from retrievers.shared.unit_features import Row, UnitFeatures, content_words


class NameLinks:
    """The names of some chunks (words with a capital, by their stems), and which of a question's words they hold."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._features = UnitFeatures(chunks)

    def question_words(self, question: str) -> frozenset[str]:
        """The stems of a question's words, without stop words."""
        return frozenset(content_words(question))

    def shared_words(self, question_words: frozenset[str]) -> list[frozenset[str]]:
        """Which of the question's words each chunk holds, its title counted."""
        return [question_words & words for words in self._features.words]

    def weighed_words(self, words: frozenset[str]) -> Row:
        """The share of words that each chunk holds, 0 to 1, the rarer ones weighing more; float64 [chunks]."""
        return self._features.held_row(set(words))

    def linked(self, chunk: int, question_words: frozenset[str]) -> Row:
        """How closely each chunk is linked to one by names that the question does not have: float64 [chunks], 0 to 1.

        A name weighs 1 / the number of chunks with it; the closest chunk has 1, and the chunk itself 0.
        """
        values = np.zeros(len(self._features.names))
        for name in sorted(self._features.names[chunk] - question_words):
            values[self._chunks_with[name]] += 1 / len(self._chunks_with[name])
        values[chunk] = 0.0
        return values / values.max() if values.any() else values

    @cached_property
    def _chunks_with(self) -> dict[str, list[int]]:
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, names in enumerate(self._features.names):
            for name in names:
                numbers[name].append(number)
        return dict(numbers)
