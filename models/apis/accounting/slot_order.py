"""The order of requests at servers that have slots, each of which keeps what it has read last (llama.cpp).

A slot that is sent prompts which begin alike, one after the other, reads what they share once, however short that is.
So prompts are sorted, which makes those neighbours that share the most, and each slot takes a stretch of neighbours.
A slot whose stretch ends takes half of the longest one that is left, from where another document begins: it has to read
that anyway.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.apis.accounting.prefix_tree import common_length
from models.prompts import Prompt
from models.requests import Reply

SHARED_PROMPTS = (
    40  # prompts about one document that two slots share: the second reads it again, which half of them outweigh
)


@dataclass(slots=True)
class Slot:
    """A slot of the server at `url`: its stretch of the sorted prompts, `start` to `end`; its requests under way.

    `last` is the prompt that it was sent last.
    """

    url: str
    start: int = 0
    end: int = 0
    concurrency: int = 0
    last: str = ""


class SlotOrder:
    """Hands out requests, to which more are added. Thread-safe.

    - `slots`: the address of each slot's server.
    - `slot_concurrency`: the requests under way at each slot.
    - `before`: the prompt that was read last; those that share most of it come first.
    - `read`: called with each prompt that is handed out.
    """

    def __init__(
        self,
        texts: Sequence[str],
        slots: Sequence[str],
        slot_concurrency: int,
        before: str,
        read: Callable[[str], None],
    ) -> None:
        self._slot_concurrency, self._last, self._read = slot_concurrency, before, read
        self._slots = [Slot(url) for url in slots]
        self._slots[0].last = before
        self._slots_by_index: dict[int, Slot] = {}  # the slot of each request under way
        self._texts: dict[int, str] = {}  # of requests that are not back
        self._order: list[int] = []
        self._starts_document: list[bool] = []  # whether a document begins there
        self._added, self._is_complete, self._is_over = 0, False, False
        self._changed = threading.Condition()
        self._add(texts)

    def add(self, prompts: Sequence[Prompt]) -> None:
        """Take in more requests, with the next indices: a slot goes on with those about what it reads."""
        self._add([prompt.text for prompt in prompts])

    @property
    def is_short(self) -> bool:
        """Whether a slot has nothing to do, or soon will have."""
        with self._changed:
            left = sum(slot.end - slot.start for slot in self._slots)
            return left < len(self._slots) or any(slot.concurrency < self._slot_concurrency for slot in self._slots)

    def take(self) -> int | None:
        """The index of the next request; waits until a slot has room. None where none is left."""
        with self._changed:
            while not self._is_over and (not self._is_complete or any(slot.start < slot.end for slot in self._slots)):
                for slot in sorted(self._slots, key=lambda slot: slot.concurrency):
                    if slot.concurrency < self._slot_concurrency and (index := self._next(slot)) is not None:
                        slot.concurrency += 1
                        slot.last = self._last = self._texts[index]
                        self._slots_by_index[index] = slot
                        self._read(slot.last)
                        return index
                self._changed.wait()
            return None

    def server(self, index: int) -> str:
        """The server that a request under way should go to."""
        return self._slots_by_index[index].url

    def done(self, index: int, reply: Reply | None) -> None:
        """Record that a request was answered: its slot has room."""
        with self._changed:
            self._slots_by_index.pop(index).concurrency -= 1
            del self._texts[index]
            self._changed.notify_all()

    def complete(self) -> None:
        """No more requests will be added: threads that wait for one get None."""
        with self._changed:
            self._is_complete = True
            self._changed.notify_all()

    def end(self) -> None:
        """No more requests will be sent: threads that wait for one get None."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _add(self, texts: Sequence[str]) -> None:
        with self._changed:
            waiting = [index for slot in self._slots for index in self._order[slot.start : slot.end]]
            new = range(self._added, self._added + len(texts))
            self._added += len(texts)
            self._texts.update(zip(new, texts, strict=True))
            self._divide(sorted([*waiting, *new], key=self._texts.__getitem__))
            self._changed.notify_all()

    def _divide(self, rest: list[int]) -> None:
        """Give each slot the prompts that share most with its last one, and the slot with the fewest all the rest."""
        stretches: list[list[int]] = []
        for slot in self._slots:
            start, end = self._sharing(rest, slot.last)
            stretches.append(rest[start:end])
            del rest[start:end]
        first = bisect_left(rest, self._last, key=self._texts.__getitem__)
        rest = rest[first:] + rest[:first]
        shortest = min(range(len(stretches)), key=lambda place: len(stretches[place]))
        self._order, self._starts_document = [], []
        for place, (slot, stretch) in enumerate(zip(self._slots, stretches, strict=True)):
            slot.start = len(self._order)
            self._order += stretch
            self._starts_document += [False] * len(stretch)
            if place == shortest:
                self._order += rest
                texts = [self._texts[index] for index in rest]
                self._starts_document += [True, *(not _is_shared(text, other) for text, other in pairwise(texts))][
                    : len(rest)
                ]
            slot.end = len(self._order)

    def _sharing(self, order: Sequence[int], text: str) -> tuple[int, int]:
        """(start, end) of the sorted prompts that share most of a text."""
        start = end = bisect_left(order, text, key=self._texts.__getitem__)
        while text and start > 0 and _is_shared(self._texts[order[start - 1]], text):
            start -= 1
        while text and end < len(order) and _is_shared(self._texts[order[end]], text):
            end += 1
        return start, end

    def _next(self, slot: Slot) -> int | None:
        if slot.start == slot.end:
            self._share(slot)
        if slot.start == slot.end:
            return None
        slot.start += 1
        return self._order[slot.start - 1]

    def _share(self, slot: Slot) -> None:
        """Give a slot without prompts a part of the longest stretch that can be cut, if any can."""
        for other in sorted(self._slots, key=lambda other: other.start - other.end):
            if (cut := self._cut(other.start, other.end)) is not None:
                slot.start, slot.end, other.end = cut, other.end, cut
                return

    def _cut(self, start: int, end: int) -> int | None:
        """The position at which a stretch is cut for another slot; None if too few prompts would be gained."""
        if starts := [place for place in range(start, end) if self._starts_document[place]]:
            return min(starts, key=lambda place: abs(2 * place - start - end))
        return (start + end) // 2 if end - start >= SHARED_PROMPTS else None


def _is_shared(text: str, other: str) -> bool:
    return 2 * common_length(text, other) >= min(len(text), len(other))
