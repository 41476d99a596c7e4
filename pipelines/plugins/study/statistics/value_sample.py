"""A sample of one score, given as an array of numbers instead of a row per example.

Resamples of very many units would take gigabytes. Then units are put at random into `GROUPS` groups, which are
resampled instead: sums of random groups have the variance of the sum of their units, estimated as well as
`GROUPS` independent values allow (to 1.4 %).
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from pipelines.statistics.sample import Floats, Row, Sample, Units

UNIT_LIMIT = 20_000  # units that are resampled one by one
GROUPS = 10_000


class _Mean:
    """The mean of one column, as a metric."""

    bootstrap_on = "means"

    def __init__(self, name: str) -> None:
        self.name = name

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        return {self.name: float(np.mean([row[self.name] for row in rows]))}

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        return rows


class ValueSample(Sample):
    """The values of one score, at least one and none of them NaN, with the units that are resampled."""

    def __init__(self, name: str, values: Floats, units: Units) -> None:
        self.metric = _Mean(name)
        self.rows = cast(Sequence[Row], range(len(values)))  # only their number matters
        self.units = units
        self.scores = {name: float(values.mean())}
        self._resampled = {}
        self.names = [name]
        self.table = np.asarray(values, float)[:, None]


def grouped(units: Units, seed: int) -> Units:
    """The units; more than `UNIT_LIMIT` are put into `GROUPS` random groups."""
    if units.count <= UNIT_LIMIT:
        return units
    groups = np.random.default_rng((seed, 3)).permutation(units.count) % GROUPS
    return Units(units.unit, groups[units.of_row], GROUPS)
