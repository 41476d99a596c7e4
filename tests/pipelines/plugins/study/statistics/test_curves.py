"""Isotonic regression, crossovers and kept scores, against values worked out by hand and scikit-learn's."""

import numpy as np
import pytest

from pipelines.plugins.study.statistics.curves import KeptBin, crossings, crossover, isotonic, kept_bin

EQUAL = np.ones(4)


def test_isotonic_regression_pools_what_falls() -> None:
    fit = isotonic(np.array([[1.0, 3, 2, 4], [4, 3, 2, 1]]), EQUAL)
    assert fit.tolist() == [[1, 2.5, 2.5, 4], [2.5] * 4]
    assert isotonic(np.array([[3.0, 0]]), np.array([1.0, 2])).tolist() == [[1, 1]]


def test_isotonic_regression_is_that_of_scikit_learn() -> None:
    regression = pytest.importorskip("sklearn.isotonic")
    random = np.random.default_rng(0)
    values, weights = random.normal(size=(20, 7)), random.integers(1, 9, 7).astype(float)
    fit = isotonic(values, weights)
    for row, own in zip(values, fit, strict=True):
        assert own == pytest.approx(regression.isotonic_regression(row, sample_weight=weights))


def test_a_crossing_is_on_the_line_through_the_bins_on_either_side_of_zero() -> None:
    rows = np.array([[-3.0, -1, 1, 3], [-4, -1, 3, 4], [1, 1, 2, 3], [-3, -2, -1, 0], [-1, 0, 0, 5]])
    values = crossings(rows, EQUAL, np.array([0.0, 1, 2, 3]))
    assert values.tolist() == [1.5, 1.25, -np.inf, np.inf, 2]


def test_a_crossover_is_between_lengths_on_a_logarithmic_axis() -> None:
    result = crossover([-10, 10], [5, 5], [1_000, 4_000])
    assert result.value == pytest.approx(2_000)
    assert (result.kind, result.first, result.last, result.low, result.resamples) == ("crossing", 1_000, 4_000, None, 0)


def test_there_is_no_crossover_where_a_system_is_ahead_in_all_bins_or_in_none() -> None:
    ahead, behind = crossover([1, 2], [1, 1], [10, 20]), crossover([-2, -1], [1, 1], [10, 20])
    assert (ahead.value, ahead.kind) == (None, "ahead")
    assert (behind.value, behind.kind) == (None, "behind")
    fall = crossover([10, -20], [1, 1], [10, 20])  # the advantage is assumed not to fall with the length
    assert (fall.value, fall.kind) == (None, "behind")


def test_an_interval_of_resamples_without_a_crossover_is_open() -> None:
    never, always, middle = [-1.0, -1], [1.0, 1], [-1.0, 1]
    beyond = crossover([-1, 1], [1, 1], [10, 40], np.array([never] * 30 + [middle] * 70), 20)
    assert (beyond.low, beyond.high) == (pytest.approx(20), 40)
    assert (beyond.ahead, beyond.behind, beyond.resamples) == (0, 0.3, 100)
    nothing = crossover([-1, 1], [1, 1], [10, 40], np.array([never] * 50 + [always] * 50), 20)
    assert (nothing.low, nothing.high) == (10, 40)
    only_beyond = crossover([-1, -1], [1, 1], [10, 40], np.array([never] * 100), 20)
    assert (only_beyond.low, only_beyond.high) == (40, 40)


def test_a_bound_needs_the_first_or_the_last_bin_to_show_it() -> None:
    resampled = np.array([[-3.0, 2, -1]] * 30 + [[-3.0, 2, 4]] * 70)  # pooled, the last two bins are always above zero
    result = crossover([-3, 2, 2.5], [1, 1, 1], [10, 20, 40], resampled, 20)
    assert (result.behind, result.high) == (0, 40)
    assert result.low is not None and result.low > 10
    mirrored = crossover([-2.5, -2, 3], [1, 1, 1], [10, 20, 40], -resampled[:, ::-1], 20)
    assert (mirrored.ahead, mirrored.low) == (0, 10)


def test_a_score_is_kept_up_to_the_last_bin_that_has_its_share() -> None:
    assert kept_bin([80, 70, 68, 60], 0.85) == KeptBin(2)
    assert kept_bin([80, 60, 79], 0.85) == KeptBin(2)
    resampled = np.array([[80, 70, 60]] * 50 + [[80, 60, 60]] * 50, float)
    assert kept_bin([80, 70, 60], 0.85, resampled, 20) == KeptBin(1, 0, 1)


def test_nothing_is_kept_of_a_first_score_of_zero() -> None:
    assert kept_bin([0, 10], 0.85) is None


def test_bins_are_renumbered_where_a_system_lacks_some() -> None:
    assert KeptBin(1, 0, 2).renumbered([0, 2, 5]) == KeptBin(2, 0, 5)
    assert KeptBin(1).renumbered([3, 4]) == KeptBin(4)
