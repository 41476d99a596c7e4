"""Where answers occur in a text, as whole words, in any case and with any punctuation between them.

A text is gone through once for all examples: the places of the words that some answer has are kept, and each answer is
looked for around the places of its rarest word. A word is what `longdoc.words` says: "café" is found however its accent
is written, and in scripts without spaces each letter is a word. Where few answers are searched, and each has a rare
word, only the text around these is gone through.

All positions are code points of the text, as everywhere.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice

from longdoc.normal_forms import normal_form
from longdoc.words import word_places, words
from pipelines.metrics.evidence_recall import merged
from pipelines.records import Span

Answer = tuple[str, ...]  # its words

ANSWER_CHARACTERS = 200  # longer references are not quoted from a text word by word
MATCHES = 200  # at most, for the answers of one example
GAP = 3  # characters between two words of an answer
UNINFORMATIVE = {"yes", "no", "true", "false"}  # words of every text: their matches say nothing
MAX_ANSWERS_SEARCHED = 50  # answers: to search a text for each takes about as long as to go through it once
PART = 100  # characters of a text that are gone through in the time that a part of it costs by itself
SAMPLE = 10_000  # characters in which words are counted to find a rare one
ASCII_WORD = re.compile("[0-9A-Za-z]")


def matches(text: str, references: Sequence[Sequence[str]]) -> list[list[Span]]:
    """For each example, where its references occur in a text, in order, merged.

    They occur as whole words, at most `GAP` characters apart; an example has at most `MATCHES`.
    """
    answers = [[answer for reference in reference if (answer := _answer_words(reference))] for reference in references]
    places = _Places(text, {answer for answers in answers for answer in answers})
    return [_example_spans(places, answer) for answer in answers]


def _answer_words(reference: str) -> Answer:
    """The words of a reference; none where it is not searched for."""
    answer = tuple(words(reference)) if len(reference) <= ANSWER_CHARACTERS else ()
    return () if " ".join(answer) in UNINFORMATIVE else answer


def _example_spans(places: "_Places", answers: Iterable[Answer]) -> list[Span]:
    spans: list[Span] = []
    for answer in answers:
        spans += places.spans(answer)[: MATCHES - len(spans)]
    return merged(spans)


class _Places:
    """The places of the answers' words in a text, in order; as arrays, since a long text has a million of them.

    Of each place there are the word, the number of words before it, start and end. Of each word there are its places.
    """

    def __init__(self, text: str, answers: Collection[Answer]) -> None:
        self._ids = {word: number for number, word in enumerate({word for answer in answers for word in answer})}
        self._words, self._numbers, self._starts, self._ends = (array("q") for _ in range(4))
        self._places_by_word = [array("q") for _ in self._ids]
        self._spans: dict[Answer, list[Span]] = {}
        for start, end in _parts(text, answers):
            self._add(text[start:end], start)

    def _add(self, part: str, offset: int) -> None:
        before = self._numbers[-1] + 2 if self._numbers else 0  # no neighbour of what another part has
        for number, start, end, word in word_places(part, self._ids):
            self._places_by_word[self._ids[word]].append(len(self._words))
            self._words.append(self._ids[word])
            self._numbers.append(before + number)
            self._starts.append(offset + start)
            self._ends.append(offset + end)

    def spans(self, answer: Answer) -> list[Span]:
        """The first places where the words of an answer follow each other, `MATCHES` at most."""
        if answer not in self._spans:
            self._spans[answer] = list(islice(self._search(answer), MATCHES))
        return self._spans[answer]

    def _search(self, answer: Answer) -> Iterator[Span]:
        """The places of an answer, looked for around the places of its rarest word."""
        ids = array("q", [self._ids[word] for word in answer])
        rarest = min(range(len(ids)), key=lambda n: len(self._places_by_word[ids[n]]))
        for place in self._places_by_word[ids[rarest]]:
            first, end = place - rarest, place - rarest + len(ids)
            if first >= 0 and self._words[first:end] == ids and self._close(first, end):
                yield self._starts[first], self._ends[end - 1]

    def _close(self, first: int, end: int) -> bool:
        """Whether there are no other words between these places, and few characters."""
        between = zip(self._ends[first : end - 1], self._starts[first + 1 : end], strict=True)
        has_other_words = self._numbers[end - 1] - self._numbers[first] >= end - first
        return not has_other_words and all(start - before <= GAP for before, start in between)


def _parts(text: str, answers: Collection[Answer]) -> list[Span]:
    """The parts of a text that can hold the answers: all of it, or what is around rare words of a few."""
    full_span = [(0, len(text))] if answers else []
    if (
        len(answers) > MAX_ANSWERS_SEARCHED
        or not all(map(str.isascii, map("".join, answers)))
        or not _stands_for_itself(text)
    ):
        return full_span
    lower_text, spans, characters = text.lower(), list[Span](), 0
    for start, end in chain.from_iterable(_surroundings(lower_text, answer) for answer in answers):
        spans.append((start, end))
        characters += end - start + PART
        if characters > len(text) // 2:
            return full_span
    return merged(spans)


def _surroundings(lower_text: str, answer: Answer) -> Iterator[Span]:
    """The text around each occurrence of a rare word of an answer, one character more than the answer can take.

    Of a word that lies across the edge there is then too much for it to be the answer's first or last. The word is the
    rarest of the three longest, in the beginning of the text.
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
    """Whether all words of ASCII letters and digits are written in these: a ligature "ﬁ" or a soft hyphen is not."""
    return text.isascii() or all(
        letter.isascii() or ((form := normal_form(letter)) and not ASCII_WORD.search(form)) for letter in set(text)
    )
