"""The area under the ROC curve: how well a score separates right items from wrong ones, over all thresholds."""

from collections.abc import Sequence

import numpy as np


def auc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """The share of pairs of a positive and a negative in which the positive has the higher score, 0–1; ties count half.

    The Mann-Whitney form of the area under the ROC curve (Hanley and McNeil 1982). None without items of both kinds.
    """
    if not positives or not negatives:
        return None
    sorted_negatives = np.sort(np.asarray(negatives, float))
    lower_counts, lower_or_equal_counts = (
        np.searchsorted(sorted_negatives, np.asarray(positives, float), side) for side in ("left", "right")
    )
    return float((lower_counts + lower_or_equal_counts).sum() / 2 / (len(positives) * len(negatives)))
