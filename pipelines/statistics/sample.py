"""The rows of a metric, prepared so that they can be resampled thousands of times.

Where a metric's scores follow from the mean row, resampled mean rows come from one matrix product of counts and sums;
elsewhere (`bootstrap_on`) every resample is a list of rows to aggregate. Whether a metric does what it declares is
checked on the scores themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pipelines.statistics.intervals import Unit

Row: TypeAlias = Mapping[str, float]  # what one example adds to a metric, numbers by name
Floats: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.uint16]
NEAR = 0.05  # points; BLEU's guards against zero make a near-zero score depend on the corpus's size
MEAN = 1e-9  # points: a score this near the mean of the examples' is that mean
_BLOCK = 256  # resamples multiplied at a time, to bound memory


class Aggregation(Protocol):
    """How rows of examples become scores, as `pipelines.metrics.Metric` does; see there."""

    @property
    def bootstrap_on(self) -> str:
        """The input from which scores can be computed: "means", "mean row" or "rows"."""

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores of rows."""

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows in a form that can be averaged."""


class MeanRowAggregation:
    """Base class of aggregations that depend only on the mean row; a subclass defines `aggregate`."""

    __slots__ = ()

    @property
    def bootstrap_on(self) -> str:
        """Scores are computed from the mean row."""
        return "mean row"

    def summable(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows themselves."""
        return rows


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is resampled, examples or documents: `of_row` is each row's unit, 0 to `count` - 1."""

    unit: Unit
    of_row: npt.NDArray[np.intp]
    count: int

    def sums(self, table: Floats) -> Floats:
        """The rows of a table summed by unit: [units, columns]."""
        return np.stack([np.bincount(self.of_row, column, self.count) for column in table.T], axis=1)


def units(rows: int, clusters: Sequence[str] | None) -> Units:
    """Whole documents, where `clusters` gives the document of each row and there are two or more; else examples."""
    if clusters is not None and len(clusters) != rows:
        raise ValueError(f"{rows} rows but {len(clusters)} clusters")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters or ()))}
    if clusters is None or len(numbers) < 2:
        return Units("example", np.arange(rows), rows)
    return Units("document", np.array([numbers[name] for name in clusters]), len(numbers))


@lru_cache(maxsize=2)
def resample_counts(count: int, resamples: int, seed: int) -> Counts:
    """uint16 [resamples, units]: how often each unit is drawn. Runs of the same examples share the resamples."""
    random = np.random.default_rng((seed, 0))
    counts = np.empty((resamples, count), np.uint16)
    for row in counts:
        row[:] = np.bincount(random.integers(0, count, count), minlength=count)
    counts.flags.writeable = False
    return counts


class Sample:
    """The rows of one metric of one run, at least one, and their `scores`."""

    def __init__(self, metric: Aggregation, rows: Sequence[Row], units: Units) -> None:
        self.metric, self.rows, self.units = metric, rows, units
        self.scores = metric.aggregate(rows)
        self._resampled: dict[tuple[int, int], dict[str, Floats]] = {}

    @cached_property
    def summable(self) -> Sequence[Row]:
        """The rows in the form that the metric can average."""
        return self.metric.summable(self.rows)

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.summable[0])

    @cached_property
    def table(self) -> Floats:
        """The rows' numbers: [rows, columns]."""
        return np.array([[row[name] for name in self.names] for row in self.summable], float)

    @cached_property
    def needs_only_means(self) -> bool:
        """Whether the mean row determines the scores."""
        if self.metric.bootstrap_on == "rows":
            return False
        scores = self.scores_of_means(self.table.mean(0)[None])
        return scores.keys() == self.scores.keys() and all(
            abs(float(scores[name][0]) - value) < NEAR for name, value in self.scores.items()
        )

    @cached_property
    def sums(self) -> Floats:
        """[units, columns + 1]: the rows minus the first row, summed by unit; the last column counts rows.

        The first row is subtracted so that rounding does not make the scores of equal rows vary.
        """
        return self.units.sums(np.column_stack([self.table - self.table[0], np.ones(len(self.rows))]))

    @cached_property
    def by_example(self) -> dict[str, Floats]:
        """Each score's value for each example, NaN where it has none; without scores that no example has."""
        if self.needs_only_means and self._scores_are_means:
            return {name: self.table[:, self.names.index(name)] for name in self.scores}
        scores = _as_arrays([self.metric.aggregate([row]) for row in self.rows], self.scores)
        return {name: values for name, values in scores.items() if not np.isnan(values).all()}

    @property
    def _scores_are_means(self) -> bool:
        """Whether each score is the mean of a column."""
        return self.metric.bootstrap_on == "means" and set(self.scores) <= set(self.names)

    def counted(self, name: str) -> npt.NDArray[np.bool_]:
        """Mask of the rows that a score counts: those with a value of their own, or all if none has one."""
        if name not in self.by_example:
            return np.ones(len(self.rows), bool)
        return ~np.isnan(self.by_example[name])

    def example_values(self, name: str) -> Floats | None:
        """A score's value for each example, NaN where it does not count; None if the score is not their mean."""
        values = self.by_example.get(name)
        if values is None or "[" in name:  # the score of a single class, even where all are zero
            return None
        return values if abs(float(np.nanmean(values)) - self.scores[name]) < MEAN else None

    def scores_of_means(self, means: Floats) -> dict[str, Floats]:
        """The scores of mean rows: [mean rows, columns]."""
        if self._scores_are_means:
            return {name: means[:, self.names.index(name)] for name in self.scores}
        rows = (dict(zip(self.names, row, strict=True)) for row in means.tolist())
        return _as_arrays([self.metric.aggregate([row]) for row in rows], self.scores)

    def scores_of_rows(self, lists: Iterable[Sequence[Row]]) -> dict[str, Floats]:
        """The scores of lists of rows."""
        return _as_arrays([self.metric.aggregate(rows) for rows in lists], self.scores)

    def resampled(self, resamples: int, seed: int) -> dict[str, Floats]:
        """The scores of each resample, NaN where one has none."""
        if (resamples, seed) not in self._resampled:
            counts = resample_counts(self.units.count, resamples, seed)
            by_means = self.needs_only_means
            scores = self.scores_of_means(self._means(counts)) if by_means else self.scores_of_rows(self._lists(counts))
            self._resampled[resamples, seed] = scores
        return self._resampled[resamples, seed]

    def _means(self, counts: Counts) -> Floats:
        totals = product(counts, self.sums)
        return np.asarray(self.table[0] + totals[:, :-1] / totals[:, -1:])

    def _lists(self, counts: Counts) -> Iterable[list[Row]]:
        for row in counts:
            yield list(chain.from_iterable(map(repeat, self.rows, row[self.units.of_row].tolist())))


def product(counts: npt.NDArray[np.unsignedinteger[Any]], table: Floats) -> Floats:
    """Counts [resamples, units] times a table [units, columns]."""
    blocks = range(0, len(counts), _BLOCK)
    return np.concatenate([counts[start : start + _BLOCK].astype(float) @ table for start in blocks])


def _as_arrays(scores: Sequence[dict[str, float]], names: Iterable[str]) -> dict[str, Floats]:
    return {name: np.array([score.get(name, np.nan) for score in scores]) for name in names}
