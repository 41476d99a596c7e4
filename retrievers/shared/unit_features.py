"""Features of units, from which `evidence_ranker` learns which ones contain evidence.

Of each signal (a retriever's scores, standardized within the document): the unit's own, its neighbours', the best and
the mean of what it is part of, the sum over what is around it (see `spread`), its rank. Of the texts: what of
the question's words, names and numbers is in the unit, whether its title is in the question, whether it mentions the
title of a unit that ranks first or is mentioned there, its length and its place.
"""

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from functools import cache, cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt
import regex

from chunkers import Chunk
from retrievers._contract import Scores
from retrievers.shared.counts import Words
from retrievers.shared.ranking import steps
from retrievers.shared.word_forms import counted_words

Row = npt.NDArray[np.float64]

SPREADS = (50, 150, 400, 1000)  # words
FIRST = 3  # units that rank first by the sum of the signals: their titles and words lead to others
SIGNAL_NAMES = (
    "score", "before", "after", "window", "best of parent", "mean of parent",
    *(f"spread over {words} words" for words in SPREADS), "logarithm of rank", "1 / rank", "for first units",
)  # fmt: skip
TEXT_NAMES = (
    "words in question", "names in question", "numbers in question", "title in question", "title's words in question",
    "title in a first unit", "mentions a first unit's title", "words of first units",
)  # fmt: skip
PLACE_NAMES = (
    "logarithm of words", "fewer than 6 words", "position", "position squared", "first of parent", "last of parent",
    "ends as a question", "ends with a colon",
)  # fmt: skip

NAME_PATTERN = regex.compile(r"\b\p{Lu}\w+")
_NAME = regex.compile(r"(?<!^)\b\p{Lu}\w+")
_NUMBER = re.compile(r"\d+")
_BRACKETS_PATTERN = re.compile(r"\s*\([^()]*\)\s*$")  # what tells titles apart: "Ed Wood (film)"


def feature_names(signals: Sequence[str]) -> tuple[str, ...]:
    """The columns of `UnitFeatures.table`, for signals of these names."""
    return (*(f"{signal}: {name}" for signal in signals for name in SIGNAL_NAMES), *TEXT_NAMES, *PLACE_NAMES)


class UnitFeatures:
    """Features of one document's units; those of the document alone are computed once for all questions."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        sizes = np.array([len(chunk.text.split()) for chunk in chunks], np.float64)
        self._sizes = np.maximum(sizes, 1.0)
        self._middles = np.cumsum(self._sizes) - self._sizes / 2
        parents = [chunk.parent or (chunk.start, chunk.end) for chunk in chunks]
        changes = [position for position in range(1, len(parents)) if parents[position] != parents[position - 1]]
        self._parent_starts = np.array([0, *changes], np.int64)  # where the units of another parent begin
        self._parent_sizes = np.diff([*self._parent_starts, len(parents)])
        self.parents = np.repeat(
            np.arange(len(self._parent_sizes)), self._parent_sizes
        )  # the number of each unit's parent
        self._titles = [_BRACKETS_PATTERN.sub("", (chunk.label or "").rpartition(" > ")[2]) for chunk in chunks]

    def first(self, signals: Sequence[Scores]) -> list[int]:
        """The units that rank first by the sum of the signals' standardized scores [units]."""
        total = np.sum([standardized(row) for row in signals], axis=0)
        return list(np.argsort(-total, kind="stable")[:FIRST].tolist())

    def table(
        self, question: str, signals: Sequence[Scores], first: Sequence[int], first_scores: Sequence[Scores]
    ) -> Scores:
        """float32 [units, features].

        `signals` are the scores [units] that each signal gives for the question, `first_scores` those [first units,
        units] that it gives for the texts of the units that rank first.
        """
        columns = [
            column
            for row, scores_for_first in zip(signals, first_scores, strict=True)
            for column in (*self.signal_rows(standardized(row)), self._best_for_first(scores_for_first, first))
        ]
        columns += self._text_rows(question, first)
        return np.stack([*columns, *self._place_rows], axis=1).astype(np.float32)

    def signal_rows(self, row: Row) -> list[Row]:
        """The features of a signal, from its standardized scores [units]: those of `SIGNAL_NAMES` without the last."""
        order = steps(row)
        ranks = len(row) - np.searchsorted(np.sort(order), order, side="left")
        padded = np.pad(row, 2, mode="edge")
        window = np.mean([padded[position : position + len(row)] for position in range(5)], axis=0)
        best = np.repeat(np.maximum.reduceat(row, self._parent_starts), self._parent_sizes)
        mean = np.repeat(np.add.reduceat(row, self._parent_starts) / self._parent_sizes, self._parent_sizes)
        spreads = [standardized(self._spread(row, words)) for words in SPREADS]
        return [row, padded[1:-3], padded[3:-1], window, best, mean, *spreads, np.log(ranks), 1 / ranks]

    def _spread(self, row: Row, words: int) -> Row:
        """The sum of all scores, each the less the farther away: 1/e of it at a distance of `words`, as in `spread`."""
        decay = np.exp(-np.diff(self._middles) / words)
        return np.asarray(_decayed_sums(row, decay) + _decayed_sums(row[::-1], decay[::-1])[::-1] - row)

    def _best_for_first(self, first_scores: Scores, first: Sequence[int]) -> Row:
        """For each unit, its best standardized score for the text of another first unit."""
        scores = np.stack([standardized(row) for row in first_scores])
        scores[np.arange(len(first)), first] = -np.inf
        best = scores.max(axis=0)
        return np.where(np.isfinite(best), best, 0.0)

    def _text_rows(self, question: str, first: Sequence[int]) -> list[Row]:
        question_words = set(content_words(question))
        question_names = {word for name in _NAME.findall(question) for word in content_words(name)}
        new_words = set().union(*(self.words[position] for position in first[:2])) - question_words
        title_words = [set(content_words(title)) for title in self._distinct_titles]
        titles_in_question = {
            title for title in self._distinct_titles if _mentions_title(question_words, question, title)
        }
        title_shares = {
            title: len(words & question_words) / max(1, len(words))
            for title, words in zip(self._distinct_titles, title_words, strict=True)
        }
        return [
            self.word_shares(question_words), self.word_shares(question_names),
            self.word_shares(set(_NUMBER.findall(question))),
            np.array([float(title in titles_in_question) for title in self._titles]),
            np.array([title_shares.get(title, 0.0) for title in self._titles]),
            self.mentioned_by(first), self.mentions_of(first), self.word_shares(new_words),
        ]  # fmt: skip

    def word_shares(self, words: set[str], covered_words: Container[str] = ()) -> Row:
        """float64 [units]: the share of `words` in each unit, rarer words weighing more.

        `covered_words` count as if all units had them."""
        weights, total = np.zeros(len(self._chunks)), 0.0
        for word in sorted(words):
            unit_ids = self._units_with.get(word, ())
            weight = np.log1p(len(self._chunks) / (1 + len(unit_ids)))
            total += weight
            weights[slice(None) if word in covered_words else list(unit_ids)] += weight
        return weights / total if total else weights

    def mentioned_by(self, first: Sequence[int]) -> Row:
        """For each unit, 1 / rank of the first of `first` that mentions the unit's title; 0 where none does."""
        reciprocal_ranks: dict[str, float] = {}
        for rank, position in enumerate(first, 1):
            for title in self._distinct_titles:
                if title != self._titles[position] and _mentions_title(
                    self.words[position], self._chunks[position].text, title
                ):
                    reciprocal_ranks.setdefault(title, 1 / rank)
        return np.array([reciprocal_ranks.get(title, 0.0) for title in self._titles])

    def mentions_of(self, first: Sequence[int]) -> Row:
        """For each unit, 1 / rank of the first of `first` whose title the unit mentions; 0 where there is none."""
        reciprocal_ranks = np.zeros(len(self._chunks))
        for rank, position in enumerate(first, 1):
            if not (title := self._titles[position]):
                continue
            units_by_word = [self._units_with.get(word, ()) for word in content_words(title)]
            holding_units = set(units_by_word[0]).intersection(*units_by_word[1:]) if units_by_word else set()
            for unit in holding_units:
                if self._titles[unit] != title and title.casefold() in self._chunks[unit].text.casefold():
                    reciprocal_ranks[unit] = max(reciprocal_ranks[unit], 1 / rank)
        return reciprocal_ranks

    @cached_property
    def _distinct_titles(self) -> list[str]:
        return [title for title in dict.fromkeys(self._titles) if title]

    @cached_property
    def words(self) -> list[set[str]]:
        """The words of each unit and its title."""
        return [
            set(content_words(f"{title} {chunk.text}")) for title, chunk in zip(self._titles, self._chunks, strict=True)
        ]

    @cached_property
    def names(self) -> list[set[str]]:
        """The words with a capital of each unit and its title."""
        return [
            {word for name in NAME_PATTERN.findall(f"{chunk.label or ''} {chunk.text}") for word in content_words(name)}
            for chunk in self._chunks
        ]

    @cached_property
    def _units_with(self) -> dict[str, list[int]]:
        units: defaultdict[str, list[int]] = defaultdict(list)
        for unit, words in enumerate(self.words):
            for word in words:
                units[word].append(unit)
        return dict(units)

    @cached_property
    def _place_rows(self) -> list[Row]:
        count = len(self._chunks)
        position = np.arange(count) / max(1, count - 1)
        first, last = np.zeros(count), np.zeros(count)
        first[self._parent_starts] = 1
        last[self._parent_starts + self._parent_sizes - 1] = 1
        ends = [chunk.text.rstrip()[-1:] for chunk in self._chunks]
        question, colon = (np.array([float(end in marks) for end in ends]) for marks in (("?",), (":", ";")))
        return [np.log1p(self._sizes), (self._sizes < 6) * 1.0, position, position**2, first, last, question, colon]


def content_words(text: str) -> list[str]:
    """The English stems of a text's words, without stop words."""
    return _content()(text)


@cache
def _content() -> Words:
    return counted_words("english", "english")


def standardized(row: npt.NDArray[np.floating]) -> Row:
    """Z-scores [units]; 0 where all scores tie (to 1e-6)."""
    row = row.astype(np.float64)
    return np.asarray((row - row.mean()) / row.std() if np.ptp(steps(row)) else np.zeros(len(row)))


def _decayed_sums(row: Row, factors: Row) -> Row:
    """Running sum of scores, multiplied by the next of `factors` at each step."""
    scores = row.tolist()
    pairs = zip(scores[1:], factors.tolist(), strict=True)
    return np.array(list(accumulate(pairs, lambda total, pair: total * pair[1] + pair[0], initial=scores[0])))


def _mentions_title(words: set[str], text: str, title: str) -> bool:
    """Whether a text, whose content words are `words`, mentions a title."""
    title_words = set(content_words(title))
    return bool(title_words) and title_words <= words and title.casefold() in text.casefold()
