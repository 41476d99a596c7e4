"""Quantiles and histograms."""

import numpy as np
import pytest

from pipelines.plugins.study.analysis._numbers import Histogram, Quantiles


def test_quantiles_are_numpy_s() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]
    quantiles = Quantiles.from_values(values)
    assert quantiles is not None
    computed = [quantiles.q05, quantiles.q25, quantiles.median, quantiles.q75, quantiles.q95]
    assert computed == pytest.approx(np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95]).tolist())
    assert (quantiles.count, quantiles.least, quantiles.most, quantiles.mean) == (11, 1, 9, 4)


def test_all_quantiles_of_one_number_are_that_number() -> None:
    quantiles = Quantiles.from_values([7])
    assert quantiles is not None
    assert (quantiles.q05, quantiles.median, quantiles.q95) == (7, 7, 7)


def test_no_numbers_have_no_quantiles_and_an_empty_histogram() -> None:
    assert Quantiles.from_values([]) is None
    assert sum(Histogram.from_values([]).counts) == 0


def test_bins_include_their_lower_edge() -> None:
    histogram = Histogram.from_values([0, 0.9, 1, 2, 4.9, 5, 20, 99])
    assert histogram.edges == (0, 1, 2, 5, 10, 20, 50, 100)
    assert histogram.counts == (2, 1, 2, 1, 0, 1, 1)
    assert Histogram.from_values([100]).edges[-1] == 200
