"""Differences between two runs of the same examples, with intervals and p values.

The interval of the difference is that of `bootstrap`: both runs are resampled alike (Koehn 2004; Berg-Kirkpatrick,
Burkett and Klein 2012), by whole documents where there are two or more.

p is a sign-flip test (approximate randomization: Noreen 1989; Yeh 2000; Riezler and Maxwell 2005). If the runs were
alike, it would be chance which of two predictions is whose; so for each document, the two runs' rows are exchanged or
not, all of a document together, and p is the share of exchanges whose difference is at least as large, in either
direction, as the observed one. It needs no large sample: a centred bootstrap rejects too often with few documents
(Cameron, Gelbach and Miller 2008), this does not. Up to 12 units all exchanges are tried; beyond, as many random ones
as there are resamples, the observed one among them, so that p is never 0 (Davison and Hinkley 1997, chapter 4). With n
units p is at least 2^(1 - n).

Interval and p are computed differently and may disagree close to the level; with few documents p is the safer one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, TOLERANCE, interval
from pipelines.statistics.intervals import Difference, too_few_units
from pipelines.statistics.sample import Aggregation, Floats, Row, Sample, product, units

EXACT = 12  # units up to which all 2^(units - 1) exchanges are tried; the others are mirror images
TIE = 0.05  # points: examples that differ by less are ties
ZERO = 0.005  # points: prints as 0.00. BLEU's guards against zero make such differences between equal runs


def paired(
    metric: Aggregation,
    rows_a: Sequence[Row],
    rows_b: Sequence[Row],
    clusters: Sequence[str] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Difference]:
    """The difference of every score, `rows_b` minus `rows_a`, of rows of the same examples in the same order.

    Wins are examples whose score is higher in `rows_b`. With fewer than two documents in `clusters`, examples are
    resampled (`Interval.unit`). Scores that only one of the two has are left out.
    """
    if len(rows_a) != len(rows_b):
        raise ValueError(f"{len(rows_a)} rows against {len(rows_b)}: not the same examples")
    if not rows_a:
        return {}
    shared_units = units(len(rows_a), clusters)
    return sample_differences(
        Sample(metric, rows_a, shared_units), Sample(metric, rows_b, shared_units), level, resamples, seed
    )


def sample_differences(a: Sample, b: Sample, level: float, resamples: int, seed: int) -> dict[str, Difference]:
    """The difference of every score that both samples have, `b` minus `a`."""
    names = [name for name in a.scores if name in b.scores]
    p_values = exact_p(a, b, resamples, seed) if names else {}
    return {name: _difference(name, a, b, p_values[name], level, resamples, seed) for name in names}


def exact_p(a: Sample, b: Sample, resamples: int, seed: int) -> dict[str, float]:
    """The two-sided p of each score that both samples have, by exchanging whole units; exact for up to 12 units."""
    exchanges = _exchanges(a.units.count, resamples, seed)
    if a.needs_only_means and b.needs_only_means:
        shift = product(exchanges, a.units.sums(b.table - a.table)) / len(a.rows)
        scores_a, scores_b = a.scores_of_means(a.table.mean(0) + shift), b.scores_of_means(b.table.mean(0) - shift)
    else:
        scores_a = a.scores_of_rows(_exchanged_rows(a, b, exchanges))
        scores_b = b.scores_of_rows(_exchanged_rows(b, a, exchanges))
    return {name: _share(scores_b[name] - scores_a[name]) for name in scores_a if name in scores_b}


def holm(differences: Sequence[Difference]) -> list[Difference]:
    """The differences with `p_holm`, p after Holm's (1979) step-down correction for all of them."""
    corrected = list(differences)
    minimum = 0.0
    for rank, index in enumerate(sorted(range(len(corrected)), key=lambda index: corrected[index].p)):
        minimum = max(minimum, min(1.0, (len(corrected) - rank) * corrected[index].p))
        corrected[index] = replace(corrected[index], p_holm=minimum)
    return corrected


def corrected(differences: Mapping[str, Mapping[str, Difference]]) -> dict[str, dict[str, Difference]]:
    """The differences of several systems with Holm's correction, for each score over all systems that have it."""
    systems = {name: dict(scores) for name, scores in differences.items()}
    for score in dict.fromkeys(score for scores in systems.values() for score in scores):
        family = [scores for scores in systems.values() if score in scores]
        for scores, difference in zip(family, holm([scores[score] for scores in family]), strict=True):
            scores[score] = difference
    return systems


def _difference(name: str, a: Sample, b: Sample, p: float, level: float, resamples: int, seed: int) -> Difference:
    value = b.scores[name] - a.scores[name]
    rows = a.counted(name) | b.counted(name)
    extent = (-100.0, len(np.unique(a.units.of_row[rows])))
    resampled = b.resampled(resamples, seed)[name] - a.resampled(resamples, seed)[name]
    if abs(value) < ZERO and np.nanmax(np.abs(resampled)) < ZERO:  # the runs never differ here
        value, resampled = 0.0, np.zeros_like(resampled)
    bounds = interval(value, resampled, a, extent, level)
    reason = too_few_units(extent[1], a.units.unit)
    return Difference(value, bounds, p, None, *_win_counts(name, a, b), reason)


def _win_counts(name: str, a: Sample, b: Sample) -> tuple[int | None, int | None, int | None]:
    """The numbers of wins, losses and ties of `b` by example; None where the score has no values by example."""
    if name not in a.by_example or name not in b.by_example:
        return None, None, None
    margins = b.by_example[name] - a.by_example[name]
    wins, losses = int((margins >= TIE).sum()), int((margins <= -TIE).sum())
    return wins, losses, int((~np.isnan(margins)).sum()) - wins - losses


def _exchanges(count: int, resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """1 for units that are exchanged, else 0: [exchanges, units]; the first row is all 0."""
    if count <= EXACT:
        return (np.arange(2 ** (count - 1))[:, None] >> np.arange(count) & 1).astype(np.uint8)
    random = np.random.default_rng((seed, 1))
    exchanges = random.integers(0, 2, (resamples + 1, count), np.uint8)
    exchanges[0] = 0
    return exchanges


def _exchanged_rows(sample: Sample, other: Sample, exchanges: npt.NDArray[np.uint8]) -> list[list[Row]]:
    pairs = list(zip(sample.rows, other.rows, strict=True))
    return [
        [pair[flag] for pair, flag in zip(pairs, row[sample.units.of_row].tolist(), strict=True)] for row in exchanges
    ]


def _share(differences: Floats) -> float:
    """The share of differences at least as large as the first, ignoring NaN."""
    magnitudes = np.abs(differences[~np.isnan(differences)])
    return float((magnitudes >= magnitudes[0] - TOLERANCE).mean()) if magnitudes[0] >= ZERO else 1.0
