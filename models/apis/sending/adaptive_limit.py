"""How many requests to have under way at a server whose capacity nobody has said.

TCP's rule (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988): the limit doubles with each window of replies
until something speaks against it, then grows by `INCREASE` a window, and falls by a factor. What speaks against it is
an answer of "too many requests", or that the latency is over `TOLERANCE` times its minimum, as in the limiters by
latency of Netflix's concurrency-limits (`VegasLimit`, `GradientLimit`).

Latency falls only on the part above `START`: requests for long outputs take longer whatever the load. And as a server
with `TOLERANCE` times its minimal latency is busy at three quarters of the limit too, no throughput is lost thereby.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median_low
from typing import Any, Generic, TypeVar

from models.apis.sending.concurrent import Order

START, MAXIMUM = 8, 64  # requests under way
INCREASE = 2  # requests a window
TOLERANCE = 2.0  # times the minimum
AFTER_SLOWNESS, AFTER_REFUSAL = 0.75, 0.5  # factors
WINDOWS = 30  # whose latencies the minimum is of: other requests may come that take longer


class AdaptiveLimit:
    """`value` is the limit; latencies and refusals are handed in. Not thread-safe; it reads no clock."""

    def __init__(self) -> None:
        self.value = self._start = START
        self._maximum = MAXIMUM
        self._is_doubling = True
        self._latencies: list[float] = []  # of the window
        self._medians: deque[float] = deque(maxlen=WINDOWS)
        self._peak = 0  # requests under way in the window
        self._outdated = 0  # requests that were sent before the limit fell: they say nothing about the new one

    def bound(self, slots: int) -> None:
        """The server answers so many at once: begin with these, and never have more under way."""
        self._maximum = self._start = self.value = min(slots, self._maximum)

    def add_latency(self, seconds: float, concurrency: int) -> None:
        """A reply came after so many seconds, while so many requests were under way, itself among them."""
        if self._is_outdated():
            return
        self._latencies.append(seconds)
        self._peak = max(self._peak, concurrency)
        if len(self._latencies) < self.value:
            return
        median = median_low(self._latencies)  # low: in a window that doubled, half of the connections are new
        self._medians.append(median)
        if median > TOLERANCE * min(self._medians):
            self._fall(max(int(self.value * AFTER_SLOWNESS), min(self.value, self._start)), concurrency)
        else:
            self._grow()

    def add_refusal(self, concurrency: int) -> None:
        """The server said that these are too many requests; so many were under way, the refused one among them."""
        if not self._is_outdated():
            self._fall(max(int(self.value * AFTER_REFUSAL), 1), concurrency)

    def _is_outdated(self) -> bool:
        self._outdated -= self._outdated > 0 and 1
        return self._outdated > 0

    def _grow(self) -> None:
        if 2 * self._peak >= self.value:  # else nothing is known of as many requests as the limit allows
            self.value = min(self.value * 2 if self._is_doubling else self.value + INCREASE, self._maximum)
        self._latencies, self._peak = [], 0

    def _fall(self, value: int, concurrency: int) -> None:
        self.value, self._is_doubling, self._outdated = value, False, concurrency
        self._latencies, self._peak = [], 0


A_contra = TypeVar("A_contra", contravariant=True)


class Meter:
    """Reports the latencies and refusals of a client's requests, each retry by itself, to a limit. Thread-safe."""

    def __init__(self, limit: AdaptiveLimit) -> None:
        self._limit, self._concurrency = limit, 0
        self._lock = threading.Lock()

    @property
    def limit(self) -> int:
        """The requests that may be under way now."""
        return self._limit.value

    def bound(self, slots: int) -> None:
        """Have no more requests under way than a server answers at once."""
        with self._lock:
            self._limit.bound(slots)

    @contextmanager
    def timed(self) -> Iterator[list[Any]]:
        """Count a request as in flight while the block runs; the block puts the response, if any, into the list.

        A request that fails says nothing of the load, whatever it takes; one that is refused for it does.
        """
        responses: list[Any] = []
        with self._lock:
            self._concurrency += 1
        start = time.monotonic()
        try:
            yield responses
        finally:
            seconds = time.monotonic() - start
            with self._lock:
                for response in responses:
                    if _is_overload(response):
                        self._limit.add_refusal(self._concurrency)
                    elif response.is_success:
                        self._limit.add_latency(seconds, self._concurrency)
                self._concurrency -= 1


class GatedOrder(Generic[A_contra]):
    """Another order, whose questions are handed out while fewer are under way than a meter's limit."""

    def __init__(self, order: Order[A_contra], meter: Meter) -> None:
        self._order, self._meter = order, meter
        self._concurrency, self._is_over = 0, False
        self._changed = threading.Condition()

    def take(self) -> int | None:
        """The index of the next question, once there is room; None where none is left."""
        with self._changed:
            while self._concurrency >= self._meter.limit and not self._is_over:
                self._changed.wait()
            self._concurrency += 1
        index = self._order.take()
        if index is None:
            self._leave()
        return index

    def done(self, index: int, answer: A_contra | None) -> None:
        """A question is answered: there is room for others."""
        self._order.done(index, answer)
        self._leave()

    def complete(self) -> None:
        """No question is added any more."""
        self._order.complete()

    def end(self) -> None:
        """No further question is started: whoever waits gets None."""
        self._order.end()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._changed:
            self._concurrency -= 1
            self._changed.notify(max(self._meter.limit - self._concurrency, 0))


def _is_overload(response: Any) -> bool:
    """Whether a server says that it gets too many requests: HTTP 429, or 503 with the time to come again."""
    return response.status_code == 429 or (response.status_code == 503 and "retry-after" in response.headers)
