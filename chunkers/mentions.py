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
NEARLY_FULL = 32  # a window that lacks less than this fraction (1/32) counts as full


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
            raise UserError(f"windows must be 1 or more, got {self.windows}")
        object.__setattr__(self, "_unit", unit_of(self.unit))

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        """The windows, in document order."""
        mention_spans = mentions(text, query or "")
        starts = [start for start, _ in mention_spans]
        chunks = []
        for start, end in sorted(_place_windows(text, mention_spans, self._share, self._unit)):
            count = bisect_left(starts, end) - bisect_left(starts, start)
            chunks.append(Chunk(text[start:end], start, end, f"{count} mention{'s' * (count != 1)}"))
        return chunks

    @property
    def _share(self) -> int:
        """The number of tokens of one window."""
        size = self.size or WORDS
        joints = 0 if self._unit.exact else JOINT * (self.windows - 1)
        return max((size - joints) // self.windows, 1)


class _Gap(NamedTuple):
    """Mentions [first, stop) without a window, and the free characters [left, right) between windows."""

    first: int
    stop: int
    left: int
    right: int


def _place_windows(text: str, mention_spans: list[Span], share: int, unit: Unit) -> list[Span]:
    """Place all windows; returns their spans in the order in which they were placed."""
    if not mention_spans:
        return []
    placer = _Windows(text, mention_spans, share, unit)
    whole_text = _Gap(0, len(mention_spans), 0, len(text))
    gap_before, gap_after = placer.place(whole_text, *placer.densest(whole_text))
    gaps = [*_place_at(gap_before, placer, gap_before.first), *_place_at(gap_after, placer, gap_after.stop - 1)]
    while gaps:
        gap = gaps.pop()
        if gap.first < gap.stop:
            gaps += placer.place(gap, *placer.densest(gap))
    return placer.placed


def _place_at(gap: _Gap, placer: "_Windows", mention: int) -> Sequence[_Gap]:
    """Place a window around one mention, if the gap has any; returns the gaps before and after it."""
    return placer.place(gap, mention, mention + 1) if gap.first < gap.stop else ()


class _Windows:
    """Places windows around the mentions in a text."""

    def __init__(self, text: str, mention_spans: list[Span], share: int, unit: Unit) -> None:
        self.text, self.mention_spans, self.share, self.unit = text, mention_spans, share, unit
        self.words = word_spans(text)
        self.starts = [start for start, _ in mention_spans]
        self.extents = self._extents()
        self.rate = 1.0  # words per token, in the latest count
        self.placed: list[Span] = []
        self.ends = np.array(list(self._first_excluded()), np.int64)

    def densest(self, gap: _Gap) -> tuple[int, int]:
        """The range of mentions [first, stop) in the densest window of a gap; the first of equal ones."""
        mention_counts = np.minimum(self.ends[gap.first : gap.stop], gap.stop) - np.arange(gap.first, gap.stop)
        first = int(np.argmax(mention_counts))
        return gap.first + first, gap.first + first + int(mention_counts[first])

    def place(self, gap: _Gap, first: int, stop: int) -> tuple[_Gap, _Gap]:
        """Place a window with some mentions in its middle, as far as possible; returns the gaps before and after."""
        first_span = self.mention_spans[first]
        begin, minimum = int(self.extents[first, 0]), int(self.extents[stop - 1, 1])
        left = gap.left if first == gap.first else max(gap.left, min(int(self.extents[first - 1, 1]), first_span[0]))
        start, end = self._window(begin, minimum, left, gap.right)
        if end <= first_span[0]:  # a part of an overlong word before the mention
            start, end = self._from_span(first_span[0], first_span[1], gap.right)
        end = self._before_cut_mention(end, minimum)
        self.placed.append((start, end))
        before = bisect_left(self.starts, start, gap.first, gap.stop)
        after = bisect_left(self.starts, end, before, gap.stop)
        return _Gap(gap.first, before, gap.left, start), _Gap(after, gap.stop, end, gap.right)

    def _before_cut_mention(self, end: int, minimum: int) -> int:
        """The end of a window, moved before a mention that it would cut, unless that mention ends at `minimum`."""
        begin, stop = self.extents[bisect_left(self.starts, end) - 1].tolist()
        return int(self.words[self._word(begin) - 1, 1]) if stop > end and begin >= minimum else end

    def _first_excluded(self) -> Iterator[int]:
        """For each mention, the number of the first mention that does not fit into a window starting with it."""
        stop, extents = 0, self.extents.tolist()
        # mentions in one word have its extent: a huge word is counted once, not for each
        counted, is_fitting = (0, 0), True
        for number, (start, _) in enumerate(extents):
            stop = max(stop, number + 1)
            while stop < len(extents):
                if (span := (start, extents[stop][1])) != counted:
                    counted, is_fitting = span, self._count(*span) <= self.share
                if not is_fitting:
                    break
                stop += 1
            yield stop

    def _extents(self) -> Offsets:
        """[mentions, 2]: the start of each mention's first word and the end of its last word."""
        first, last = np.array([(start, end - 1) for start, end in self.mention_spans], np.int64).reshape(-1, 2).T
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
        """The span of a window from `start`: about as many words as fit before `right`, up to `minimum` if that fits.

        Only a part of a first word that is too long.
        """
        first = self._word(start)
        stop = int(np.searchsorted(self.words[:, 1], right, "right"))
        fitting, too_many = first, min(first + self.share, stop) + 1
        if fitting < (needed := min(self._word(minimum - 1) + 1, stop)) and self._fits(start, needed):
            fitting = needed
        guess = first + int(self.share * self.rate)
        while too_many - fitting > 1:
            guess = min(max(guess, fitting + 1), too_many - 1)
            tokens = self._count(start, int(self.words[guess - 1, 1]))
            if tokens <= self.share:
                fitting = guess
                if self.share - tokens <= self.share // NEARLY_FULL:
                    break
            else:
                too_many = guess
            self.rate = (guess - first) / max(tokens, 1)
            guess = first + int(self.share * self.rate)
        if fitting > first:
            return start, int(self.words[fitting - 1, 1])
        return self._part(start, min(int(self.words[first, 1]), right))

    def _part(self, start: int, stop: int) -> Span:
        """The span of the first part of a word that is too long for a window; reads no more of it than needed."""
        reach = max(PIECE, self.share)
        while True:
            begin, end = windows(self.text[start : min(start + reach, stop)], self.share, self.unit)[0]
            if end < reach or start + reach >= stop:
                return start + begin, start + end
            reach *= 2

    def _fits(self, start: int, word: int) -> bool:
        return self._count(start, int(self.words[word - 1, 1])) <= self.share

    def _count(self, start: int, end: int) -> int:
        """The number of tokens; for text far over the share, the count of a beginning that is already over it."""
        reach = max(PIECE, 8 * self.share)
        while end - start > reach:
            if (tokens := self.unit.count(self.text[start : start + reach])) > self.share:
                return tokens
            reach *= 2
        return self.unit.count(self.text[start:end])

    def _word(self, place: int) -> int:
        """The number of the word at a position, or of the last one before it."""
        return int(np.searchsorted(self.words[:, 0], place, "right")) - 1
