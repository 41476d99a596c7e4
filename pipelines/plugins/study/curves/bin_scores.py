"""The scores of systems in the bins of an axis, their effective lengths, and where one starts to beat another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np

from pipelines.plugins.study.curves.axis import positive
from pipelines.plugins.study.curves.curve_set import Curve, CurvePoint, SystemCrossover
from pipelines.plugins.study.curves.systems import System
from pipelines.plugins.study.statistics.curves import KeptBin, crossover, kept_bin
from pipelines.statistics.bootstrap import TOLERANCE, counted_units, sample_intervals
from pipelines.statistics.intervals import MINIMUM, too_few_units
from pipelines.statistics.sample import Floats, Sample

Ids = tuple[str, ...]
FEW_BINS = "fewer than two bins in common"
SEED_STEP = 1_000  # between the seeds of two bins


@dataclass(frozen=True, slots=True)
class BinScores:
    """Computes the scores of systems in bins, by the score's name; `share` is that of the first bin's score to keep.

    Bins are resampled independently, systems of the same examples in a bin alike.
    """

    score: str
    share: float
    level: float
    resamples: int
    seed: int

    def curve(self, system: System, ids: Sequence[Ids], has_effective_length: bool) -> Curve:
        """The curve of a system whose examples in each bin are `ids`, with its effective length where asked for."""
        samples = self._samples(system, ids)
        points = {number: self._point(number, sample) for number, sample in samples.items()}
        effective = self._kept_bin(samples) if has_effective_length and len(samples) > 1 else None
        return Curve(system.name, points, effective)

    def crossover(
        self, system: System, ids: Sequence[Ids], over: System, over_ids: Sequence[Ids], middles: Sequence[float]
    ) -> SystemCrossover:
        """From which length on a system beats another, over the bins in which both have examples.

        The difference is over the examples that both have; where they have none in common, over all of each.
        """
        common_ids = [_common(system, own, over, other) for own, other in zip(ids, over_ids, strict=True)]
        is_paired = any(common_ids)
        samples = self._samples(system, common_ids if is_paired else ids)
        over_samples = self._samples(over, common_ids if is_paired else over_ids)
        bins = [number for number in samples if number in over_samples]
        if len(bins) < 2:
            return SystemCrossover(system.name, over.name, reason=FEW_BINS)
        differences = [samples[n].scores[self.score] - over_samples[n].scores[self.score] for n in bins]
        resampled = np.stack(
            [self._resampled(n, samples[n]) - self._resampled(n, over_samples[n], is_other=not is_paired)
             for n in bins], axis=1
        )  # fmt: skip
        weights = [min(len(samples[n].rows), len(over_samples[n].rows)) for n in bins]
        bin_middles = positive([middles[n] for n in bins])
        units = _mean_units(samples[n] for n in bins)
        length = crossover(differences, weights, bin_middles, _bounding(resampled, units), units, self.level)
        return SystemCrossover(system.name, over.name, length, is_paired=is_paired)

    def _samples(self, system: System, ids: Sequence[Ids]) -> dict[int, Sample]:
        """By number of the bin the sample of its examples' scores; bins without a score are left out."""
        samples = {number: _sample(system, bin_ids, self.score) for number, bin_ids in enumerate(ids) if bin_ids}
        return {number: sample for number, sample in samples.items() if sample is not None}

    def _point(self, number: int, sample: Sample) -> CurvePoint:
        intervals = sample_intervals(sample, self.level, self.resamples, self._seed(number))
        documents = sample.units.count if sample.units.unit == "document" else 0
        reason = too_few_units(counted_units(sample, self.score), sample.units.unit)
        interval = intervals.get(self.score)
        return CurvePoint(number, sample.scores[self.score], len(sample.rows), documents, interval, reason)

    def _kept_bin(self, samples: Mapping[int, Sample]) -> KeptBin | None:
        """The last bin that keeps the share of the first bin's score, by number."""
        numbers = list(samples)
        scores = [sample.scores[self.score] for sample in samples.values()]
        units = _mean_units(samples.values())
        resampled = np.stack(list(starmap(self._resampled, samples.items())), axis=1)
        last_bin = kept_bin(scores, self.share, _bounding(resampled, units), units, self.level)
        return None if last_bin is None else last_bin.renumbered(numbers)

    def _seed(self, number: int, is_other: bool = False) -> int:
        return self.seed + SEED_STEP * (2 * number + is_other)

    def _resampled(self, number: int, sample: Sample, is_other: bool = False) -> Floats:
        """The resampled scores of a bin; those of `is_other` are drawn independently."""
        return sample.resampled(self.resamples, self._seed(number, is_other))[self.score]


def _sample(system: System, ids: Ids, score: str) -> Sample | None:
    """The sample of the metric that gives a score; None where these examples have none."""
    rows = system.rows
    for metric in reversed(rows.metrics):
        if rows.ids_with_row(metric, ids) and score in (sample := rows.sample(metric, ids)).scores:
            return sample
    return None


def _common(system: System, ids: Ids, over: System, over_ids: Ids) -> Ids:
    """The examples that both have, with the same question and references."""
    other_ids = set(over_ids)
    return tuple(example_id for example_id in ids if example_id in other_ids and _is_same(system, over, example_id))


def _is_same(system: System, over: System, example_id: str) -> bool:
    left, right = system.rows.scored[example_id], over.rows.scored[example_id]
    return (left.document, left.query, left.references) == (right.document, right.query, right.references)


def _bounding(resampled: Floats, units: int) -> Floats | None:
    """The resamples that have a score in all bins; None where they give no interval: for few units, or if all alike."""
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if units < MINIMUM or not len(complete) or np.ptp(complete, axis=0).max() < TOLERANCE:
        return None
    return complete


def _mean_units(samples: Iterable[Sample]) -> int:
    """The mean number of resampled units of the samples."""
    counts = [sample.units.count for sample in samples]
    return round(sum(counts) / len(counts))
