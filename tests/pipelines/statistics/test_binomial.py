"""Tails of the binomial distribution."""

import pytest

from pipelines.statistics.binomial import upper_tail


@pytest.mark.parametrize(
    ("successes", "trials", "probability", "tail"),
    [
        (0, 5, 0.3, 1.0),
        (5, 5, 0.5, 1 / 32),
        (1, 2, 0.25, 7 / 16),
        (6, 5, 0.5, 0.0),
        (15, 16, 0.5, 17 / 2**16),
    ],
)
def test_the_tail_is_the_sum_of_the_probabilities(successes: int, trials: int, probability: float, tail: float) -> None:
    assert upper_tail(successes, trials, probability) == pytest.approx(tail, rel=1e-9)


def test_many_trials_do_not_overflow() -> None:
    assert upper_tail(50_000, 100_000, 0.5) == pytest.approx(0.5, abs=0.002)
    assert upper_tail(99_999, 100_000, 0.5) == 0.0
