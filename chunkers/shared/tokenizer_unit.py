"""Counting by a tokenizer of `tokenizers`: its tokens, and where a text may be cut between them.

A tokenizer that cuts at white space gives a word the same tokens wherever it stands, and most words of a text come
again: each different one is encoded once. Whether a tokenizer is of this kind is tried on two parts of the text.
"""

import copy
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from chunkers.shared.units import Pieces
from chunkers.shared.words import Offsets, white_space
from longdoc.code_points import encodable

PIECE = 10_000  # characters given to a tokenizer at once: their time on one huge string grows faster than its length
_BATCH = 64  # pieces encoded together: bounds the memory that encodings take
_BLOCK = 1_000_000  # characters whose words are looked up together: bounds the memory
# A word with the white space before it that its tokens may depend on: the last character, all of it, or spaces alone.
# White space that goes with no word is a piece by itself.
_WORDS = (
    re.compile(rf"\s?\S{{1,{PIECE}}}|\s{{1,{PIECE}}}(?!\S)"),
    re.compile(rf"\s{{1,{PIECE}}}\S{{0,{PIECE}}}|\S{{1,{PIECE}}}"),
    re.compile(rf" {{1,{PIECE}}}[^ ]{{0,{PIECE}}}|[^ ]{{1,{PIECE}}}"),
)
_SPACE = re.compile(r"\s")

Positions = npt.NDArray[np.int64]


class Tokenizer:
    """A `tokenizers.Tokenizer`, without special tokens, truncation or padding."""

    exact = False

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def count(self, text: str) -> int:
        """The number of tokens of `text`, encoded as one string."""
        return len(self._untruncated().encode(encodable(text), add_special_tokens=False))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, long ones encoded in pieces."""
        numbers = [0] * len(texts)
        parts = ((i, start, end) for i, text in enumerate(texts) for start, end in _parts(text))
        while batch := list(islice(parts, _BATCH)):
            part_counts = self.exact_counts([texts[i][start:end] for i, start, end in batch])
            for (i, _, _), count in zip(batch, part_counts, strict=True):
                numbers[i] += count
        return numbers

    def exact_counts(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, each encoded as one string."""
        encodings = self._untruncated().encode_batch_fast(list(map(encodable, texts)), add_special_tokens=False)
        return list(map(len, encodings))

    def pieces(self, text: str) -> Pieces:
        """The tokens; those that share a character stay together, those of white space alone go with the next."""
        starts, first = self._starts(text), 0
        spans, before = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
        for start, end in _blocks(text):
            last = int(np.searchsorted(starts, end)) if end < len(text) else len(starts)
            block_spans, block_before = _groups(text[start:end], starts[first:last] - start)
            spans.append(block_spans + start)
            before.append(block_before + first)
            first = last
        return Pieces(np.concatenate(spans), np.concatenate([*before, np.array([len(starts)])]))

    def remark(self, text: str) -> None:
        """Nothing."""

    def _untruncated(self) -> Any:
        """The tokenizer, which neither truncates nor pads; a user's own that does keeps its settings."""
        if self.tokenizer.truncation or self.tokenizer.padding:
            self.tokenizer = copy.deepcopy(self.tokenizer)  # takes 0.1 s
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
        return self.tokenizer

    def _starts(self, text: str) -> Positions:
        """Where each token of a text starts, in order."""
        parts = list(_parts(text))
        trials = [text[start:end] for start, end in (parts[0], parts[len(parts) // 2])] if len(parts) > 2 else []
        expected = list(map(self._starts_by_part, trials))
        for pattern in _WORDS if trials else ():
            starts = (self._starts_by_word(trial, pattern) for trial in trials)
            if all(map(np.array_equal, starts, expected)):
                return self._starts_by_word(text, pattern)
        return self._starts_by_part(text)

    def _starts_by_part(self, text: str) -> Positions:
        parts, starts = _parts(text), [np.empty(0, np.int64)]
        while batch := list(islice(parts, _BATCH)):
            strings = [encodable(text[start:end]) for start, end in batch]
            encodings = self._untruncated().encode_batch(strings, add_special_tokens=False)
            for (start, _), encoding in zip(batch, encodings, strict=True):
                starts.append(np.array([start + begin for begin, _ in encoding.offsets], np.int64))
        return np.concatenate(starts)

    def _starts_by_word(self, text: str, pattern: re.Pattern[str]) -> Positions:
        """The same where no word's tokens depend on what surrounds it: each different one is encoded once."""
        ids, starts = defaultdict[str, int](), [np.empty(0, np.int64)]
        ids.default_factory = ids.__len__  # a new word gets the next number
        lengths, counts, places = (np.empty(0, np.int64) for _ in range(3))
        for start, end in _blocks(text):
            words, known_count = pattern.findall(text, start, end), len(ids)
            numbers = np.fromiter(map(ids.__getitem__, words), np.int64, len(words))
            new_words = list(islice(ids, known_count, None))
            new_counts, new_places = self._word_tokens(new_words)
            counts, places = np.append(counts, new_counts), np.append(places, new_places)
            lengths = np.append(lengths, _lengths(new_words))
            sizes = lengths[numbers]
            word_starts = start + np.cumsum(sizes) - sizes
            firsts = (np.cumsum(counts) - counts)[numbers]
            starts.append(places[_ranges(firsts, counts[numbers])] + np.repeat(word_starts, counts[numbers]))
        return np.concatenate(starts)

    def _word_tokens(self, words: list[str]) -> tuple[Positions, Positions]:
        """The number of tokens of each word, and where each token starts in its word; the words are encoded as text."""
        sizes = _lengths(words)
        starts = self._starts_by_part("".join(words))
        word_starts = np.cumsum(sizes) - sizes
        word = np.searchsorted(word_starts, starts, "right") - 1
        return np.bincount(word, minlength=len(words)), starts - word_starts[word]


def _lengths(texts: Sequence[str]) -> Positions:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _ranges(starts: Positions, counts: Positions) -> Positions:
    """The numbers from each start on, as many as its count says, one range behind the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _groups(text: str, starts: Positions) -> tuple[Offsets, Positions]:
    """Spans from each character where a token starts up to the next such, and the number of tokens before each.

    A byte-level token can be part of a character, and a normalizer can drop characters: the first start together and
    the second go with the token before (at the start, alone), so that no character is cut and none is lost.
    """
    visible = np.flatnonzero(~white_space(text))
    if not len(visible):
        return np.empty((0, 2), np.int64), np.empty(0, np.int64)
    place = np.searchsorted(visible, starts)  # a token that starts with white space starts behind it
    tokens = np.flatnonzero(place < len(visible))
    group_starts, index = np.unique(np.append(visible[0], visible[place[tokens]]), return_index=True)
    last = np.searchsorted(visible, np.append(group_starts[1:], len(text))) - 1
    return np.stack((group_starts, visible[last] + 1), axis=1), np.append(0, tokens)[index]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of about a million characters, cut before white space where there is some."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _BLOCK)
        end = space.start() if space else len(text)
        yield start, end
        start = end


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of at most `PIECE` characters, cut before a line break or other white space where there is one."""
    start = 0
    while len(text) - start > PIECE:
        reach = start + PIECE
        lead = next((i for i in range(start, reach) if not text[i].isspace()), reach)
        end = text.rfind("\n", lead, reach + 1)
        if end < 0:
            end = next((i for i in range(reach, lead, -1) if text[i].isspace()), reach)
        while end - 1 > lead and text[end - 1].isspace():  # tokenizers that mark word starts want all of it ahead
            end -= 1
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)
