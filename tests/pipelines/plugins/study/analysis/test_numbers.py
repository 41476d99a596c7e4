"""Quantiles and histograms."""

import numpy as np
import pytest

from pipelines.plugins.study.analysis._numbers import Histogram, Quantiles


def test_quantiles_are_numpy_s() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
    found = Quantiles.from_values(values)
    assert found is not None
    given = [found.q05, found.q25, found.median, found.q75, found.q95]
    assert given == pytest.approx(np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist())
    assert (found.count, found.least, found.most, found.mean) == (11, 1, 9, 4)


def test_all_quantiles_of_one_number_are_that_number() -> None:
    found = Quantiles.from_values([7])
    assert found is not None
    assert (found.q05, found.median, found.q95) == (7, 7, 7)


def test_no_numbers_have_no_quantiles_and_an_empty_histogram() -> None:
    assert Quantiles.from_values([]) is None
    assert sum(Histogram.from_values([]).counts) == 0


def test_bins_include_their_lower_edge() -> None:
    found = Histogram.from_values([0, 0.9, 1, 2, 4.9, 5, 20, 99])
    assert found.edges == (0, 1, 2, 5, 10, 20, 50, 100)
    assert found.counts == (2, 1, 2, 1, 0, 1, 1)
    assert Histogram.from_values([100]).edges[-1] == 200
