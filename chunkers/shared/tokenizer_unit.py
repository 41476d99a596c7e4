"""Counts tokens with a tokenizer of `tokenizers`, and finds where a text may be cut between them.

A tokenizer that cuts at white space gives a word the same tokens wherever it stands, and most words of a text come
again: each different one is encoded once. Whether a tokenizer is of this kind is tried on parts of the text. Where it
cuts at every space a word's tokens depend on nothing else, and are kept for the next text.
"""

import copy
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from itertools import chain, compress, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunkers.shared.unit import Pieces
from chunkers.shared.words import Offsets, white_space
from longdoc.characters import encodable

PIECE = 10_000  # characters given to a tokenizer at once: their time on one huge string grows faster than its length
_SAMPLE_COUNT = 8  # parts that are tried, of an eighth of a piece each
_BATCH = 64  # pieces encoded together: bounds the memory that encodings take
_CACHE_SIZE = 300_000  # distinct words in a cache: with their tokens some 50 MB
_BLOCK = 1_000_000  # characters whose words are looked up together: bounds the memory
# A word with the white space before it that its tokens may depend on: the last character, all of it, or spaces alone.
# White space that goes with no word is a piece by itself.
_WORD_PATTERNS = (
    re.compile(rf"\s?\S{{1,{PIECE}}}|\s{{1,{PIECE}}}(?!\S)"),
    re.compile(rf"\s{{1,{PIECE}}}\S{{0,{PIECE}}}|\S{{1,{PIECE}}}"),
    re.compile(rf" {{1,{PIECE}}}[^ ]{{0,{PIECE}}}|[^ ]{{1,{PIECE}}}"),
)
_SPACE = re.compile(r"\s")
_FILLER = " a"  # a word between others
_SPACED = "a a 1 ( é a"  # words, a number, a mark and a letter beyond ASCII, with spaces between
_NO_POSITIONS = np.empty(0, np.int64)

Positions = npt.NDArray[np.int64]
TokenStarts = Callable[[Sequence[str]], list[Positions]]  # where each token of each text starts


class Tokenizer:
    """A `tokenizers.Tokenizer`, without special tokens, truncation or padding."""

    exact = False

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._word_caches = _new_caches() if _cuts_at_spaces(tokenizer) else None

    def __reduce__(self) -> Any:
        """Pickle without the caches, whose locks cannot go to another process."""
        return Tokenizer, (self.tokenizer,)

    def count(self, text: str) -> int:
        """The number of tokens of `text`, encoded as one string."""
        return len(self._untruncated().encode(encodable(text), add_special_tokens=False))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text; long texts are encoded in pieces."""
        totals = [0] * len(texts)
        parts = ((text_number, start, end) for text_number, text in enumerate(texts) for start, end in _parts(text))
        while batch := list(islice(parts, _BATCH)):
            part_counts = self.exact_counts([texts[text_number][start:end] for text_number, start, end in batch])
            for (text_number, _, _), count in zip(batch, part_counts, strict=True):
                totals[text_number] += count
        return totals

    def exact_counts(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, each encoded as one string."""
        encodings = self._untruncated().encode_batch_fast(list(map(encodable, texts)), add_special_tokens=False)
        return list(map(len, encodings))

    def pieces(self, text: str) -> Pieces:
        """The spans of tokens; tokens that share a character stay together, white-space tokens join the next one."""
        starts, first = self._starts(text), 0
        spans, before = [np.empty((0, 2), np.int64)], [_NO_POSITIONS]
        for start, end in _blocks(text):
            last = int(np.searchsorted(starts, end)) if end < len(text) else len(starts)
            block_spans, block_before = _groups(text[start:end], starts[first:last] - start)
            spans.append(block_spans + start)
            before.append(block_before + first)
            first = last
        return Pieces(np.concatenate(spans), np.concatenate([*before, np.array([len(starts)])]))

    def remark(self, text: str) -> None:
        """None: tokenizers have no remark."""

    def _untruncated(self) -> Any:
        """The tokenizer without truncation and padding; a copy where the user's own has them."""
        if self.tokenizer.truncation or self.tokenizer.padding:
            self.tokenizer = copy.deepcopy(self.tokenizer)  # takes 0.1 s
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
        return self.tokenizer

    def _starts(self, text: str) -> Positions:
        """The start of each token of a text, in order."""
        if not (samples := _samples(text)):
            return self._starts_by_part(text)
        expected = _tokens_of(samples, self._token_starts)
        sample_starts = np.cumsum(expected.lengths) - expected.lengths
        expected_starts = expected.offsets + np.repeat(sample_starts, expected.counts)
        caches = self._word_caches or _new_caches()
        for pattern in _WORD_PATTERNS:
            words = list(chain.from_iterable(map(pattern.findall, samples)))
            if np.array_equal(self._starts_of_words(words, caches[pattern]), expected_starts):
                return self._starts_by_word(text, pattern, caches[pattern])
        return self._starts_by_part(text)

    def _starts_by_part(self, text: str) -> Positions:
        parts, starts = _parts(text), [_NO_POSITIONS]
        while batch := list(islice(parts, _BATCH)):
            part_starts = self._token_starts([text[start:end] for start, end in batch])
            starts += [start + offsets for (start, _), offsets in zip(batch, part_starts, strict=True)]
        return np.concatenate(starts)

    def _token_starts(self, texts: Sequence[str]) -> list[Positions]:
        """The start of each token of each text."""
        encodings = self._untruncated().encode_batch(list(map(encodable, texts)), add_special_tokens=False)
        return [np.array([begin for begin, _ in encoding.offsets], np.int64) for encoding in encodings]

    def _starts_by_word(self, text: str, pattern: re.Pattern[str], cache: "_WordCache") -> Positions:
        """Token starts for a tokenizer that encodes each word independently: each distinct word is encoded once."""
        starts = [_NO_POSITIONS]
        for start, end in _blocks(text):
            starts.append(start + self._starts_of_words(pattern.findall(text, start, end), cache))
        return np.concatenate(starts)

    def _starts_of_words(self, words: Sequence[str], cache: "_WordCache") -> Positions:
        """The start of each token in a text that consists of these words."""
        numbers, tokens = cache.lookup(words, self._token_starts)
        sizes, counts = tokens.lengths[numbers], tokens.counts[numbers]
        firsts = (np.cumsum(tokens.counts) - tokens.counts)[numbers]
        return tokens.offsets[_ranges(firsts, counts)] + np.repeat(np.cumsum(sizes) - sizes, counts)


class _WordTokens(NamedTuple):
    """Of several words: number of characters, number of tokens, and each token's start in its word."""

    lengths: Positions
    counts: Positions
    offsets: Positions


class _WordCache:
    """The tokens of distinct words, each encoded once; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._numbers = defaultdict[str, int]()
        self._numbers.default_factory = self._numbers.__len__  # a new word gets the next number
        self._tokens = _WordTokens(_NO_POSITIONS, _NO_POSITIONS, _NO_POSITIONS)

    def lookup(self, words: Sequence[str], token_starts: TokenStarts) -> tuple[Positions, _WordTokens]:
        """The number of each word, and the tokens of all words by number; new words are encoded."""
        with self._lock:
            if len(self._numbers) > _CACHE_SIZE:
                self._clear()
            old_count = len(self._numbers)
            numbers = np.fromiter(map(self._numbers.__getitem__, words), np.int64, len(words))
            if new_words := list(islice(self._numbers, old_count, None)):
                try:
                    tokens = _tokens_of(new_words, token_starts)
                except BaseException:  # numbers without tokens would be found the next time
                    self._clear()
                    raise
                self._tokens = _WordTokens(*map(np.append, self._tokens, tokens))
            return numbers, self._tokens


def _new_caches() -> Mapping[re.Pattern[str], _WordCache]:
    return {pattern: _WordCache() for pattern in _WORD_PATTERNS}


def _cuts_at_spaces(tokenizer: Any) -> bool:
    """Whether the tokenizer cuts a text at every space before it encodes."""
    if tokenizer.pre_tokenizer is None:
        return False
    text = _SPACED if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(_SPACED)
    return len(tokenizer.pre_tokenizer.pre_tokenize_str(text)) > _SPACED.count(" ")


def _tokens_of(words: Sequence[str], token_starts: TokenStarts) -> _WordTokens:
    """The tokens of words for a tokenizer that encodes each word independently: each is put between filler words.

    Tokenizers mark the start of a text, and white space at its end is another token than between words. A word without
    white space before it, as at the start of a text, is encoded by itself.
    """
    is_spaced = np.fromiter((word[0].isspace() for word in words), np.bool_, len(words))
    spaced_words, other_words = list(compress(words, is_spaced)), np.flatnonzero(~is_spaced)
    word_numbers, offsets = (
        _between_fillers(spaced_words, token_starts) if spaced_words else (_NO_POSITIONS, _NO_POSITIONS)
    )
    other_offsets = token_starts([words[number] for number in other_words.tolist()])
    numbers = np.concatenate([np.flatnonzero(is_spaced)[word_numbers], np.repeat(other_words, _lengths(other_offsets))])
    order = np.argsort(numbers, kind="stable")
    all_offsets = np.concatenate([offsets, *other_offsets])[order]
    return _WordTokens(_lengths(words), np.bincount(numbers, minlength=len(words)), all_offsets)


def _between_fillers(words: Sequence[str], token_starts: TokenStarts) -> tuple[Positions, Positions]:
    """For each token, the number of its word and its start in it; many words are encoded as one text.

    No filler word is put before a space, where such tokenizers cut anyway.
    """
    pieces = [f"{'' if word[0] == ' ' else _FILLER}{word}{_FILLER if word.isspace() else ''}" for word in words]
    lengths, sizes, filler_length = _lengths(words), _lengths(pieces), len(_FILLER)
    filler_lengths = np.fromiter((filler_length * (word[0] != " ") for word in words), np.int64, len(words))
    ends = np.cumsum(sizes)
    first_words = np.flatnonzero(np.diff(ends // PIECE, prepend=-1)).tolist()
    texts = [_FILLER + "".join(pieces[first:end]) for first, end in pairwise([*first_words, len(words)])]
    text_starts = np.cumsum(_lengths(texts)) - _lengths(texts)
    word_starts = (
        ends - sizes + filler_lengths + filler_length * np.searchsorted(first_words, np.arange(len(words)), "right")
    )
    token_positions = [positions + start for positions, start in zip(token_starts(texts), text_starts, strict=True)]
    starts = np.concatenate(token_positions)
    numbers = np.searchsorted(word_starts, starts, "right") - 1
    is_inside = (numbers >= 0) & (starts < (word_starts + lengths)[numbers])
    return numbers[is_inside], (starts - word_starts[numbers])[is_inside]


def _lengths(texts: Sequence[Sized]) -> Positions:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _ranges(starts: Positions, counts: Positions) -> Positions:
    """The ranges [start, start + count), one after another."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)


def _groups(text: str, starts: Positions) -> tuple[Offsets, Positions]:
    """Spans from each character where a token starts to the next such character, and the number of tokens before each.

    A byte-level token can be part of a character, and a normalizer can drop characters: the first start together and
    the second go with the token before (at the start, alone), so that no character is cut and none is lost.
    """
    visible = np.flatnonzero(~white_space(text))
    if not len(visible):
        return np.empty((0, 2), np.int64), _NO_POSITIONS
    next_visible = np.searchsorted(visible, starts)  # a token that starts with white space starts behind it
    tokens = np.flatnonzero(next_visible < len(visible))
    group_starts, index = np.unique(np.append(visible[0], visible[next_visible[tokens]]), return_index=True)
    last = np.searchsorted(visible, np.append(group_starts[1:], len(text))) - 1
    return np.stack((group_starts, visible[last] + 1), axis=1), np.append(0, tokens)[index]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of about a million characters, cut before white space."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + _BLOCK)
        end = space.start() if space else len(text)
        yield start, end
        start = end


def _samples(text: str) -> list[str]:
    """Sample parts of a long text, each ending before white space; none for a short text."""
    parts = list(_parts(text))
    if len(parts) <= 2:
        return []
    samples = []
    for number in np.linspace(0, len(parts) - 1, _SAMPLE_COUNT).astype(int).tolist():
        start, end = parts[number]
        space = _SPACE.search(text, start + PIECE // 8, end)
        samples.append(text[start : space.start() if space else end].rstrip())
    return list(dict.fromkeys(filter(None, samples)))


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
