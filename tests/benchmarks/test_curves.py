"""The simulation of curves: its intervals hold the truth, and its systems cross where their names say."""

import numpy as np
import pytest

from benchmarks import curves


@pytest.mark.parametrize("name", curves.SECOND_SYSTEMS)
def test_a_system_crosses_where_its_name_says(name: str) -> None:
    second_system = curves.SECOND_SYSTEMS[name]
    octaves = np.linspace(12, 17, 501)
    ahead = second_system.shares(octaves) > curves.falling(octaves)
    expected = 2**octaves > second_system.crossover
    assert (ahead == expected)[np.abs(octaves - np.log2(max(second_system.crossover, 1))) > 0.02].all()


def test_most_intervals_hold_the_crossover(monkeypatch: pytest.MonkeyPatch) -> None:
    random, second_system = np.random.default_rng(0), curves.SECOND_SYSTEMS["crossing in the middle"]
    monkeypatch.setattr(curves, "RESAMPLES", 300)
    curves.counts.cache_clear()
    draws = [curves.coverage(random, 10, second_system, question_counts_differ=True) for _ in range(40)]
    curves.counts.cache_clear()
    assert np.mean([coverage.crossover for coverage in draws]) >= 0.85
    assert np.mean([coverage.is_open for coverage in draws]) <= 0.3
