"""What systems score in the bins of an axis: points, how far a score is kept, and from where on one beats another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np

from pipelines.evaluation.curves.systems import System
from pipelines.results.curves.axis import positive
from pipelines.results.curves.curve_set import Curve, CurvePoint, SystemCrossover
from pipelines.statistics.bootstrap import TOLERANCE, counted_units, sample_intervals
from pipelines.statistics.curves import KeptBin, crossover, kept_bin
from pipelines.statistics.intervals import MINIMUM, too_few_units
from pipelines.statistics.sample import Floats, Sample

Ids = tuple[str, ...]
FEW_BINS = "fewer than two bins in common"
BINS_SEEDS = 1_000  # between the seeds of two bins


@dataclass(frozen=True, slots=True)
class BinScores:
    """How systems are scored in bins: the score's name, the share of the first one to keep, and the resampling.

    Bins are resampled independently, systems of the same examples in a bin alike.
    """

    score: str
    share: float
    level: float
    resamples: int
    seed: int

    def curve(self, system: System, ids: Sequence[Ids], has_lengths: bool) -> Curve:
        """The curve of a system whose examples in each bin are `ids`; over lengths with how far its score is kept."""
        samples = self._samples(system, ids)
        points = {number: self._point(number, sample) for number, sample in samples.items()}
        return Curve(system.name, points, self._kept_bin(samples) if has_lengths and len(samples) > 1 else None)

    def crossover(
        self, system: System, ids: Sequence[Ids], over: System, over_ids: Sequence[Ids], middles: Sequence[float]
    ) -> SystemCrossover:
        """From which length on a system beats another, over the bins in which both have examples.

        The difference is that over the examples that both have, or where they have none in common that of all.
        """
        pairs = [_common(system, names, over, over_names) for names, over_names in zip(ids, over_ids, strict=True)]
        has_common = any(pairs)
        samples = self._samples(system, pairs if has_common else ids)
        over_samples = self._samples(over, pairs if has_common else over_ids)
        numbers = [number for number in samples if number in over_samples]
        if len(numbers) < 2:
            return SystemCrossover(system.name, over.name, reason=FEW_BINS)
        differences = [samples[n].scores[self.score] - over_samples[n].scores[self.score] for n in numbers]
        resampled = np.stack(
            [self._resampled(n, samples[n]) - self._resampled(n, over_samples[n], is_other=not has_common)
             for n in numbers], axis=1
        )  # fmt: skip
        weights = [min(len(samples[n].rows), len(over_samples[n].rows)) for n in numbers]
        places = positive([middles[n] for n in numbers])
        units = _mean_units(samples[n] for n in numbers)
        value = crossover(differences, weights, places, _bounding(resampled, units), units, self.level)
        return SystemCrossover(system.name, over.name, value, is_paired=has_common)

    def _samples(self, system: System, ids: Sequence[Ids]) -> dict[int, Sample]:
        """By number of the bin the rows of the metric that gives the score, of those that have any."""
        samples = {number: _sample(system, names, self.score) for number, names in enumerate(ids) if names}
        return {number: sample for number, sample in samples.items() if sample is not None}

    def _point(self, number: int, sample: Sample) -> CurvePoint:
        self._resampled(number, sample)
        intervals = sample_intervals(sample, self.level, self.resamples, self._seed(number))
        documents = sample.units.count if sample.units.unit == "document" else 0
        reason = too_few_units(counted_units(sample, self.score), sample.units.unit)
        interval = intervals.get(self.score)
        return CurvePoint(number, sample.scores[self.score], len(sample.rows), documents, interval, reason)

    def _kept_bin(self, samples: Mapping[int, Sample]) -> KeptBin | None:
        numbers = list(samples)
        scores = [sample.scores[self.score] for sample in samples.values()]
        units = _mean_units(samples.values())
        resampled = np.stack(list(starmap(self._resampled, samples.items())), axis=1)
        last_bin = kept_bin(scores, self.share, _bounding(resampled, units), units, self.level)
        return None if last_bin is None else last_bin.renumbered(numbers)

    def _seed(self, number: int, is_other: bool = False) -> int:
        return self.seed + BINS_SEEDS * (2 * number + is_other)

    def _resampled(self, number: int, sample: Sample, is_other: bool = False) -> Floats:
        """The resamples of a bin; those of `is_other` are independent of them."""
        return sample.resampled(self.resamples, self._seed(number, is_other))[self.score]


def _sample(system: System, names: Ids, score: str) -> Sample | None:
    """The rows of the metric that gives a score; None where these examples have none."""
    rows = system.rows
    for metric in reversed(rows.metrics):
        if rows.ids_with_row(metric, names) and score in (sample := rows.sample(metric, names)).scores:
            return sample
    return None


def _common(system: System, names: Ids, over: System, over_names: Ids) -> Ids:
    """The examples that both have, with the same question and references."""
    other_ids = set(over_names)
    return tuple(name for name in names if name in other_ids and _is_same(system, over, name))


def _is_same(system: System, over: System, name: str) -> bool:
    left, right = system.rows.scored[name], over.rows.scored[name]
    return (left.document, left.query, left.references) == (right.document, right.query, right.references)


def _bounding(resampled: Floats, units: int) -> Floats | None:
    """The resamples that have a score in all bins; None where they bound nothing: of few units, or all alike."""
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if units < MINIMUM or not len(complete) or np.ptp(complete, axis=0).max() < TOLERANCE:
        return None
    return complete


def _mean_units(samples: Iterable[Sample]) -> int:
    counts = [sample.units.count for sample in samples]
    return round(sum(counts) / len(counts))
