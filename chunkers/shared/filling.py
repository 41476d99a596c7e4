"""Spans of a text with as many neighbouring pieces as fit into a number of tokens."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import numpy as np

from chunkers.shared.units import Pieces, Unit

Span = tuple[int, int]

Splitter = Callable[[str, int, Unit], list[Span]]

_SMALLEST_BATCH, _LARGEST_BATCH = 8, 32  # spans guessed and counted together; those after a wrong guess are wasted
_WORD = re.compile(r"\S+")


class Filling:
    """Spans of a text, each made of as many neighbouring pieces as fit.

    `splitter` splits a piece that does not fit by itself. One span starts every `stride` tokens (None: where the one
    before ends). `is_estimated`: the number of tokens before each piece is an estimate, too low or too high.
    """

    def __init__(
        self,
        text: str,
        pieces: Pieces,
        size: int,
        unit: Unit,
        splitter: Splitter,
        stride: int | None = None,
        is_estimated: bool = False,
    ) -> None:
        self.text, self.size, self.unit, self.splitter = text, size, unit, splitter
        self.piece_spans, self.before = pieces.spans, pieces.before
        self.stride, self.is_estimated = stride, is_estimated or pieces.before is None
        self.width = size  # of the latest span, in pieces: the guess for the next

    def spans(self) -> list[Span]:
        """All spans, in order."""
        spans: list[Span] = []
        first, last_end = 0, 0
        while first < len(self.piece_spans):
            stop = self._stop(first, self.size)
            if stop == first:
                stop = first + 1
                new_spans = self._split_piece(first)
            else:
                new_spans = [self._span(first, stop)]
                self.width = stop - first
            # a window that was shrunk to lie within the one before says nothing new
            spans += [span for span in new_spans if span[1] > last_end]
            last_end = max(last_end, spans[-1][1])
            if stop == len(self.piece_spans):
                break
            first = self._next(first, stop)
        return spans

    def _next(self, first: int, stop: int) -> int:
        """The piece at which the next span starts; never after `stop`, so that no piece is lost."""
        if self.stride is None or self.stride == self.size:
            return stop
        reach = self._stop(first, self.stride) if self.before is None else self._guess(first, self.stride)
        return min(stop, max(first + 1, reach))

    def _stop(self, first: int, limit: int) -> int:
        """The end of the longest run of pieces from `first` that fits into `limit` tokens; `first` if none fits."""
        guess = self._guess(first, limit)
        if self.unit.exact and self.before is not None:
            return guess if self.before[guess] - self.before[first] <= limit else first

        def fits(stop: int) -> bool:
            start, end = self._span(first, stop)
            return self.unit.count(self.text[start:end]) <= limit

        return _longest(fits, first, len(self.piece_spans) if self.is_estimated else guess, guess)

    def _guess(self, first: int, limit: int) -> int:
        """The estimated end of `limit` tokens from piece `first`, at least one piece further."""
        if self.before is None:
            guess = first + self.width * limit // self.size
        else:
            guess = int(np.searchsorted(self.before, self.before[first] + limit, "right")) - 1
        return min(max(guess, first + 1), len(self.piece_spans))

    def _span(self, first: int, stop: int) -> Span:
        return int(self.piece_spans[first, 0]), int(self.piece_spans[stop - 1, 1])

    def _split_piece(self, piece: int) -> list[Span]:
        start, end = self._span(piece, piece + 1)
        return [(start + a, start + b) for a, b in self.splitter(self.text[start:end], self.size, self.unit)]


class GuessedFilling(Filling):
    """A filling that guesses many spans from the tokens of the whole text and counts them together.

    The first word of a span may have other tokens than in the text (byte-level tokens include the space before a
    word), which the guess takes into account. A span whose count is not the expected one is searched for by trying,
    and the spans after it are guessed again; with a unit without positions all are searched for.
    """

    def __init__(
        self, text: str, pieces: Pieces, size: int, unit: Unit, splitter: Splitter, stride: int | None
    ) -> None:
        super().__init__(text, pieces, size, unit, splitter, stride)
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
        """The stop of each guessed span by its start; None where the span may be too long or too short."""
        counts = self.unit.exact_counts([self.text[slice(*self._span(first, stop))] for first, stop, _ in guesses])
        return {
            first: stop if count <= self.size and (count == expected or stop == self._guess(first, self.size)) else None
            for (first, stop, expected), count in zip(guesses, counts, strict=True)
        }

    def _expected(self, first: int) -> Iterator[tuple[int, int, int]]:
        """Guessed spans from `first` on: start and stop in pieces, and the expected number of tokens."""
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
    """The largest number in (low, high] that fits, or `low` if none does; if a number fits, all smaller ones must.

    A result above `low` has been tried. Steps away from `guess` double until the result is between two tries.
    """
    step = 1
    if fits(guess):
        fitting, too_long = guess, high + 1
        while fitting < high:
            probe = min(fitting + step, high)
            if not fits(probe):
                too_long = probe
                break
            fitting, step = probe, 2 * step
    else:
        fitting, too_long = low, guess
        while too_long > low + 1:
            probe = max(too_long - step, low + 1)
            if fits(probe):
                fitting = probe
                break
            too_long, step = probe, 2 * step
    while too_long - fitting > 1:
        probe = (fitting + too_long) // 2
        fitting, too_long = (probe, too_long) if fits(probe) else (fitting, probe)
    return fitting
