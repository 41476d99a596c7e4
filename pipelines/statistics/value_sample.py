"""A score that is a mean over examples, as an array of numbers: a sample that needs no row by example.

Of very many units, resamples would take gigabytes. There units are put together at random into `GROUPS` groups, which
are resampled in their place: sums of random groups have the variance of the sum of their units, estimated as well as
`GROUPS` independent values allow (to 1.4 %).
"""

from collections.abc import Sequence
from typing import cast

import numpy as np

from pipelines.statistics.sample import Floats, Row, Sample, Units

UNIT_LIMIT = 20_000  # units that are resampled one by one
GROUPS = 10_000


class _Mean:
    """The mean of the column of one name."""

    bootstrap_on = "means"

    def __init__(self, name: str) -> None:
        self.name = name

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        return {self.name: float(np.mean([row[self.name] for row in rows]))}

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        return rows


class ValueSample(Sample):
    """The values of one score, at least one and all of them numbers, with what is resampled."""

    def __init__(self, name: str, values: Floats, units: Units) -> None:
        self.metric = _Mean(name)
        self.rows = cast(Sequence[Row], range(len(values)))  # only their number is asked for
        self.units = units
        self.scores = {name: float(values.mean())}
        self._resampled = {}
        self.names = [name]
        self.table = np.asarray(values, float)[:, None]


def grouped(units: Units, seed: int) -> Units:
    """The units, put together into groups where they are very many."""
    if units.count <= UNIT_LIMIT:
        return units
    groups = np.random.default_rng((seed, 3)).permutation(units.count) % GROUPS
    return Units(units.unit, groups[units.of_row], GROUPS)
