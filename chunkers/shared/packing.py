"""Fill chunks up to a size: with tokens (windows), or with neighbouring sentences, paragraphs or lines (packing)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chunkers import Chunk, Chunker
from chunkers.shared.boundaries import check_language
from chunkers.shared.units import Pieces, Unit, unit_of
from chunkers.shared.words import white_space
from longdoc.errors import UserError

Span = tuple[int, int]


def check_size(size: int) -> None:
    """Raise `UserError` for a size below 1."""
    if size < 1:
        raise UserError(f"size={size} leaves no room for a token: give 1 or more")


def chunks_of(text: str, spans: Iterable[Span]) -> list[Chunk]:
    """The chunks at `spans` of `text`."""
    return [Chunk(text[start:end], start, end) for start, end in spans]


def windows(text: str, size: int, unit: Unit, stride: int | None = None) -> list[Span]:
    """Spans of at most `size` tokens, each starting `stride` tokens after the one before (None: where that ends)."""
    pieces = unit.pieces(text)
    if unit.exact and len(pieces.spans):
        first = np.arange(0, max(len(pieces.spans) - size, 0) + (stride or size), stride or size)
        last = np.minimum(first + size, len(pieces.spans)) - 1
        return list(zip(pieces.spans[first, 0].tolist(), pieces.spans[last, 1].tolist(), strict=True))
    return _Filling(text, pieces, size, unit, _characters, grows=False).spans(stride)


def pack(
    text: str, spans: Sequence[Span], size: int, unit: Unit, finer: Sequence[Callable[[str], Sequence[Span]]] = ()
) -> list[Span]:
    """Pack neighbouring `spans` greedily into spans of at most `size` tokens.

    The spans must not overlap, nor start or end with white space. One over the size is split by the first function of
    `finer`, then by the next, and in the end between tokens. Where the tokens of a packed span are not the sum of its
    parts' (subword tokenizers), its own count decides.
    """
    atoms, counts = _refined(text, spans, size, unit, finer)
    if not atoms:
        return []
    pieces = Pieces(np.array(atoms, np.int64), np.cumsum([0, *counts]))
    return _Filling(text, pieces, size, unit, windows, grows=not unit.exact).spans()


def _refined(
    text: str, spans: Sequence[Span], size: int, unit: Unit, finer: Sequence[Callable[[str], Sequence[Span]]]
) -> tuple[list[Span], list[int]]:
    counts = unit.counts([text[start:end] for start, end in spans])
    if not finer or max(counts, default=0) <= size:
        return list(spans), counts
    atoms: list[Span] = []
    numbers: list[int] = []
    for (start, end), count in zip(spans, counts, strict=True):
        if count <= size:
            parts, part_counts = [(start, end)], [count]
        else:
            parts, part_counts = _refined(text[start:end], finer[0](text[start:end]), size, unit, finer[1:])
            parts = [(start + a, start + b) for a, b in parts]
        atoms += parts
        numbers += part_counts
    return atoms, numbers


def _characters(text: str, size: int, unit: Unit) -> list[Span]:
    """The last resort, for a token or word that alone counts more than `size`: whole characters."""
    starts = np.flatnonzero(~white_space(text))
    pieces = Pieces(np.stack((starts, starts + 1), axis=1), None)
    return _Filling(text, pieces, size, unit, lambda *_: [(0, 1)], grows=True).spans()


class CountingChunker(Chunker):
    """A chunker whose sizes are in a unit: it passes on what the unit remarks."""

    _unit: Unit

    def remark(self, text: str) -> str | None:
        """What to know of how the unit counts `text`."""
        return self._unit.remark(text)


@dataclass(frozen=True)
class PackingChunker(CountingChunker):
    """The fields of chunkers that pack stretches of text into at most `size` tokens."""

    size: int = 200
    unit: Any = "words"
    language: str = "en"
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_size(self.size)
        check_language(self.language)
        object.__setattr__(self, "_unit", unit_of(self.unit))


class _Filling:
    """Spans of a text, each made of as many neighbouring pieces as fit.

    `harder` splits a piece that alone does not fit. `grows`: the number of tokens before each piece is only a guess,
    which may be too low as well as too high.
    """

    def __init__(
        self,
        text: str,
        pieces: Pieces,
        size: int,
        unit: Unit,
        harder_function: Callable[[str, int, Unit], list[Span]],
        grows: bool,
    ) -> None:
        self.text, self.size, self.unit, self.harder = text, size, unit, harder_function
        self.at, self.before = pieces.spans, pieces.before
        self.grows = grows or pieces.before is None
        self.width = size  # of the latest span, in pieces: the guess for the next

    def spans(self, stride: int | None = None) -> list[Span]:
        """All spans, one starting every `stride` pieces (None: where the previous one ended)."""
        spans: list[Span] = []
        first, reached_count = 0, 0
        while first < len(self.at):
            stop = self._stop(first, self.size)
            if stop == first:
                stop = first + 1
                new = self._split(first)
            else:
                new = [self._span(first, stop)]
                self.width = stop - first
            # a window that was shrunk to lie within the one before says nothing new
            spans += [span for span in new if span[1] > reached_count]
            reached_count = max(reached_count, spans[-1][1])
            if stop == len(self.at):
                break
            first = self._next(first, stop, stride)
        return spans

    def _next(self, first: int, stop: int, stride: int | None) -> int:
        """Where the next span starts; never after `stop`, so that nothing is left out after a short window."""
        if stride is None or stride == self.size:
            return stop
        reach = self._stop(first, stride) if self.before is None else self._guess(first, stride)
        return min(stop, max(first + 1, reach))

    def _stop(self, first: int, limit: int) -> int:
        """How far pieces from `first` on fit into `limit` tokens; `first` itself if not even one does."""
        guess = self._guess(first, limit)
        if self.unit.exact and self.before is not None:
            return guess if self.before[guess] - self.before[first] <= limit else first

        def fits(stop: int) -> bool:
            start, end = self._span(first, stop)
            return self.unit.count(self.text[start:end]) <= limit

        return _longest(fits, first, len(self.at) if self.grows else guess, guess)

    def _guess(self, first: int, limit: int) -> int:
        """How far `limit` tokens from `first` on reach, by the counts before each piece; at least one piece."""
        if self.before is None:
            guess = first + self.width * limit // self.size
        else:
            guess = int(np.searchsorted(self.before, self.before[first] + limit, "right")) - 1
        return min(max(guess, first + 1), len(self.at))

    def _span(self, first: int, stop: int) -> Span:
        return int(self.at[first, 0]), int(self.at[stop - 1, 1])

    def _split(self, piece: int) -> list[Span]:
        start, end = self._span(piece, piece + 1)
        return [(start + a, start + b) for a, b in self.harder(self.text[start:end], self.size, self.unit)]


def _longest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """The largest number in (low, high] that fits, or `low`, if what is longer never fits where the shorter did not.

    Whatever is returned above `low` has been tried. Steps away from `guess` double until it is between two tries.
    """
    step = 1
    if fits(guess):
        good, bad_count = guess, high + 1
        while good < high:
            probe = min(good + step, high)
            if not fits(probe):
                bad_count = probe
                break
            good, step = probe, 2 * step
    else:
        good, bad_count = low, guess
        while bad_count > low + 1:
            probe = max(bad_count - step, low + 1)
            if fits(probe):
                good = probe
                break
            bad_count, step = probe, 2 * step
    while bad_count - good > 1:
        probe = (good + bad_count) // 2
        good, bad_count = (probe, bad_count) if fits(probe) else (good, probe)
    return good
