"""Scores over an axis such as document length: where one system starts to beat another, and where scores drop.

A curve is the score in each bin of the axis. Its resamples (`bootstrap`) are drawn within each bin, which is resampling
of documents if each document has one length.

The crossover of a system over another is the length from which on it beats it. Its advantage is taken not to fall with
the length: the differences in the bins become their isotonic regression (least squares under that order: Barlow,
Bartholomew, Bremner and Brunk 1972), and the crossover is where the line through the middles of the bins, over the
logarithm of the length, passes zero. The interval is that of the same computed of each resample. Where a resample has
no crossover, the system being ahead in all bins or in none, it counts as one before the first bin or behind the last:
an interval that reaches the first or last middle is open there. It is also open where the first bin by itself does not
show that the system is not ahead, or the last that it is: the regression takes the best of several stretches of bins,
and of equal systems would too often find one ahead. Coverage is in RESULTS.md (`benchmarks.curves`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, floor
from typing import Literal

import numpy as np
import numpy.typing as npt

from pipelines.statistics.bootstrap import tail
from pipelines.statistics.sample import Floats

Kind = Literal["crossing", "ahead", "behind"]


@dataclass(frozen=True, slots=True)
class Crossover:
    """The length from which a system beats another; `value` is None if it is ahead in all bins or in none (`kind`).

    `low` and `high` bound it at `level`; one that is the first or last middle of the bins, `first` or `last`, is open
    there. `ahead` and `behind` are the shares of resamples, 0–1, in which the system is ahead in all bins, or in none:
    these have no crossover. Without resamples there are no bounds.
    """

    value: float | None
    kind: Kind
    first: float
    last: float
    low: float | None = None
    high: float | None = None
    level: float = 0.0
    resamples: int = 0
    ahead: float = 0.0
    behind: float = 0.0


@dataclass(frozen=True, slots=True)
class KeptBin:
    """The last bin, from 0, whose score is at least a share of the first bin's; `low` and `high` bound its number."""

    bin: int
    low: int | None = None
    high: int | None = None

    def renumbered(self, numbers: Sequence[int]) -> "KeptBin":
        """The same bin with the bins numbered by `numbers`."""
        low, high = (None if bound is None else numbers[bound] for bound in (self.low, self.high))
        return KeptBin(numbers[self.bin], low, high)


def isotonic(values: Floats, weights: Floats) -> Floats:
    """Isotonic regression by row: the non-decreasing values with the least weighted squared distance from `values`.

    `values` are [rows, bins]. The fit in bin n is the maximum over i ≤ n of the minimum over j ≥ n of the weighted mean
    of bins i to j.
    """
    zero = np.zeros((len(values), 1))
    sums = np.hstack([zero, np.cumsum(values * weights, axis=1)])
    weight_sums = np.concatenate([[0.0], np.cumsum(weights)])
    bins = range(values.shape[1])
    segment_means = [(sums[:, n + 1 :] - sums[:, n : n + 1]) / (weight_sums[n + 1 :] - weight_sums[n]) for n in bins]
    min_means = [np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1] for means in segment_means]
    return np.stack([np.max([min_means[first][:, n - first] for first in range(n + 1)], axis=0) for n in bins], axis=1)


def crossings(differences: Floats, weights: Floats, positions: Floats) -> Floats:
    """The positions where the isotonic regressions of `differences` [rows, bins] pass zero, one per row.

    Interpolated linearly between the `positions` of the bins; -inf if the regression is above zero in all bins, inf if
    it is in none.
    """
    fit = isotonic(differences, weights)
    first_positive = (fit <= 0).sum(axis=1)
    last = np.clip(first_positive, 1, fit.shape[1] - 1)
    rows = np.arange(len(fit))
    left, right = fit[rows, last - 1], fit[rows, last]
    with np.errstate(divide="ignore", invalid="ignore"):  # of rows without a crossing
        interpolated = positions[last - 1] + (positions[last] - positions[last - 1]) * -left / (right - left)
    return np.where(first_positive == 0, -np.inf, np.where(first_positive == fit.shape[1], np.inf, interpolated))


def crossover(
    differences: Sequence[float],
    weights: Sequence[float],
    middles: Sequence[float],
    resampled: Floats | None = None,
    units: int = 0,
    level: float = 0.95,
) -> Crossover:
    """The crossover of a system whose score is higher by `differences` in bins of ascending `middles`, all above 0.

    `weights` are the bins' numbers of examples; `resampled` differences are [resamples, bins], of `units` documents a
    bin on average.
    """
    counts, log_middles = np.asarray(weights, float), np.log(np.asarray(middles, float))
    log_crossing = float(crossings(np.asarray([differences], float), counts, log_middles)[0])
    value = exp(log_crossing) if np.isfinite(log_crossing) else None
    kind: Kind = "crossing" if value is not None else "behind" if log_crossing > 0 else "ahead"
    first, last = float(middles[0]), float(middles[-1])
    if resampled is None:
        return Crossover(value, kind, first, last)
    log_crossings = crossings(resampled, counts, log_middles)
    tail_share = tail(max(units, 2), level)
    low, high = (_length(bound, log_middles, first, last) for bound in _quantiles(log_crossings, tail_share))
    low = first if (resampled[:, 0] > 0).mean() > tail_share else low
    high = last if (resampled[:, -1] <= 0).mean() > tail_share else high
    ahead, behind = float(np.isneginf(log_crossings).mean()), float(np.isposinf(log_crossings).mean())
    return Crossover(value, kind, first, last, low, high, level, len(log_crossings), ahead, behind)


def _length(log_length: float, log_middles: Floats, first: float, last: float) -> float:
    """The length with this logarithm, within the first and last middle, which are returned without rounding."""
    if log_length <= log_middles[0]:
        return first
    return last if log_length >= log_middles[-1] else exp(log_length)


def kept_bin(
    scores: Sequence[float], share: float, resampled: Floats | None = None, units: int = 0, level: float = 0.95
) -> KeptBin | None:
    """The last bin with at least a share of the first bin's score; None if the first score is not above 0."""
    if not scores[0] > 0:
        return None
    last_bin = int(_last_bin_with_share(np.asarray(scores, float)[None], share)[0])
    if resampled is None:
        return KeptBin(last_bin)
    low, high = _quantiles(_last_bin_with_share(resampled, share).astype(float), tail(max(units, 2), level))
    return KeptBin(last_bin, int(low), int(high))


def _last_bin_with_share(scores: Floats, share: float) -> npt.NDArray[np.intp]:
    """The last column, one per row, whose score is at least a share of the first column's."""
    is_kept = scores >= share * scores[:, :1]
    return np.asarray(scores.shape[1] - 1 - np.argmax(is_kept[:, ::-1], axis=1))


def _quantiles(values: Floats, tail_share: float) -> tuple[float, float]:
    """The lower and upper quantile with a share of values beyond each; not interpolated, as values may be infinite."""
    ordered = np.sort(values)
    last = len(values) - 1
    return float(ordered[floor(tail_share * last)]), float(ordered[ceil((1 - tail_share) * last)])
