"""Holds requests back while as many are under way as an adaptive limit allows."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from models.apis.sending.adaptive_limit import AdaptiveLimit
from models.apis.sending.concurrent import Order

A_contra = TypeVar("A_contra", contravariant=True)


class Meter:
    """Tells a limit how the requests of a client fare, each further try by itself. Thread-safe."""

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
        """A request is under way while the block runs, which puts the response into the list, if one comes.

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
                    if is_overload(response):
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


def is_overload(response: Any) -> bool:
    """Whether a server says that it gets too many requests: HTTP 429, or 503 with the time to come again."""
    return response.status_code == 429 or (response.status_code == 503 and "retry-after" in response.headers)
