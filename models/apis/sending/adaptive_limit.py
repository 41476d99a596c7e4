"""How many requests to have under way at a server whose capacity nobody has said.

TCP's rule (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988): the limit doubles with each window of replies
until something speaks against it, then grows by `INCREASE` a window, and falls by a factor. What speaks against it is
an answer of "too many requests", or that the latency is over `TOLERANCE` times its minimum, as in the limiters by
latency of Netflix's concurrency-limits (`VegasLimit`, `GradientLimit`).

Latency falls only on the part above `START`: requests for long outputs take longer whatever the load. And as a server
with `TOLERANCE` times its minimal latency is busy at three quarters of the limit too, no throughput is lost thereby.
"""

from collections import deque
from statistics import median_low

START, MAXIMUM = 8, 64  # requests under way
INCREASE = 2  # requests a window
TOLERANCE = 2.0  # times the minimum
AFTER_SLOWNESS, AFTER_REFUSAL = 0.75, 0.5  # factors
WINDOWS = 30  # whose latencies the minimum is of: other requests may come that take longer


class AdaptiveLimit:
    """`value` is the limit; latencies and refusals are handed in. Not thread-safe; it reads no clock."""

    def __init__(self, start: int = START, maximum: int = MAXIMUM) -> None:
        self.value = start
        self._start, self._maximum = start, maximum
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
