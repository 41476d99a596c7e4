"""Windows around the mentions of a named character, for questions about one person (Hudson and Al Moubayed 2022, 4)."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from chunkers import Chunk
from chunkers.shared.names import Span, mentions
from chunkers.shared.packing import CountingChunker, check_size, windows
from chunkers.shared.tokenizer_unit import PIECE
from chunkers.shared.units import Unit, unit_of
from chunkers.shared.words import Offsets, word_spans
from longdoc.errors import UserError

WORDS = 512  # in all windows together, where nothing sets a size
JOINT = 2  # tokens that may arise where two windows meet in a prompt
NEARLY_LIMIT = 32  # a window that lacks less than this fraction (1/32) counts as full


@dataclass(frozen=True)
class Mentions(CountingChunker):
    """Windows that do not overlap, each around mentions of the query, read as a name (`chunkers.shared.names`).

    `size` is that of all selected windows together: one has at most size / `windows` tokens (`unit`: see `Tokens`), and
    the retriever `mentions` selects `windows` of them. None: the reader's limit, or 512 words without one.
    The densest window is placed first: of all windows of that size that start with a mention, the one with the most
    mentions (the first of equals), centred as far as the space allows. Then come the windows of the first and of the
    last mention, if these lie outside, centred except where they would overlap another; between them the densest
    windows of what is left, until each mention has its window. The label counts a window's mentions. A name that is
    never mentioned has no windows. Raises `UserError` for numbers below 1, or a unit that cannot be
    loaded.
    """

    per_query = True

    size: int | None = None
    unit: Any = "words"
    windows: int = 3
    _unit: Unit = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.size is not None:
            check_size(self.size)
        if self.windows < 1:
            raise UserError(f"windows={self.windows} is not a number of windows: give 1 or more")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The windows, in document order."""
        places = mentions(text, query or "")
        starts = [start for start, _ in places]
        chunks = []
        for start, end in sorted(_laid_spans(text, places, self._share, self._unit)):
            held_count = bisect_left(starts, end) - bisect_left(starts, start)
            chunks.append(Chunk(text[start:end], start, end, f"{held_count} mention{'s' * (held_count != 1)}"))
        return chunks

    @property
    def _share(self) -> int:
        """Tokens of one window."""
        size = self.size or WORDS
        joints = 0 if self._unit.exact else JOINT * (self.windows - 1)
        return max((size - joints) // self.windows, 1)


class _Gap(NamedTuple):
    """The mentions `first` to `stop` without a window, and the characters between their neighbours' windows."""

    first: int
    stop: int
    left: int
    right: int


def _laid_spans(text: str, places: list[Span], share: int, unit: Unit) -> list[Span]:
    """All windows, in the order in which they are placed."""
    if not places:
        return []
    around = _Around(text, places, share, unit)
    whole_gap = _Gap(0, len(places), 0, len(text))
    before, after = around.lay(whole_gap, *around.densest(whole_gap))
    waiting_gaps = [*_any(before, around, before.first), *_any(after, around, after.stop - 1)]
    while waiting_gaps:
        gap = waiting_gaps.pop()
        if gap.first < gap.stop:
            waiting_gaps += around.lay(gap, *around.densest(gap))
    return around.laid


def _any(gap: _Gap, around: "_Around", place: int) -> Sequence[_Gap]:
    """The gaps that a window around one mention leaves, if the gap has a mention."""
    return around.lay(gap, place, place + 1) if gap.first < gap.stop else ()


class _Around:
    """Windows around positions of a text."""

    def __init__(self, text: str, places: list[Span], share: int, unit: Unit) -> None:
        self.text, self.places, self.share, self.unit = text, places, share, unit
        self.words = word_spans(text)
        self.starts = [start for start, _ in places]
        self.extents = self._extents()
        self.rate = 1.0  # words per token, in the latest count
        self.laid: list[Span] = []
        self.ends = np.array(list(self._ends()), np.int64)

    def densest(self, gap: _Gap) -> tuple[int, int]:
        """The range of a gap's mentions that the fullest window holds; the first of equals."""
        held_values = np.minimum(self.ends[gap.first : gap.stop], gap.stop) - np.arange(gap.first, gap.stop)
        first = int(np.argmax(held_values))
        return gap.first + first, gap.first + first + int(held_values[first])

    def lay(self, gap: _Gap, first: int, stop: int) -> tuple[_Gap, _Gap]:
        """Place a window with some mentions in its middle, as far as possible; returns the gaps before and after."""
        place, (begin, minimum) = self.places[first], (int(self.extents[first, 0]), int(self.extents[stop - 1, 1]))
        left = gap.left if first == gap.first else max(gap.left, min(int(self.extents[first - 1, 1]), place[0]))
        start, end = self._window(begin, minimum, left, gap.right)
        if end <= place[0]:  # a part of an overlong word before the mention
            start, end = self._from_span(place[0], place[1], gap.right)
        end = self._uncut(end, minimum)
        self.laid.append((start, end))
        before = bisect_left(self.starts, start, gap.first, gap.stop)
        after = bisect_left(self.starts, end, before, gap.stop)
        return _Gap(gap.first, before, gap.left, start), _Gap(after, gap.stop, end, gap.right)

    def _uncut(self, end: int, minimum: int) -> int:
        """A window's end, moved before a mention that it would cut, unless that ends at `minimum`."""
        begin, stop = self.extents[bisect_left(self.starts, end) - 1].tolist()
        return int(self.words[self._word(begin) - 1, 1]) if stop > end and begin >= minimum else end

    def _ends(self) -> Iterator[int]:
        """For each mention, the number of the first mention that a window starting with it does not hold."""
        stop, extents = 0, self.extents.tolist()
        counted_span, fits = (
            (0, 0),
            True,
        )  # mentions in one word have its extent: a huge word is counted once, not for each
        for number, (start, _) in enumerate(extents):
            stop = max(stop, number + 1)
            while stop < len(extents):
                if (span := (start, extents[stop][1])) != counted_span:
                    counted_span, fits = span, self._count(*span) <= self.share
                if not fits:
                    break
                stop += 1
            yield stop

    def _extents(self) -> Offsets:
        """[mentions, 2]: where the first word of each starts and its last ends."""
        first, last = np.array([(start, end - 1) for start, end in self.places], np.int64).reshape(-1, 2).T
        indexes = [np.searchsorted(self.words[:, 0], place, "right") - 1 for place in (first, last)]
        return np.stack([self.words[indexes[0], 0], self.words[indexes[1], 1]], axis=1)

    def _window(self, begin: int, end: int, left: int, right: int) -> Span:
        begin, end = max(begin, left), min(end, right)
        start, stop = self._from_span(self._start(begin, end, left, right), end, right)
        if stop < end:  # tokens are not the sum of their words' tokens, so not all fit
            return self._from_span(begin, end, right)
        return start, stop

    def _start(self, begin: int, end: int, left: int, right: int) -> int:
        position = self._word(begin)
        budget = max((self.share - self._count(begin, end)) // 2, 0)
        if position + self.share >= self._word(right - 1):
            budget = max(budget, self.share - self._count(begin, right))
        first = max(int(np.searchsorted(self.words[:, 0], left)), position - int(budget * self.rate))
        while first < position:
            start = int(self.words[first, 0])
            before = self._count(start, begin)
            if before <= budget:
                return start
            first += max(1, (position - first) * (before - budget) // before)
        return begin

    def _from_span(self, start: int, minimum: int, right: int) -> Span:
        """A window from `start` on, up to `minimum` if that fits: about as many words as fit before `right`.

        Of a word that alone is too long, a part.
        """
        first = self._word(start)
        stop = int(np.searchsorted(self.words[:, 1], right, "right"))
        fits, over = first, min(first + self.share, stop) + 1
        if fits < (needed_count := min(self._word(minimum - 1) + 1, stop)) and self._fits(start, needed_count):
            fits = needed_count
        guess = first + int(self.share * self.rate)
        while over - fits > 1:
            guess = min(max(guess, fits + 1), over - 1)
            tokens = self._count(start, int(self.words[guess - 1, 1]))
            if tokens <= self.share:
                fits = guess
                if self.share - tokens <= self.share // NEARLY_LIMIT:
                    break
            else:
                over = guess
            self.rate = (guess - first) / max(tokens, 1)
            guess = first + int(self.share * self.rate)
        if fits > first:
            return start, int(self.words[fits - 1, 1])
        return self._part(start, min(int(self.words[first, 1]), right))

    def _part(self, start: int, stop: int) -> Span:
        """The first window of a word that is too long for one; of a huge word only as much as needed is looked at."""
        reach = max(PIECE, self.share)
        while True:
            begin, end = windows(self.text[start : min(start + reach, stop)], self.share, self.unit)[0]
            if end < reach or start + reach >= stop:
                return start + begin, start + end
            reach *= 2

    def _fits(self, start: int, word: int) -> bool:
        return self._count(start, int(self.words[word - 1, 1])) <= self.share

    def _count(self, start: int, end: int) -> int:
        """How many tokens there are; where far more than the share, only some that are already more."""
        reach = max(PIECE, 8 * self.share)
        while end - start > reach:
            if (tokens := self.unit.count(self.text[start : start + reach])) > self.share:
                return tokens
            reach *= 2
        return self.unit.count(self.text[start:end])

    def _word(self, place: int) -> int:
        """The number of the word at a position, or of the last one before it."""
        return int(np.searchsorted(self.words[:, 0], place, "right")) - 1
