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
from models.requests import Reply

SHARED_PROMPTS = (
    40  # prompts about one document that two slots share: the second reads it again, which half of them outweigh
)


@dataclass(slots=True)
class Slot:
    """A slot of the server at `url`: its stretch of the sorted prompts, `start` to `end`; its requests under way."""

    url: str
    start: int = 0
    end: int = 0
    concurrency: int = 0


class SlotOrder:
    """Hands out the requests of one call. Thread-safe.

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
        self._texts, self._slot_concurrency, self._read = texts, slot_concurrency, read
        order = sorted(range(len(texts)), key=texts.__getitem__)
        first = bisect_left(order, before, key=texts.__getitem__)
        while first and _is_shared(texts[order[first - 1]], before):
            first -= 1
        self._order = order[first:] + order[:first]
        sorted_texts = [texts[index] for index in self._order]
        self._begins = [True, *(not _is_shared(text, other) for text, other in pairwise(sorted_texts))]  # a document
        self._slots = [Slot(url) for url in slots]
        self._slots[0].end = len(texts)
        self._slots_by_index: dict[int, Slot] = {}  # the slot of each request under way
        self._changed, self._is_over = threading.Condition(), False

    def take(self) -> int | None:
        """The index of the next request; waits until a slot has room. None where none is left."""
        with self._changed:
            while not self._is_over and any(slot.start < slot.end for slot in self._slots):
                for slot in sorted(self._slots, key=lambda slot: slot.concurrency):
                    if slot.concurrency < self._slot_concurrency and (index := self._next(slot)) is not None:
                        slot.concurrency += 1
                        self._slots_by_index[index] = slot
                        self._read(self._texts[index])
                        return index
                self._changed.wait()
            return None

    def server(self, index: int) -> str:
        """The server that a request under way should go to."""
        return self._slots_by_index[index].url

    def done(self, index: int, reply: Reply | None) -> None:
        """A request is back: its slot has room."""
        with self._changed:
            self._slots_by_index.pop(index).concurrency -= 1
            self._changed.notify_all()

    def end(self) -> None:
        """No more requests are sent: whoever waits for one gets none."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _next(self, slot: Slot) -> int | None:
        if slot.start == slot.end:
            self._share(slot)
        if slot.start == slot.end:
            return None
        slot.start += 1
        return self._order[slot.start - 1]

    def _share(self, slot: Slot) -> None:
        """Give a slot a part of the longest stretch that can be cut, if any can."""
        for other in sorted(self._slots, key=lambda other: other.start - other.end):
            if (cut := self._cut(other.start, other.end)) is not None:
                slot.start, slot.end, other.end = cut, other.end, cut
                return

    def _cut(self, start: int, end: int) -> int | None:
        """Where a stretch is cut for another slot; None where that slot would read a document again for a few."""
        if begins := [place for place in range(start, end) if self._begins[place]]:
            return min(begins, key=lambda place: abs(2 * place - start - end))
        return (start + end) // 2 if end - start >= SHARED_PROMPTS else None


def _is_shared(text: str, other: str) -> bool:
    return 2 * common_length(text, other) >= min(len(text), len(other))
