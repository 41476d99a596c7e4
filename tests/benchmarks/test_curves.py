"""The simulation of curves: its intervals hold the truth, and its systems cross where their names say."""

import numpy as np
import pytest

from benchmarks import curves


@pytest.mark.parametrize("name", curves.KINDS)
def test_a_system_crosses_where_its_kind_says(name: str) -> None:
    kind = curves.KINDS[name]
    octaves = np.linspace(12, 17, 501)
    ahead = kind.shares(octaves) > curves.falling(octaves)
    expected = 2**octaves > kind.crossover
    assert (ahead == expected)[np.abs(octaves - np.log2(max(kind.crossover, 1))) > 0.02].all()


def test_most_intervals_hold_the_crossover(monkeypatch: pytest.MonkeyPatch) -> None:
    random, kind = np.random.default_rng(0), curves.KINDS["crossing in the middle"]
    monkeypatch.setattr(curves, "RESAMPLES", 300)
    curves.counts.cache_clear()
    draws = [curves.coverage(random, 10, kind, is_uneven=True) for _ in range(40)]
    curves.counts.cache_clear()
    assert np.mean([coverage.crossover for coverage in draws]) >= 0.85
    assert np.mean([coverage.is_open for coverage in draws]) <= 0.3
