"""Where answers occur in a text, as whole words, in any case and with any punctuation between them.

A text is read once for all examples: the places of all answers' words are collected, and each answer is looked for
around the places of its rarest word. Words are those of `longdoc.words`: "café" is found however its accent is written,
and in scripts without spaces each letter is a word. For few answers that each have a rare word, only the text around
these words is read.

All positions are code points of the text, as everywhere.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from longdoc.characters import normal_form
from longdoc.words import word_places, words
from pipelines.metrics.shared.gold_spans import merged
from pipelines.records import Span

Answer = tuple[str, ...]  # its words

ANSWER_CHARACTERS = 200  # longer references are not quoted from a text word by word
MATCHES = 200  # at most, for the answers of one example
GAP = 3  # characters between two words of an answer
UNINFORMATIVE = {"yes", "no", "true", "false"}  # words of every text: their matches say nothing
MAX_ANSWERS_SEARCHED = 50  # answers; searching a text for so many takes as long as reading it once
PART = 100  # characters of a text that take as long to read as a further part of it takes to set up
SAMPLE = 10_000  # characters in which words are counted to find a rare one
ASCII_WORD = re.compile("[0-9A-Za-z]")


def matches(text: str, references: Sequence[Sequence[str]]) -> list[list[Span]]:
    """For each example, the spans of a text where its references occur, in order and merged.

    They occur as whole words, at most `GAP` characters apart; an example has at most `MATCHES`.
    """
    answers = [[answer for reference in reference if (answer := _answer_words(reference))] for reference in references]
    places = _Places(text, {answer for answers in answers for answer in answers})
    return [_example_spans(places, answer) for answer in answers]


def _answer_words(reference: str) -> Answer:
    """The words of a reference; none if it is too long or uninformative to be searched for."""
    answer = tuple(words(reference)) if len(reference) <= ANSWER_CHARACTERS else ()
    return () if " ".join(answer) in UNINFORMATIVE else answer


def _example_spans(places: "_Places", answers: Iterable[Answer]) -> list[Span]:
    spans: list[Span] = []
    for answer in answers:
        spans += places.spans(answer)[: MATCHES - len(spans)]
    return merged(spans)


class _Places:
    """The places of the answers' words in a text, in order; arrays, as a long text has a million of them.

    Each place has a word, the number of words before it, a start and an end. Each word has its places.
    """

    def __init__(self, text: str, answers: Collection[Answer]) -> None:
        self._ids = {word: number for number, word in enumerate({word for answer in answers for word in answer})}
        self._words, self._numbers, self._starts, self._ends = (array("q") for _ in range(4))
        self._places_by_word = [array("q") for _ in self._ids]
        self._spans: dict[Answer, list[Span]] = {}
        for start, end in _parts(text, answers):
            self._add(text[start:end], start)

    def _add(self, text: str, offset: int) -> None:
        first_number = self._numbers[-1] + 2 if self._numbers else 0  # not next to the last word of the part before
        for number, start, end, word in word_places(text, self._ids):
            self._places_by_word[self._ids[word]].append(len(self._words))
            self._words.append(self._ids[word])
            self._numbers.append(first_number + number)
            self._starts.append(offset + start)
            self._ends.append(offset + end)

    def spans(self, answer: Answer) -> list[Span]:
        """The first spans where an answer's words follow each other, at most `MATCHES`."""
        if answer not in self._spans:
            self._spans[answer] = list(islice(self._search(answer), MATCHES))
        return self._spans[answer]

    def _search(self, answer: Answer) -> Iterator[Span]:
        """The spans of an answer, found around the places of its rarest word."""
        ids = array("q", [self._ids[word] for word in answer])
        rarest = min(range(len(ids)), key=lambda n: len(self._places_by_word[ids[n]]))
        for place in self._places_by_word[ids[rarest]]:
            first, end = place - rarest, place - rarest + len(ids)
            if first >= 0 and self._words[first:end] == ids and self._close(first, end):
                yield self._starts[first], self._ends[end - 1]

    def _close(self, first: int, end: int) -> bool:
        """Whether no other words and few characters are between these places."""
        gaps = zip(self._ends[first : end - 1], self._starts[first + 1 : end], strict=True)
        has_other_words = self._numbers[end - 1] - self._numbers[first] >= end - first
        return not has_other_words and all(start - previous_end <= GAP for previous_end, start in gaps)


def _parts(text: str, answers: Collection[Answer]) -> list[Span]:
    """The parts of a text that can contain the answers: the whole text, or the surroundings of their rare words."""
    whole_span = [(0, len(text))] if answers else []
    if (
        len(answers) > MAX_ANSWERS_SEARCHED
        or not all(map(str.isascii, map("".join, answers)))
        or not _stands_for_itself(text)
    ):
        return whole_span
    lower_text, spans, characters = text.lower(), list[Span](), 0
    for start, end in chain.from_iterable(_surroundings(lower_text, answer) for answer in answers):
        spans.append((start, end))
        characters += end - start + PART
        if characters > len(text) // 2:
            return whole_span
    return merged(spans)


def _surroundings(lower_text: str, answer: Answer) -> Iterator[Span]:
    """The surroundings of each occurrence of an answer's rare word, one character wider than the answer can be.

    So a word that is cut at the edge cannot be taken for the answer's first or last. The rare word is the rarest of the
    three longest, counted in the beginning of the text.
    """
    longest = sorted(range(len(answer)), key=lambda n: -len(answer[n]))[:3]
    anchor = min(longest, key=lambda n: lower_text.count(answer[n], 0, SAMPLE))
    before = sum(len(word) + GAP for word in answer[:anchor]) + 1
    after = sum(len(word) + GAP for word in answer[anchor:]) + 1
    position = lower_text.find(answer[anchor])
    while position >= 0:
        yield max(position - before, 0), position + after
        position = lower_text.find(answer[anchor], position + 1)


def _stands_for_itself(text: str) -> bool:
    """Whether all words in normal ASCII form are written in ASCII, without ligatures "ﬁ" or soft hyphens."""
    return text.isascii() or all(
        letter.isascii() or ((form := normal_form(letter)) and not ASCII_WORD.search(form)) for letter in set(text)
    )
