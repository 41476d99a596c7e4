"""The passages of ranked chunks that fill a budget of words: each part of the text once, neighbours joined."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from chunkers import Chunk
from chunkers.shared.words import count_words
from models.truncation import word_ends
from pipelines.records import Span

BEFORE = -1  # the rank of a passage that an earlier search selected


@dataclass(frozen=True, slots=True)
class Passages:
    """The selected passages in document order, the rank of each one's best chunk, and the number of chunks taken.

    `taken` counts ranked chunks from the best to the last that is selected, whole or in part.
    """

    chunks: list[Chunk]
    ranks: list[int]
    taken: int


def fill(text: str, ranked: Sequence[Chunk], words: int, before: Sequence[Chunk] = ()) -> Passages:
    """Passages of at most `words` words from the `ranked` chunks of `text`, best first. The last chunk is cut.

    A chunk's heading is counted with the first chunk that it is shown with, text of overlapping chunks once. A chunk
    that is cut goes without its heading where that leaves no room for a word. Chunks whose texts follow each other with
    only white space between become one passage. The text of disjoint passages selected `before` is left out, and their
    headings cost nothing.
    """
    filling = _Filling(text, words)
    filling.parts += sorted(((chunk.start, chunk.end, BEFORE, chunk) for chunk in before), key=itemgetter(0))
    filling.headings |= {chunk.heading for chunk in before if chunk.heading}
    taken = 0
    for rank, chunk in enumerate(ranked):
        if filling.left < 1 or not (filling.take(chunk, rank) or filling.cut(chunk, rank)):
            break
        taken = rank + 1
    return filling.passages(taken)


@dataclass(slots=True)
class _Filling:
    """The parts selected so far: disjoint spans in document order. `left` is the number of words that still fit."""

    text: str
    left: int
    parts: list[tuple[int, int, int, Chunk]] = field(default_factory=list)  # start, end, rank, chunk
    headings: set[Span] = field(default_factory=set)

    def take(self, chunk: Chunk, rank: int) -> bool:
        """Take a whole chunk if it fits; whether it was taken."""
        fresh_spans = self._fresh_spans(chunk)
        if not fresh_spans:
            return True
        cost = self._heading(chunk) + sum(count_words([self.text[start:end] for start, end in fresh_spans]))
        if cost > self.left:
            return False
        self._add(chunk, rank, fresh_spans, cost)
        return True

    def cut(self, chunk: Chunk, rank: int) -> bool:
        """Take as many of a chunk's first words as fit; whether any do. If not all do, the budget is used up."""
        return self._cut(chunk, rank) or (chunk.heading is not None and self._cut(replace(chunk, heading=None), rank))

    def _cut(self, chunk: Chunk, rank: int) -> bool:
        """Take as many of a chunk's first words as fit, after its heading if it has one; whether any do."""
        cost, fresh_spans = self._heading(chunk), []
        for start, end in self._fresh_spans(chunk):
            stop = start + self._longest(self.text[start:end], self.left - cost)
            if stop > start:
                fresh_spans.append((start, stop))
                cost += count_words([self.text[start:stop]])[0]
            if stop < end:
                cost = max(cost, self.left)
                break
        if fresh_spans:
            self._add(chunk, rank, fresh_spans, cost)
        return bool(fresh_spans)

    def passages(self, taken: int) -> Passages:
        """The parts as passages, neighbours under one heading joined."""
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
        return Passages(chunks, [rank for _, _, rank, _ in joined], taken)

    def _add(self, chunk: Chunk, rank: int, fresh_spans: Sequence[Span], cost: int) -> None:
        """Take spans of a chunk, and its heading, for `cost` words."""
        self.left -= cost
        if chunk.heading:
            self.headings.add(chunk.heading)
        for start, end in fresh_spans:
            self.parts.insert(bisect_left(self.parts, (start,), key=lambda part: part[:1]), (start, end, rank, chunk))

    def _heading(self, chunk: Chunk) -> int:
        """The words that the chunk's heading adds: none where it is selected already."""
        if chunk.heading is None or chunk.heading in self.headings:
            return 0
        return count_words([self.text[slice(*chunk.heading)]])[0]

    def _fresh_spans(self, chunk: Chunk) -> list[Span]:
        """The parts of a chunk that are not selected yet, without outer white space."""
        position, spans = chunk.start, []
        first = bisect_right(self.parts, (chunk.start,), key=lambda part: part[1:2])
        for i in range(first, len(self.parts)):  # a slice would copy all parts behind
            start, end = self.parts[i][:2]
            if start >= chunk.end:
                break
            spans.append((position, start))
            position = end
        spans.append((position, chunk.end))
        return [span for start, end in spans if start < end and (span := self._stripped(start, end))]

    def _stripped(self, start: int, end: int) -> Span | None:
        """The span without outer white space; None where there is nothing else."""
        part = self.text[start:end]
        left = len(part) - len(part.lstrip())
        return (start + left, start + len(part.rstrip())) if left < len(part) else None

    def _longest(self, text: str, maximum: int) -> int:
        """The length of the longest beginning of a text that ends with a word and has at most `maximum` words."""
        ends = [0, *word_ends(text)] if maximum > 0 else [0]
        low, high = 0, len(ends) - 1
        while low < high:  # counts rise with the length, so halving finds it
            middle = (low + high + 1) // 2
            low, high = (middle, high) if count_words([text[: ends[middle]]])[0] <= maximum else (low, middle - 1)
        return ends[low]
