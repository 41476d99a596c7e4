"""Spans of a text with as many neighbouring pieces as fit into a number of tokens."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import numpy as np

from chunkers.shared.units import Pieces, Unit

Span = tuple[int, int]

Finer = Callable[[str, int, Unit], list[Span]]

_SMALLEST_BATCH, _LARGEST_BATCH = 8, 32  # spans guessed and counted together; those behind a wrong guess in vain
_WORD = re.compile(r"\S+")


class Filling:
    """Spans of a text, each made of as many neighbouring pieces as fit.

    `finer` splits a piece that alone does not fit. One span starts every `stride` tokens (None: where the one before
    ends). `grows`: the number of tokens before each piece is only a guess, which may be too low as well as too high.
    """

    def __init__(
        self,
        text: str,
        pieces: Pieces,
        size: int,
        unit: Unit,
        finer: Finer,
        stride: int | None = None,
        grows: bool = False,
    ) -> None:
        self.text, self.size, self.unit, self.finer = text, size, unit, finer
        self.piece_spans, self.before = pieces.spans, pieces.before
        self.stride, self.grows = stride, grows or pieces.before is None
        self.width = size  # of the latest span, in pieces: the guess for the next

    def spans(self) -> list[Span]:
        """All spans, in order."""
        spans: list[Span] = []
        first, last_end = 0, 0
        while first < len(self.piece_spans):
            stop = self._stop(first, self.size)
            if stop == first:
                stop = first + 1
                new = self._split(first)
            else:
                new = [self._span(first, stop)]
                self.width = stop - first
            # a window that was shrunk to lie within the one before says nothing new
            spans += [span for span in new if span[1] > last_end]
            last_end = max(last_end, spans[-1][1])
            if stop == len(self.piece_spans):
                break
            first = self._next(first, stop)
        return spans

    def _next(self, first: int, stop: int) -> int:
        """Where the next span starts; never after `stop`, so that nothing is left out after a short window."""
        if self.stride is None or self.stride == self.size:
            return stop
        reach = self._stop(first, self.stride) if self.before is None else self._guess(first, self.stride)
        return min(stop, max(first + 1, reach))

    def _stop(self, first: int, limit: int) -> int:
        """How far pieces from `first` on fit into `limit` tokens; `first` itself if not even one does."""
        guess = self._guess(first, limit)
        if self.unit.exact and self.before is not None:
            return guess if self.before[guess] - self.before[first] <= limit else first

        def fits(stop: int) -> bool:
            start, end = self._span(first, stop)
            return self.unit.count(self.text[start:end]) <= limit

        return _longest(fits, first, len(self.piece_spans) if self.grows else guess, guess)

    def _guess(self, first: int, limit: int) -> int:
        """How far `limit` tokens from `first` on reach, by the counts before each piece; at least one piece."""
        if self.before is None:
            guess = first + self.width * limit // self.size
        else:
            guess = int(np.searchsorted(self.before, self.before[first] + limit, "right")) - 1
        return min(max(guess, first + 1), len(self.piece_spans))

    def _span(self, first: int, stop: int) -> Span:
        return int(self.piece_spans[first, 0]), int(self.piece_spans[stop - 1, 1])

    def _split(self, piece: int) -> list[Span]:
        start, end = self._span(piece, piece + 1)
        return [(start + a, start + b) for a, b in self.finer(self.text[start:end], self.size, self.unit)]


class GuessedFilling(Filling):
    """A filling that guesses many spans by the tokens of the whole text and has them counted together.

    Where its first word stands alone a span may have other tokens than in the text (byte-level tokens take the space
    before a word along): that is part of the guess. A span whose own count is not the one expected is looked for by
    trying, as are all by a unit without positions, and those that follow it are guessed anew.
    """

    def __init__(self, text: str, pieces: Pieces, size: int, unit: Unit, finer: Finer, stride: int | None) -> None:
        super().__init__(text, pieces, size, unit, finer, stride)
        self._stops: dict[int, int | None] = {}
        self._batch = _SMALLEST_BATCH
        self._count_word = cache(unit.count)

    def _stop(self, first: int, limit: int) -> int:
        if self.before is None:
            return super()._stop(first, limit)
        if first not in self._stops:
            self._batch = _SMALLEST_BATCH if self._stops else min(2 * self._batch, _LARGEST_BATCH)
            self._stops = self._checked_stops(list(islice(self._expected(first), self._batch)))
        stop = self._stops.pop(first)
        return super()._stop(first, limit) if stop is None else stop

    def _checked_stops(self, guesses: list[tuple[int, int, int]]) -> dict[int, int | None]:
        """The stop of each guess by its start, None where it may not be the furthest one."""
        counts = self.unit.exact_counts([self.text[slice(*self._span(first, stop))] for first, stop, _ in guesses])
        return {
            first: stop if count <= self.size and (count == expected or stop == self._guess(first, self.size)) else None
            for (first, stop, expected), count in zip(guesses, counts, strict=True)
        }

    def _expected(self, first: int) -> Iterator[tuple[int, int, int]]:
        """Start and stop, in pieces, of the spans from `first` on, and how many tokens each is expected to count."""
        assert self.before is not None
        while first < len(self.piece_spans):
            word = _WORD.match(self.text, int(self.piece_spans[first, 0]))
            assert word is not None
            last = first + int(np.searchsorted(self.piece_spans[first : first + self.size + 1, 0], word.end()))
            tokens_in_text = self.before[last] - self.before[first]
            extra_tokens = self._count_word(word[0]) - int(tokens_in_text)
            stop = self._guess(first, self.size - max(extra_tokens, 0))
            yield first, stop, int(self.before[stop] - self.before[first]) + extra_tokens
            first = self._next(first, stop) if stop < len(self.piece_spans) else stop


def _longest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """The largest number in (low, high] that fits, or `low`, if what is longer never fits where the shorter did not.

    Whatever is returned above `low` has been tried. Steps away from `guess` double until it is between two tries.
    """
    step = 1
    if fits(guess):
        good, too_far = guess, high + 1
        while good < high:
            probe = min(good + step, high)
            if not fits(probe):
                too_far = probe
                break
            good, step = probe, 2 * step
    else:
        good, too_far = low, guess
        while too_far > low + 1:
            probe = max(too_far - step, low + 1)
            if fits(probe):
                good = probe
                break
            too_far, step = probe, 2 * step
    while too_far - good > 1:
        probe = (good + too_far) // 2
        good, too_far = (probe, too_far) if fits(probe) else (good, probe)
    return good
