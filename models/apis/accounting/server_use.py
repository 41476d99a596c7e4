"""How well a reader's servers are used: what they read from their caches, and how much of the time they are busy."""

import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable

from models.apis.accounting.prefix_tree import common_length, is_long
from models.apis.accounting.token_estimate import estimates
from models.requests import Reply

KEPT_TEXTS, KEPT_CHARACTERS = 1_000, 20_000_000  # that later prompts are compared with


class ServerUse:
    """Counts since a run's start, for servers that tell. Thread-safe.

    `cached` tokens of prompts were read from a cache, `cacheable` ones could have been.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self.begin()

    def begin(self) -> None:
        """A run begins."""
        self.cached = self.cacheable = 0
        self._slots: int | None = None
        self._start_time: float | None = None
        self._end_time = self._seconds = 0.0

    def start(self, slots: int | None) -> None:
        """Requests are sent from now on, to a server with so many slots, if it has any."""
        with self._lock:
            self._slots = slots
            self._start_time = self._clock() if self._start_time is None else self._start_time

    def add_reply(self, reply: Reply, cacheable: int) -> None:
        """Count a reply, so many of whose prompt's tokens an earlier prompt began with."""
        with self._lock:
            self.cached += reply.cached_tokens
            self.cacheable += max(cacheable, reply.cached_tokens)

    def add_seconds(self, seconds: float) -> None:
        """A slot worked so long for a reply that came just now."""
        with self._lock:
            self._seconds += seconds
            self._end_time = self._clock()

    @property
    def busy_share(self) -> float | None:
        """The share of the time from the first request to the last reply in which slots worked; None: not told."""
        if self._slots is None or self._start_time is None or self._end_time <= self._start_time:
            return None
        return min(self._seconds / (self._slots * (self._end_time - self._start_time)), 1.0)

    def __str__(self) -> str:
        """A line for the user; empty where servers told nothing."""
        parts = []
        if self.cached:
            share = 100 * self.cached / self.cacheable
            parts.append(
                f"read from the server's cache: {self.cached:,} of {self.cacheable:,} tokens that could be "
                f"({share:.0f} %)"
            )
        if (busy := self.busy_share) is not None:
            server = "the server was" if self._slots == 1 else f"the server's {self._slots} slots were"
            parts.append(f"{server} busy {100 * busy:.0f} % of the time")
        return "; ".join(parts)


class SharedLengths:
    """How many characters each text begins alike with one that came before it, of the last ones.

    Together these are all that a cache can save where each text is read once.
    """

    def __init__(self) -> None:
        self._sorted: list[str] = []
        self._texts: deque[str] = deque()
        self._characters = 0

    def add(self, text: str) -> int:
        """The length for one more text."""
        place = bisect_left(self._sorted, text)
        near = self._sorted[max(place - 1, 0) : place + 1]
        self._sorted.insert(place, text)
        self._texts.append(text)
        self._characters += len(text)
        while len(self._texts) > KEPT_TEXTS or self._characters > KEPT_CHARACTERS:
            oldest = self._texts.popleft()
            self._characters -= len(oldest)
            del self._sorted[bisect_left(self._sorted, oldest)]
        return max((common_length(other, text) for other in near), default=0)


def cacheable(text: str, shared: int, tokens: int, is_long_only: bool) -> int:
    """How many of a prompt's `tokens` a cache can save, where the first `shared` characters were read before.

    The server's tokens are divided as the estimates are. `is_long_only`: it keeps no fewer than 1,024 tokens.
    """
    if not shared or not tokens or (is_long_only and not is_long(text[:shared], estimates)):
        return 0
    rest, total = estimates([text[shared:], text])
    return round(tokens * (1 - rest / max(total, 1)))
