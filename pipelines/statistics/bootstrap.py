"""Bootstrap intervals of scores, over examples or whole documents.

Resamples are drawn with replacement, as many units as there are: examples, or documents with all their examples, since
questions about one book are not independent (Field and Welsh 2007; Cameron, Gelbach and Miller 2008). The interval is
the expanded percentile interval (Hesterberg 2015, "What Teachers Should Know About the Bootstrap"): the percentile
interval of Efron and Tibshirani (1993, chapter 13) is too narrow for n units as z is against Student's t and n against
n - 1, so its tails of a / 2 become Φ(-sqrt(n / (n - 1)) · t(1 - a / 2, n - 1)).

Its coverage was simulated for ten kinds of skewed data of 0–100 (`benchmarks.coverage`; the table is in RESULTS.md).
With 2, 3 and 4 documents the kind that fares worst has the true mean in 49, 42 and 41% of its 95% intervals: a score of
fewer than five units has no interval. From 5 to 9 nine of the kinds have 86% or more, and intervals are marked where
they are printed; from 10 on they have 88% or more. The tenth has documents that are wholly wrong, one in ten, among
others that are nearly all right: samples that lack the former know nothing of them, and it has 43% at 5, 64% at 10 and
94% at 30.

Where all units agree no resample varies; that shows no variation in this sample, not that there is none. There the
interval is the exact one of "none of n units is otherwise" (Clopper and Pearson 1934): with q = 1 - (a / 2)^(1 / n) the
share of others that may have been missed, a score v lies in [v - q·v, v + q·(100 - v)]. n is the number of documents,
not of questions: ten documents of thirty questions that are all right may still be ten easy ones. A BLEU that is 0 but
for its guards against zero (`sample.NEAR`) agrees in all units, too.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from pipelines.statistics.intervals import MINIMUM, Interval, too_few_units
from pipelines.statistics.sample import NEAR, Aggregation, Floats, Row, Sample, units

LEVEL, RESAMPLES, SEED = 0.95, 2000, 0
TOLERANCE = 1e-9  # points: differences up to this are rounding


def intervals(
    metric: Aggregation,
    rows: Sequence[Row],
    clusters: Sequence[str] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Interval]:
    """An interval for every score of `metric.aggregate(rows)` that counts five units or more.

    `clusters` is each row's document: with two or more, documents are resampled, else examples. `Interval.units` is the
    number of units that the score counts; resamples without the score (no evidence, no hard question) are left out.
    """
    return sample_intervals(Sample(metric, rows, units(len(rows), clusters)), level, resamples, seed) if rows else {}


def sample_intervals(sample: Sample, level: float, resamples: int, seed: int) -> dict[str, Interval]:
    """The interval of every score of a sample that counts five units or more, by name."""
    intervals = {}
    for name, value in sample.scores.items():
        resampled = sample.resampled(resamples, seed)[name]
        extent = 0.0, counted_units(sample, name)
        if (score_interval := interval(value, resampled, sample, extent, level)) is not None:
            intervals[name] = score_interval
    return intervals


def lacking_intervals(sample: Sample) -> dict[str, str]:
    """The reason why a score has no interval, by name; empty where all have one."""
    reasons = {score: too_few_units(counted_units(sample, score), sample.units.unit) for score in sample.scores}
    return {score: reason for score, reason in reasons.items() if reason}


def counted_units(sample: Sample, name: str) -> int:
    """The number of examples or documents that a score counts."""
    return len(np.unique(sample.units.of_row[sample.counted(name)]))


def interval(
    value: float, resampled: Floats, sample: Sample, extent: tuple[float, int], level: float
) -> Interval | None:
    """The interval of a score from its resamples; None for fewer than five units.

    `extent` is the smallest possible score, and the number of units.
    """
    units = extent[1]
    if units < MINIMUM:
        return None
    finite = resampled[~np.isnan(resampled)]
    low, high = bounds(value, finite, extent, level)
    return Interval(low, high, level, len(finite), sample.units.unit, units)


def bounds(value: float, resampled: Floats, extent: tuple[float, int], level: float) -> tuple[float, float]:
    """The bounds of an interval, for two units or more; `extent` as for `interval`, the resamples without NaN."""
    minimum, units = extent
    if np.ptp(resampled) < TOLERANCE or (minimum == 0 and max(value, resampled.max()) < NEAR):
        share = 1 - ((1 - level) / 2) ** (1 / units)
        return value - share * (value - minimum), value + share * (100 - value)
    tail_share = tail(units, level)
    low, high = np.quantile(resampled, [tail_share, 1 - tail_share]).tolist()
    return low, high


def tail(units: int, level: float) -> float:
    """The share of resamples outside the interval at each end."""
    from scipy import special

    quantile = (1 + level) / 2
    return float(special.ndtr(-sqrt(units / (units - 1)) * special.stdtrit(units - 1, quantile)))
