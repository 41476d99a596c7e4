"""The adaptive limit on requests under way, given latencies."""

import threading

from models.apis.sending.adaptive_limit import MAXIMUM, START, AdaptiveLimit, GatedOrder, Meter
from models.apis.sending.concurrent import InTurn


def limits_after(limit: AdaptiveLimit, *latencies: float) -> list[int]:
    """The limit after each window of replies with these latencies, as many under way as it allows."""
    limits = []
    for seconds in latencies:
        for _ in range(limit.value):
            limit.add_latency(seconds, limit.value)
        limits.append(limit.value)
    return limits


def test_the_limit_doubles_up_to_the_maximum_while_latency_stays_low() -> None:
    assert limits_after(AdaptiveLimit(), 1.0, 1.0, 1.9, 2.0, 1.0) == [16, 32, 64, 64, 64]
    assert (START, MAXIMUM) == (8, 64)


def test_slow_windows_lower_the_limit_by_a_quarter_but_not_below_the_start() -> None:
    limit = AdaptiveLimit()
    limits_after(limit, 1.0, 1.0)
    assert limit.value == 32
    for _ in range(32):
        limit.add_latency(2.1, 32)
    assert limit.value == 24
    for _ in range(31):  # sent before the limit fell
        limit.add_latency(9.0, 24)
    assert limits_after(limit, 1.0, 1.0, 1.0) == [26, 28, 30]
    low = AdaptiveLimit()
    limits_after(low, 1.0)
    for _ in range(1_000):
        low.add_latency(50.0, low.value)
    assert low.value >= START


def test_a_burst_of_refusals_halves_the_limit_once() -> None:
    limit = AdaptiveLimit()
    limits_after(limit, 1.0)
    for concurrency in range(16, 0, -1):
        limit.add_refusal(concurrency)
    assert limit.value == 8
    for _ in range(200):
        limit.add_refusal(1)
    assert limit.value == 1
    limit.add_latency(1.0, 1)
    assert limit.value == 3


def test_the_limit_does_not_grow_where_fewer_requests_are_under_way() -> None:
    limit = AdaptiveLimit()
    for _ in range(100):
        limit.add_latency(1.0, 3)
    assert limit.value == 8


def test_an_older_minimum_is_forgotten() -> None:
    limit = AdaptiveLimit()
    limit.bound(4)
    limits_after(limit, 1.0, *[1.9] * 30)
    assert limits_after(limit, 3.0) == [4]
    assert min(limit._medians) == 1.9


def test_questions_wait_for_room_and_the_end_lets_all_go() -> None:
    limit = AdaptiveLimit()
    limit.bound(2)
    order = GatedOrder(InTurn(5), Meter(limit))
    assert [order.take(), order.take()] == [0, 1]
    taken: list[int | None] = []
    waiting = threading.Thread(target=lambda: taken.append(order.take()), daemon=True)
    waiting.start()
    order.done(0, None)
    waiting.join(10)
    assert taken == [2]
    waiting = threading.Thread(target=order.take, daemon=True)
    waiting.start()
    order.end()
    waiting.join(10)
    assert not waiting.is_alive()
