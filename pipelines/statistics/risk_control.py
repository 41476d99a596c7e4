"""Conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster 2024, "Conformal Risk Control", theorem 1).

A threshold is chosen on the losses of n calibration units, none above B, that grow with the threshold. Let it be the
largest one with

    (L_1(t) + … + L_n(t) + B) / (n + 1) ≤ α

Then the expected loss of a further unit is at most α, if the n + 1 units are exchangeable. The expectation is over the
calibration units too: it is no statement about the one threshold that was chosen. Units are documents, whose questions
are not independent. No threshold does where B / (n + 1) > α.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np

from pipelines.statistics.sample import Floats

ROUNDING = 1e-12


def units_needed(risk: float) -> int:
    """The least number of calibration units for a risk between 0 and 1, of losses of at most 1: α ≥ 1 / (n + 1)."""
    return max(ceil(1 / risk - 1 - 1e-9), 1)


def bounded_mean(losses: Floats, highest: float = 1.0) -> Floats:
    """The mean loss if one further unit had the highest one: of losses [units, …], over the units."""
    return np.asarray((losses.sum(0) + highest) / (len(losses) + 1))


def largest_threshold(
    thresholds: Sequence[float], losses: Floats, risk: float, highest: float = 1.0
) -> tuple[float, float] | None:
    """The largest threshold whose bounded mean loss is at most `risk`, and that mean; None where no threshold does.

    `losses` are [units, thresholds], and do not fall as the threshold grows.
    """
    means = bounded_mean(losses, highest)
    numbers = [number for number in np.argsort(thresholds) if means[number] <= risk + ROUNDING]
    return (float(thresholds[numbers[-1]]), float(means[numbers[-1]])) if numbers else None
