"""What tells a unit that holds evidence from one that does not: numbers by which `evidence_ranker` learns to rank.

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
    """The numbers of one document's units, and of each question those that it changes."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        sizes = np.array([len(chunk.text.split()) for chunk in chunks], np.float64)
        self._sizes = np.maximum(sizes, 1.0)
        self._middles = np.cumsum(self._sizes) - self._sizes / 2
        parents = [chunk.parent or (chunk.start, chunk.end) for chunk in chunks]
        changes = [position for position in range(1, len(parents)) if parents[position] != parents[position - 1]]
        self._firsts = np.array([0, *changes], np.int64)  # where the units of another parent begin
        self._counts = np.diff([*self._firsts, len(parents)])
        self.parents = np.repeat(np.arange(len(self._counts)), self._counts)  # the number of each unit's parent
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
            for row, other_values in zip(signals, first_scores, strict=True)
            for column in (*self.signal_rows(standardized(row)), self._best(other_values, first))
        ]
        columns += self._text_rows(question, first)
        return np.stack([*columns, *self._place_rows], axis=1).astype(np.float32)

    def signal_rows(self, row: Row) -> list[Row]:
        """The numbers of a signal's standardized scores [units], those of `SIGNAL_NAMES` but the last."""
        order = steps(row)
        ranks = len(row) - np.searchsorted(np.sort(order), order, side="left")
        padded = np.pad(row, 2, mode="edge")
        window = np.mean([padded[position : position + len(row)] for position in range(5)], axis=0)
        best = np.repeat(np.maximum.reduceat(row, self._firsts), self._counts)
        mean = np.repeat(np.add.reduceat(row, self._firsts) / self._counts, self._counts)
        spreads = [standardized(self._spread(row, words)) for words in SPREADS]
        return [row, padded[1:-3], padded[3:-1], window, best, mean, *spreads, np.log(ranks), 1 / ranks]

    def _spread(self, row: Row, words: int) -> Row:
        """The sum of all scores, each the less the farther away: 1/e of it at a distance of `words`, as in `spread`."""
        kept_values = np.exp(-np.diff(self._middles) / words)
        return np.asarray(_carried_row(row, kept_values) + _carried_row(row[::-1], kept_values[::-1])[::-1] - row)

    def _best(self, other_values: Scores, first: Sequence[int]) -> Row:
        """The best score for one of the first units, not itself."""
        values = np.stack([standardized(row) for row in other_values])
        values[np.arange(len(first)), first] = -np.inf
        best = values.max(axis=0)
        return np.where(np.isfinite(best), best, 0.0)

    def _text_rows(self, question: str, first: Sequence[int]) -> list[Row]:
        asked_names = set(content_words(question))
        names = {word for name in _NAME.findall(question) for word in content_words(name)}
        new = set().union(*(self.words[position] for position in first[:2])) - asked_names
        titles = [set(content_words(title)) for title in self._distinct]
        named_names = {title for title in self._distinct if _has(asked_names, question, title)}
        share = [len(title & asked_names) / max(1, len(title)) for title in titles]
        shares = dict(zip(self._distinct, share, strict=True))
        return [
            self.held_row(asked_names), self.held_row(names), self.held_row(set(_NUMBER.findall(question))),
            np.array([float(title in named_names) for title in self._titles]),
            np.array([shares.get(title, 0.0) for title in self._titles]),
            self.mentioned(first), self.mentioning(first), self.held_row(new),
        ]  # fmt: skip

    def held_row(self, wanted_words: set[str], known_words: Container[str] = ()) -> Row:
        """The share of words in each unit, the rarer ones weighing more; `known_words` count as if all units had them.

        float64 [units]."""
        values, total = np.zeros(len(self._chunks)), 0.0
        for word in sorted(wanted_words):
            holding_numbers = self._units_with.get(word, ())
            weight = np.log1p(len(self._chunks) / (1 + len(holding_numbers)))
            total += weight
            values[slice(None) if word in known_words else list(holding_numbers)] += weight
        return values / total if total else values

    def mentioned(self, first: Sequence[int]) -> Row:
        """1 / rank of the best of the first units that mentions the unit's title, not its own."""
        values: dict[str, float] = {}
        for rank, position in enumerate(first, 1):
            for title in self._distinct:
                if title != self._titles[position] and _has(self.words[position], self._chunks[position].text, title):
                    values.setdefault(title, 1 / rank)
        return np.array([values.get(title, 0.0) for title in self._titles])

    def mentioning(self, first: Sequence[int]) -> Row:
        """1 / rank of the best of the first units whose title the unit mentions, not being its own."""
        values = np.zeros(len(self._chunks))
        for rank, position in enumerate(first, 1):
            if not (title := self._titles[position]):
                continue
            words = [self._units_with.get(word, ()) for word in content_words(title)]
            holding_units = set(words[0]).intersection(*words[1:]) if words else set()
            for unit in holding_units:
                if self._titles[unit] != title and title.casefold() in self._chunks[unit].text.casefold():
                    values[unit] = max(values[unit], 1 / rank)
        return values

    @cached_property
    def _distinct(self) -> list[str]:
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
        found_defaultdict: defaultdict[str, list[int]] = defaultdict(list)
        for unit, held_words in enumerate(self.words):
            for word in held_words:
                found_defaultdict[word].append(unit)
        return dict(found_defaultdict)

    @cached_property
    def _place_rows(self) -> list[Row]:
        count = len(self._chunks)
        place = np.arange(count) / max(1, count - 1)
        first, last = np.zeros(count), np.zeros(count)
        first[self._firsts] = 1
        last[self._firsts + self._counts - 1] = 1
        ends = [chunk.text.rstrip()[-1:] for chunk in self._chunks]
        question, colon = (np.array([float(end in marks) for end in ends]) for marks in (("?",), (":", ";")))
        return [np.log1p(self._sizes), (self._sizes < 6) * 1.0, place, place**2, first, last, question, colon]


def content_words(text: str) -> list[str]:
    """The stems of the words of a text, English ones; without its frequent words."""
    return _content()(text)


@cache
def _content() -> Words:
    return counted_words("english", "english")


def standardized(row: npt.NDArray[np.floating]) -> Row:
    """Scores less their mean, over their standard deviation; 0 where all tie (to 1e-6)."""
    row = row.astype(np.float64)
    return np.asarray((row - row.mean()) / row.std() if np.ptp(steps(row)) else np.zeros(len(row)))


def _carried_row(row: Row, kept_values: Row) -> Row:
    """Each score and all before it, reduced by the factors `kept_values` between."""
    values = row.tolist()
    steps_on = zip(values[1:], kept_values.tolist(), strict=True)
    return np.array(list(accumulate(steps_on, lambda total, pair: total * pair[1] + pair[0], initial=values[0])))


def _has(words: set[str], text: str, title: str) -> bool:
    """Whether a text with these words mentions a title."""
    names = set(content_words(title))
    return bool(names) and names <= words and title.casefold() in text.casefold()
