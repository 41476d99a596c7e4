"""Conformal risk control: by hand, and its bound by simulation."""

import numpy as np
import pytest

from pipelines.statistics.risk_control import bounded_mean, largest_threshold, units_needed


@pytest.mark.parametrize(("risk", "units"), [(0.5, 1), (0.1, 9), (0.05, 19), (0.07, 14), (0.9, 1)])
def test_so_many_units_are_needed_that_one_more_at_the_highest_loss_is_within_the_risk(risk: float, units: int) -> None:
    assert units_needed(risk) == units


def test_the_largest_threshold_within_the_risk_is_chosen() -> None:
    losses = np.array([[0.0, 0.0, 0.5], [0.0, 0.25, 1.0], [0.0, 0.0, 0.0]])
    assert bounded_mean(losses).tolist() == [0.25, 0.3125, 0.625]
    assert largest_threshold([1, 2, 3], losses, 0.4) == (2, 0.3125)
    assert largest_threshold([3, 2, 1], losses[:, ::-1], 0.3) == (1, 0.25)
    assert largest_threshold([1, 2, 3], losses, 0.2) is None


@pytest.mark.parametrize(("risk", "units"), [(0.1, 12), (0.1, 40), (0.3, 5)])
def test_the_mean_loss_of_a_further_unit_is_within_the_risk(risk: float, units: int) -> None:
    random, draws = np.random.default_rng(7), 2000
    thresholds = np.linspace(0, 1, 41)
    further_losses = np.empty(draws)
    for draw in range(draws):
        difficulties = random.beta(0.6, 1.4, units + 1)  # of documents, whose questions are not independent
        scores, losses = random.random((2, units + 1, 8))
        is_loss = losses < difficulties[:, None] * scores
        table = np.stack([(is_loss & (scores <= threshold)).mean(1) for threshold in thresholds], axis=1)
        choice = largest_threshold(thresholds.tolist(), table[:-1], risk)
        further_losses[draw] = 0.0 if choice is None else table[-1, thresholds.tolist().index(choice[0])]
    error = 3 * further_losses.std() / np.sqrt(draws)
    assert risk / 4 < further_losses.mean() <= risk + error
