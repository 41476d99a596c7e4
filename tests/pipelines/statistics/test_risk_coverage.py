"""Risk-coverage curves and calibration, by hand."""

import pytest

from pipelines.statistics.risk_coverage import aurc, calibration_error, selective_risks


def test_the_curve_is_the_mean_loss_of_the_most_confident() -> None:
    assert selective_risks([0.1, 0.9, 0.5], [1, 0, 0.5]).tolist() == [0, 0.25, 0.5]
    assert aurc([0.1, 0.9, 0.5], [1, 0, 0.5]) == 0.25


def test_equal_confidences_count_with_their_mean_loss_in_any_order() -> None:
    assert selective_risks([1, 1, 0], [0, 1, 1]).tolist() == [0.5, 0.5, pytest.approx(2 / 3)]
    assert aurc([1, 1], [0, 1]) == aurc([1, 1], [1, 0]) == 0.5


def test_confidences_in_the_order_of_the_losses_have_the_least_area() -> None:
    losses = [0, 0, 1, 1]
    assert aurc([4, 3, 2, 1], losses) < aurc([1, 1, 1, 1], losses) == 0.5 < aurc([1, 2, 3, 4], losses)


def test_the_calibration_error_weighs_bins_by_their_size() -> None:
    assert calibration_error([1.0, 1.0, 0.0, 0.0], [1, 0, 0, 0]) == 0.25
    assert calibration_error([0.75, 0.75, 0.75, 0.75], [1, 1, 1, 0]) == 0
    assert calibration_error([0.05, 0.95], [1, 0], bins=2) == pytest.approx(0.95)
