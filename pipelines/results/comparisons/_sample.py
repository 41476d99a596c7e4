"""Rows of a metric, ready to be drawn thousands of times.

Where a metric's figures follow from the mean row, resampled mean rows come from one matrix product of counts and sums;
elsewhere (`bootstrap_on`) every resample is a list of rows to aggregate. That a metric keeps what it declares is
checked on the figures themselves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pipelines.metrics import Metric, Row
from pipelines.results.comparisons.records import By

Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.uint16]
NEAR = 0.05  # points; BLEU's guards against zero make a near-zero figure depend on the corpus's size
_BLOCK = 256  # resamples multiplied at a time, to bound memory


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn: `of` is each row's unit, 0 to `count` - 1."""

    by: By
    of: npt.NDArray[np.intp]
    count: int

    def sums(self, table: Floats) -> Floats:
        """The rows of a table summed by unit: [units, columns]."""
        return np.stack([np.bincount(self.of, column, self.count) for column in table.T], axis=1)


def units(rows: int, clusters: Sequence[str] | None) -> Units:
    """Whole documents, given the document of each row and at least two of them; else examples."""
    if clusters is not None and len(clusters) != rows:
        raise ValueError(f"{rows} rows but {len(clusters)} clusters")
    number = {name: place for place, name in enumerate(dict.fromkeys(clusters or ()))}
    if clusters is None or len(number) < 2:
        return Units("example", np.arange(rows), rows)
    return Units("document", np.array([number[name] for name in clusters]), len(number))


@lru_cache(maxsize=2)
def draws(count: int, resamples: int, seed: int) -> Counts:
    """How often each unit is drawn in each resample: [resamples, units]. Runs of the same examples share the draws."""
    random = np.random.default_rng((seed, 0))
    found = np.empty((resamples, count), np.uint16)
    for row in found:
        row[:] = np.bincount(random.integers(0, count, count), minlength=count)
    found.flags.writeable = False
    return found


class Sample:
    """The rows of one metric of one run; `figures` are theirs. There is at least one row."""

    def __init__(self, metric: Metric, rows: Sequence[Row], drawn: Units) -> None:
        self.metric, self.rows, self.units = metric, rows, drawn
        self.figures = metric.aggregate(rows)
        self._known: dict[tuple[int, int], dict[str, Floats]] = {}

    @cached_property
    def summable(self) -> Sequence[Row]:
        """The rows as the metric can sum them."""
        return self.metric.summable(self.rows)

    @cached_property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.summable[0])

    @cached_property
    def table(self) -> Floats:
        """The rows' numbers: [rows, columns]."""
        return np.array([[row[name] for name in self.names] for row in self.summable], float)

    @cached_property
    def by_means(self) -> bool:
        """Whether the mean row is enough."""
        if self.metric.bootstrap_on == "rows":
            return False
        found = self.of_means(self.table.mean(0)[None])
        return found.keys() == self.figures.keys() and all(
            abs(float(found[name][0]) - value) < NEAR for name, value in self.figures.items()
        )

    @cached_property
    def sums(self) -> Floats:
        """The rows' numbers less the first row's, summed by unit; the last column counts rows. [units, columns + 1].

        Less the first row's, so that figures of equal rows do not vary by what is rounded.
        """
        return self.units.sums(np.column_stack([self.table - self.table[0], np.ones(len(self.rows))]))

    @cached_property
    def singles(self) -> dict[str, Floats]:
        """Each figure of each example, NaN where an example has none; no entry where none has."""
        if self.by_means and self._plain:
            return {name: self.table[:, self.names.index(name)] for name in self.figures}
        found = _stacked([self.metric.aggregate([row]) for row in self.rows], self.figures)
        return {name: values for name, values in found.items() if not np.isnan(values).all()}

    @property
    def _plain(self) -> bool:
        """Whether each figure is the mean of a column."""
        return self.metric.bootstrap_on == "means" and set(self.figures) <= set(self.names)

    def bearing(self, name: str) -> npt.NDArray[np.bool_]:
        """Which rows have a part in a figure: those that have it by themselves, or all where none has."""
        if name not in self.singles:
            return np.ones(len(self.rows), bool)
        return ~np.isnan(self.singles[name])

    def of_means(self, means: Floats) -> dict[str, Floats]:
        """The figures of mean rows: [mean rows, columns]."""
        if self._plain:
            return {name: means[:, self.names.index(name)] for name in self.figures}
        rows = (dict(zip(self.names, row, strict=True)) for row in means.tolist())
        return _stacked([self.metric.aggregate([row]) for row in rows], self.figures)

    def of_rows(self, lists: Iterable[Sequence[Row]]) -> dict[str, Floats]:
        """The figures of lists of rows."""
        return _stacked([self.metric.aggregate(rows) for rows in lists], self.figures)

    def drawn(self, resamples: int, seed: int) -> dict[str, Floats]:
        """The figures of each resample, NaN where one has none."""
        if (resamples, seed) not in self._known:
            counts = draws(self.units.count, resamples, seed)
            found = self.of_means(self._means(counts)) if self.by_means else self.of_rows(self._lists(counts))
            self._known[resamples, seed] = found
        return self._known[resamples, seed]

    def _means(self, counts: Counts) -> Floats:
        totals = product(counts, self.sums)
        return np.asarray(self.table[0] + totals[:, :-1] / totals[:, -1:])

    def _lists(self, counts: Counts) -> Iterable[list[Row]]:
        for row in counts:
            yield list(chain.from_iterable(map(repeat, self.rows, row[self.units.of].tolist())))


def product(counts: npt.NDArray[np.unsignedinteger[Any]], table: Floats) -> Floats:
    """Counts [draws, units] times a table [units, columns]."""
    blocks = range(0, len(counts), _BLOCK)
    return np.concatenate([counts[at : at + _BLOCK].astype(float) @ table for at in blocks])


def _stacked(figures: Sequence[dict[str, float]], names: Iterable[str]) -> dict[str, Floats]:
    return {name: np.array([found.get(name, np.nan) for found in figures]) for name in names}
