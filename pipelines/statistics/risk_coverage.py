"""Risk-coverage curves and calibration error: how a system's risk grows with the share of questions it answers.

Questions are answered from the most confident on. At coverage i / n the selective risk is the mean loss of the first i
(El-Yaniv and Wiener 2010); the area under this curve, AURC, is its mean over i = 1 … n (Geifman, Uziel and El-Yaniv
2019, section 2). Equal confidences have no order: each of them counts with their mean loss, which is the expectation
over all orders.

The expected calibration error compares confidences with the share that is right, bin by bin (Naeini, Cooper and
Hauskrecht 2015; with 15 bins as Guo et al. 2017, section 2).
"""

from collections.abc import Sequence

import numpy as np

from pipelines.statistics.sample import Floats

BINS = 15


def selective_risks(confidences: Sequence[float], losses: Sequence[float]) -> Floats:
    """The mean loss of the i most confident questions, for i = 1 … n."""
    distinct, groups, counts = np.unique(-np.asarray(confidences, float), return_inverse=True, return_counts=True)
    means = np.bincount(groups, np.asarray(losses, float), len(distinct)) / counts
    return np.asarray(np.cumsum(np.repeat(means, counts)) / np.arange(1, len(groups) + 1))


def aurc(confidences: Sequence[float], losses: Sequence[float]) -> float:
    """The area under the risk-coverage curve, in the unit of the losses; for one question or more."""
    return float(selective_risks(confidences, losses).mean())


def calibration_error(confidences: Sequence[float], scores: Sequence[float], bins: int = BINS) -> float:
    """The expected calibration error of confidences and scores of 0–1: bins of equal width, 1 in the last one."""
    confidence_array, score_array = np.asarray(confidences, float), np.asarray(scores, float)
    bin_numbers = np.minimum((confidence_array * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(bin_numbers, confidence_array - score_array, bins)).sum() / len(bin_numbers))
