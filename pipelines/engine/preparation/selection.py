"""From ranked chunks to the passages that fill a budget: each part of the text once, neighbours joined."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from models.truncation import Count, word_ends
from pipelines.engine.planning.selection_budget import Fill, SelectionBudget
from pipelines.records import Span

BEFORE = -1  # the rank of what an earlier search selected


@dataclass(frozen=True, slots=True)
class Passages:
    """What was selected: passages in document order, the rank of each one's best chunk, and how many chunks were taken.

    `taken` counts ranked chunks from the best to the last that is selected, whole or in part.
    """

    chunks: list[Chunk]
    ranks: list[int]
    taken: int


def worth_reading(
    ranked: Sequence[Chunk], scores: npt.NDArray[np.floating], calibration: tuple[float, float], beyond: float
) -> int:
    """How many of the ranked chunks are read: until those left are expected to hold less than a share of the evidence.

    What a chunk is expected to hold is its length times the probability that it is evidence. One chunk at least.
    """
    if not ranked:
        return 0
    lengths = np.array([chunk.end - chunk.start for chunk in ranked])
    slope, intercept = calibration
    expected = lengths / (1 + np.exp(-np.clip(slope * scores.astype(np.float64) + intercept, -700, 700)))
    read = np.cumsum(expected) / max(expected.sum(), np.finfo(float).tiny)
    return 1 + int(np.argmax(1 - read < beyond))


def fill(
    text: str, ranked: Sequence[Chunk], budget: SelectionBudget, count: Count, before: Sequence[Chunk] = ()
) -> Passages:
    """The best of `ranked` chunks of `text`, best first, within the budget. `count` counts in the budget's unit.

    A chunk's heading is counted with the first chunk that it is shown with, text of overlapping chunks once. The best
    chunk is cut where it alone is over the budget, whatever `fill` says; a chunk that is cut goes without its heading
    where that leaves no room for a word. Chunks whose texts follow each other with only white space between become one
    passage. The text of disjoint passages selected `before` is left out, and their headings cost nothing.
    """
    amount = budget.amount
    while True:
        passages = _filled_passages(text, ranked, amount, budget.fill, count, before)
        over = _size(text, passages.chunks, count, before) - budget.amount
        if over <= 0:
            return passages
        amount -= over  # joined texts may have more tokens than one by one


def _filled_passages(
    text: str, ranked: Sequence[Chunk], amount: int, fill: Fill, count: Count, before: Sequence[Chunk]
) -> Passages:
    filling = _Filling(text, amount, count)
    filling.parts += sorted(((chunk.start, chunk.end, BEFORE, chunk) for chunk in before), key=itemgetter(0))
    filling.headings |= {chunk.heading for chunk in before if chunk.heading}
    empty = True
    taken_count = 0
    for rank, chunk in enumerate(ranked):
        if filling.left < 1:
            break
        if filling.take(chunk, rank):
            taken_count, empty = rank + 1, False
            continue
        if (fill == "cut" or empty) and filling.cut(chunk, rank):
            taken_count, empty = rank + 1, False
        elif fill != "skip":
            break
    return filling.passages(taken_count)


def _size(text: str, chunks: Sequence[Chunk], count: Count, before: Sequence[Chunk]) -> int:
    headings = {chunk.heading for chunk in chunks if chunk.heading} - {chunk.heading for chunk in before}
    return sum(count([*(chunk.text for chunk in chunks), *(text[slice(*heading)] for heading in headings)]))


@dataclass(slots=True)
class _Filling:
    """The parts selected so far: disjoint spans in document order, each with its chunk's rank and heading."""

    text: str
    left: int
    count: Count
    parts: list[tuple[int, int, int, Chunk]] = field(default_factory=list)  # start, end, rank, chunk
    headings: set[Span] = field(default_factory=set)

    def take(self, chunk: Chunk, rank: int) -> bool:
        """Take a whole chunk, if it fits."""
        fresh_spans = self._fresh_spans(chunk)
        if not fresh_spans:
            return True
        spent_count = self._heading(chunk) + sum(self.count([self.text[start:end] for start, end in fresh_spans]))
        if spent_count > self.left:
            return False
        self._add(chunk, rank, fresh_spans, spent_count)
        return True

    def cut(self, chunk: Chunk, rank: int) -> bool:
        """Take as many of a chunk's first words as fit, if there are any; where not all do, the budget is used up."""
        return self._cut(chunk, rank) or (chunk.heading is not None and self._cut(replace(chunk, heading=None), rank))

    def _cut(self, chunk: Chunk, rank: int) -> bool:
        spent_count, fresh_spans = self._heading(chunk), []
        for start, end in self._fresh_spans(chunk):
            stop = start + self._longest(self.text[start:end], self.left - spent_count)
            if stop > start:
                fresh_spans.append((start, stop))
                spent_count += self.count([self.text[start:stop]])[0]
            if stop < end:
                spent_count = max(spent_count, self.left)
                break
        if fresh_spans:
            self._add(chunk, rank, fresh_spans, spent_count)
        return bool(fresh_spans)

    def passages(self, taken_count: int) -> Passages:
        """The parts as passages."""
        joined: list[tuple[int, int, int, Chunk]] = []
        for start, end, rank, chunk in self.parts:
            if rank == BEFORE:
                continue
            before = joined[-1] if joined else None
            if before and before[3].heading == chunk.heading and not self.text[before[1] : start].strip():
                best = min(before, (start, end, rank, chunk), key=itemgetter(2))
                joined[-1] = (before[0], end, best[2], best[3])
            else:
                joined.append((start, end, rank, chunk))
        chunks = [
            Chunk(self.text[start:end], start, end, chunk.label, chunk.parent, chunk.heading)
            for start, end, _, chunk in joined
        ]
        return Passages(chunks, [rank for _, _, rank, _ in joined], taken_count)

    def _add(self, chunk: Chunk, rank: int, fresh_spans: Sequence[Span], spent_count: int) -> None:
        self.left -= spent_count
        if chunk.heading:
            self.headings.add(chunk.heading)
        for start, end in fresh_spans:
            self.parts.insert(bisect_left(self.parts, (start,), key=lambda part: part[:1]), (start, end, rank, chunk))

    def _heading(self, chunk: Chunk) -> int:
        """What the chunk's heading adds."""
        if chunk.heading is None or chunk.heading in self.headings:
            return 0
        return self.count([self.text[slice(*chunk.heading)]])[0]

    def _fresh_spans(self, chunk: Chunk) -> list[Span]:
        """The parts of a chunk that are not selected yet, without outer white space."""
        position, spans = chunk.start, []
        first = bisect_right(self.parts, (chunk.start,), key=lambda part: part[1:2])
        for i in range(first, len(self.parts)):  # no slice: it would copy all that are behind
            start, end = self.parts[i][:2]
            if start >= chunk.end:
                break
            spans.append((position, start))
            position = end
        spans.append((position, chunk.end))
        return [span for start, end in spans if start < end and (span := self._stripped(start, end))]

    def _stripped(self, start: int, end: int) -> Span | None:
        part = self.text[start:end]
        left = len(part) - len(part.lstrip())
        return (start + left, start + len(part.rstrip())) if left < len(part) else None

    def _longest(self, text: str, maximum: int) -> int:
        """The length of the longest start of a text, up to the end of a word, that counts at most `maximum`."""
        ends = [0, *word_ends(text)] if maximum > 0 else [0]
        low, high = 0, len(ends) - 1
        while low < high:  # counts rise with the length, so halving finds it
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.count([text[: ends[middle]]])[0] <= maximum else (low, middle - 1)
        return ends[low]
