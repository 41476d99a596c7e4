"""Scores over an axis such as a document's length: from where on one system beats another, and how far a score is kept.

A curve is the score in each bin of the axis; its resamples (`bootstrap`) are drawn bin by bin, a bin's documents among
themselves, which is what resampling documents is where each document has one length.

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
    """From where on a system beats another; None for `value` where it is ahead in all bins, or in none, as `kind` says.

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
        """The same where the bins have other numbers."""
        low, high = (None if bound is None else numbers[bound] for bound in (self.low, self.high))
        return KeptBin(numbers[self.bin], low, high)


def isotonic(values: Floats, weights: Floats) -> Floats:
    """By row the non-decreasing values with the least sum of weighted squares from `values` [rows, bins].

    The greatest over the bins up to one of the least mean of a stretch from there to that one or beyond it.
    """
    zero = np.zeros((len(values), 1))
    sums = np.hstack([zero, np.cumsum(values * weights, axis=1)])
    sizes = np.concatenate([[0.0], np.cumsum(weights)])
    bins = range(values.shape[1])
    starting = [(sums[:, n + 1 :] - sums[:, n : n + 1]) / (sizes[n + 1 :] - sizes[n]) for n in bins]
    minima = [np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1] for means in starting]
    return np.stack([np.max([minima[first][:, n - first] for first in range(n + 1)], axis=0) for n in bins], axis=1)


def crossings(differences: Floats, weights: Floats, places: Floats) -> Floats:
    """By row of `differences` [rows, bins] where their isotonic regression passes zero, on the line through `places`.

    -inf where it is above zero in all bins, inf where it is in none.
    """
    fit = isotonic(differences, weights)
    above = (fit <= 0).sum(axis=1)  # the first bin that is
    last = np.clip(above, 1, fit.shape[1] - 1)
    rows = np.arange(len(fit))
    left, right = fit[rows, last - 1], fit[rows, last]
    with np.errstate(divide="ignore", invalid="ignore"):  # of rows without a crossing
        between = places[last - 1] + (places[last] - places[last - 1]) * -left / (right - left)
    return np.where(above == 0, -np.inf, np.where(above == fit.shape[1], np.inf, between))


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
    sizes, places = np.asarray(weights, float), np.log(np.asarray(middles, float))
    place = float(crossings(np.asarray([differences], float), sizes, places)[0])
    value = exp(place) if np.isfinite(place) else None
    kind: Kind = "crossing" if value is not None else "behind" if place > 0 else "ahead"
    first, last = float(middles[0]), float(middles[-1])
    if resampled is None:
        return Crossover(value, kind, first, last)
    values = crossings(resampled, sizes, places)
    outside = tail(max(units, 2), level)
    low, high = (_length(bound, places, first, last) for bound in _quantiles(values, outside))
    low = first if (resampled[:, 0] > 0).mean() > outside else low
    high = last if (resampled[:, -1] <= 0).mean() > outside else high
    ahead, behind = float(np.isneginf(values).mean()), float(np.isposinf(values).mean())
    return Crossover(value, kind, first, last, low, high, level, len(values), ahead, behind)


def _length(place: float, places: Floats, first: float, last: float) -> float:
    """The length at a place; the first or the last middle itself at and beyond it, whatever the logarithm rounds."""
    if place <= places[0]:
        return first
    return last if place >= places[-1] else exp(place)


def kept_bin(
    scores: Sequence[float], share: float, resampled: Floats | None = None, units: int = 0, level: float = 0.95
) -> KeptBin | None:
    """The last bin that keeps a share of the first bin's score; None where that is not above 0, and nothing to keep."""
    if not scores[0] > 0:
        return None
    value = int(_last_kept(np.asarray(scores, float)[None], share)[0])
    if resampled is None:
        return KeptBin(value)
    low, high = _quantiles(_last_kept(resampled, share).astype(float), tail(max(units, 2), level))
    return KeptBin(value, int(low), int(high))


def _last_kept(scores: Floats, share: float) -> npt.NDArray[np.intp]:
    """By row, the last of the columns that is at least a share of the first."""
    is_kept = scores >= share * scores[:, :1]
    return np.asarray(scores.shape[1] - 1 - np.argmax(is_kept[:, ::-1], axis=1))


def _quantiles(values: Floats, outside: float) -> tuple[float, float]:
    """The values beyond which a share lies at each end; infinite ones are not interpolated."""
    ordered_values = np.sort(values)
    last = len(values) - 1
    return float(ordered_values[floor(outside * last)]), float(ordered_values[ceil((1 - outside) * last)])
