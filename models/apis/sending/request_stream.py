"""Requests to servers, sent as soon as there is room, in an order that makes use of their prompt caches.

How well the servers are used is counted: their cache hits, and the share of time that they are busy.
"""

import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from longdoc.errors import UserError
from models.apis.accounting.prefix_tree import common_length, is_long
from models.apis.accounting.shared_prefixes import PrefixOrder
from models.apis.accounting.slot_order import SlotOrder
from models.apis.accounting.token_estimate import estimates
from models.apis.sending.adaptive_limit import GatedOrder, Meter
from models.apis.sending.concurrent import Order, Sending
from models.apis.sending.servers import Servers
from models.prompts import Prompt
from models.reader import OnReply, RequestStream
from models.requests import Generate, Reply, Request

KEPT_TEXTS, KEPT_CHARACTERS = 1_000, 20_000_000  # that later prompts are compared with


class ServerUse:
    """Counts since a run's start, for servers that tell. Thread-safe.

    `cached` tokens of prompts were read from a cache, `cacheable` ones could have been.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self.begin()

    def begin(self) -> None:
        """Reset all counts: a run begins."""
        self.cached = self.cacheable = 0
        self._slots: int | None = None
        self._start_time: float | None = None
        self._end_time = self._seconds = 0.0

    def start(self, slots: int | None) -> None:
        """Start the clock: requests are sent from now on, to a server with so many slots (None: it has none)."""
        with self._lock:
            self._slots = slots
            self._start_time = self._clock() if self._start_time is None else self._start_time

    def add_reply(self, reply: Reply, cacheable: int) -> None:
        """Count a reply; `cacheable` tokens of its prompt were also at the start of an earlier prompt."""
        with self._lock:
            self.cached += reply.cached_tokens
            self.cacheable += max(cacheable, reply.cached_tokens)

    def add_seconds(self, seconds: float) -> None:
        """Add the seconds that a slot worked for a reply that came just now."""
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


class ServerStream(RequestStream):
    """Sends the requests of `order` to `servers`, at most `in_flight` at once, or as many as a meter allows.

    `name` is the reader's, `ask` is called with each, and `use` counts what servers read from their caches.
    """

    def __init__(
        self,
        name: str,
        ask: Callable[[Generate], Reply],
        servers: Servers,
        order: PrefixOrder | SlotOrder,
        in_flight: int,
        meter: Meter | None,
        use: ServerUse,
        on_reply: OnReply,
    ) -> None:
        self._name, self._ask, self._servers, self._order, self._use = name, ask, servers, order, use
        self._requests: dict[int, tuple[Generate, str, int]] = {}  # not sent yet, with text and length that is shared
        self._added = 0
        self._lengths = SharedLengths()
        gated: Order[Reply] = order if meter is None else GatedOrder(order, meter)
        self._sending = Sending(self._reply, in_flight, on_reply, gated)

    def add(self, requests: Sequence[Request]) -> None:
        """Send more requests, which have the next indices. Raises `UserError` for other kinds than `Generate`."""
        generate_requests = [request for request in requests if isinstance(request, Generate)]
        if len(generate_requests) < len(requests):
            raise UserError(f"the reader {self._name} answers Generate requests only")
        prompts = [Prompt.of(request.prompt) for request in generate_requests]
        for request, prompt in zip(generate_requests, prompts, strict=True):
            self._requests[self._added] = (request, prompt.text, self._lengths.add(prompt.text))
            self._added += 1
        self._order.add(prompts)
        self._sending.add(len(requests))

    @property
    def is_short(self) -> bool:
        """Whether a slot, or a server, has nothing to do, or soon will have."""
        return self._order.is_short

    def next(self, wait: bool = True) -> tuple[int, Reply] | None:
        """The next (index, reply) to arrive."""
        return self._sending.next(wait)

    def rest(self) -> Iterator[tuple[int, Reply]]:
        """What is left, as it arrives; nothing is added any more."""
        return self._sending.rest()

    def close(self) -> list[int]:
        """Send nothing more, and wait for what is under way."""
        return self._sending.close()

    def _reply(self, index: int) -> Reply:
        request, text, shared = self._requests.pop(index)
        with self._servers.preferring(self._order.server(index)):
            reply = self._ask(request)
        is_long_only = isinstance(self._order, PrefixOrder)
        self._use.add_reply(reply, _cacheable(text, shared, reply.tokens_in, is_long_only))
        return reply


class SharedLengths:
    """For each text the length in characters of the prefix that it shares with a recent text.

    Their sum is the most that a cache can save if each text is read once.
    """

    def __init__(self) -> None:
        self._sorted: list[str] = []
        self._texts: deque[str] = deque()
        self._characters = 0

    def add(self, text: str) -> int:
        """The shared length of one more text."""
        index = bisect_left(self._sorted, text)
        neighbours = self._sorted[max(index - 1, 0) : index + 1]
        self._sorted.insert(index, text)
        self._texts.append(text)
        self._characters += len(text)
        while len(self._texts) > KEPT_TEXTS or self._characters > KEPT_CHARACTERS:
            oldest = self._texts.popleft()
            self._characters -= len(oldest)
            del self._sorted[bisect_left(self._sorted, oldest)]
        return max((common_length(other, text) for other in neighbours), default=0)


def _cacheable(text: str, shared: int, tokens: int, is_long_only: bool) -> int:
    """How many of a prompt's `tokens` a cache can save, where the first `shared` characters were read before.

    The server's tokens are divided as the estimates are. `is_long_only`: it keeps no fewer than 1,024 tokens.
    """
    if not shared or not tokens or (is_long_only and not is_long(text[:shared], estimates)):
        return 0
    rest, total = estimates([text[shared:], text])
    return round(tokens * (1 - rest / max(total, 1)))
