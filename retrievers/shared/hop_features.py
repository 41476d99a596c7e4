"""Features of units computed from a first ranking, for questions whose evidence is in several places.

The units that rank first (`leading`) answer a part of the question. A unit that holds the rest of its words, that is
linked to a leading one by a title or a name, or that stands beside it, is the next hop (compare Xiong et al. 2021,
"Answering Complex Open-Domain Questions with Multi-Hop Dense Retrieval": the question is asked again with what was
retrieved; here by words).
"""

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from retrievers.shared.unit_features import NAME_PATTERN, Row, UnitFeatures, content_words, standardized

LEADING = 4
RANKED_NAMES = (
    "logit", "best other logit less it", "before", "after", "window", "best of parent", "mean of parent",
    *(f"spread over {words} words" for words in (50, 150, 400, 1000)), "logarithm of rank", "1 / rank",
)  # fmt: skip
LEADING_NAMES = ("leading units of its parent", "title in a leading unit", "mentions a leading unit's title")
WORD_NAMES = (
    "question's words that no leading unit holds", "question's words, with a leading unit's",
    "new words of leading units", "new names of leading units", "names of leading units in the title",
)  # fmt: skip
QUESTION_NAMES = (
    "words of the question", "names in the question", "share of it that leading units hold", "units of the document",
    "titles of the document", "asks yes or no",
)  # fmt: skip
HOP_NAMES = tuple(f"first ranking: {name}" for name in (*RANKED_NAMES, *LEADING_NAMES, *WORD_NAMES, *QUESTION_NAMES))

_YES_OR_NO = re.compile(r"\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|shall|will)\b", re.I)


class HopFeatures:
    """Features of one document's units after a first ranking."""

    def __init__(self, chunks: Sequence[Chunk], features: UnitFeatures) -> None:
        self._chunks, self._features = chunks, features

    def table(self, question: str, logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        """float32 [units, len(HOP_NAMES)], for the logits [units] of a first ranking."""
        leading = np.argsort(-logits, kind="stable")[:LEADING].tolist()
        columns = [
            *self._ranked_rows(logits), *self._leading_rows(leading), *self._word_rows(question, leading),
            *self._question_rows(question, leading),
        ]  # fmt: skip
        return np.stack(columns, axis=1).astype(np.float32)

    def _ranked_rows(self, logits: npt.NDArray[np.float64]) -> list[Row]:
        sorted_logits = np.sort(logits)[::-1]
        second = sorted_logits[1] if len(sorted_logits) > 1 else sorted_logits[0]
        best_other = np.where(logits >= sorted_logits[0], second, sorted_logits[0])
        _, *rows = self._features.signal_rows(standardized(logits))
        return [logits, best_other - logits, *rows]

    def _leading_rows(self, leading: Sequence[int]) -> list[Row]:
        parents = self._features.parents
        sibling_counts: Row = np.stack([parents == parents[position] for position in leading]).sum(
            axis=0, dtype=np.float64
        )
        sibling_counts[list(leading)] -= 1
        return [sibling_counts, self._features.mentioned_by(leading), self._features.mentions_of(leading)]

    def _word_rows(self, question: str, leading: Sequence[int]) -> list[Row]:
        question_words = set(content_words(question))
        words_by_unit = [self._features.words[position] & question_words for position in leading]
        missing_words = question_words.difference(*words_by_unit)
        shares_with_unit = np.max(
            [self._features.word_shares(question_words, covered_words=words) for words in words_by_unit], axis=0
        )
        new_words = [self._features.words[position] - question_words for position in leading]
        new_names = [self._features.names[position] - question_words for position in leading]
        return [
            self._features.word_shares(missing_words), shares_with_unit, self._best_word_shares(new_words, leading),
            self._best_word_shares(new_names, leading), self._title_shares(set().union(*new_names)),
        ]  # fmt: skip

    def _best_word_shares(self, words_of_leading: Sequence[set[str]], leading: Sequence[int]) -> Row:
        """For each unit, the largest share of another leading unit's words that it contains."""
        best = np.zeros(len(self._chunks))
        for words, position in zip(words_of_leading, leading, strict=True):
            row = self._features.word_shares(words)
            row[position] = 0.0
            best = np.maximum(best, row)
        return best

    def _title_shares(self, names: set[str]) -> Row:
        """The share of the words of each unit's title that are in `names`."""
        return np.array([len(words & names) / max(1, len(words)) for words in self._title_words])

    def _question_rows(self, question: str, leading: Sequence[int]) -> list[Row]:
        question_words = set(content_words(question))
        shared_words = question_words.intersection(
            set().union(*(self._features.words[position] for position in leading))
        )
        names = set(NAME_PATTERN.findall(question))
        values = (
            len(question_words), len(names), len(shared_words) / max(1, len(question_words)),
            np.log1p(len(self._chunks)), np.log1p(self._title_count), float(_YES_OR_NO.match(question) is not None),
        )  # fmt: skip
        return [np.full(len(self._chunks), float(value)) for value in values]

    @cached_property
    def _title_count(self) -> int:
        return len({chunk.label for chunk in self._chunks})

    @cached_property
    def _title_words(self) -> list[set[str]]:
        return [set(content_words((chunk.label or "").rpartition(" > ")[2])) for chunk in self._chunks]
