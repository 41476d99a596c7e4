"""Quantiles and histograms of a list of numbers, as tables."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from operator import attrgetter

from longdoc.plain_json import plain_fields
from pipelines.display.table import Column, Table, numbered_columns

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
STATISTICS = {
    "least": "least", "5%": "q05", "25%": "q25", "median": "median", "75%": "q75", "95%": "q95", "most": "most",
}  # fmt: skip
BAR = 40  # characters of the longest bar


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The mean, extremes and quantiles of a distribution; quantiles are interpolated linearly, as numpy's default."""

    count: int
    mean: float
    least: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    most: float

    @classmethod
    def from_values(cls, values: Sequence[float]) -> "Quantiles | None":
        """The distribution of some numbers, None without any."""
        if not values:
            return None
        ordered = sorted(map(float, values))
        q05, q25, median, q75, q95 = (quantile(ordered, share) for share in SHARES)
        mean = fsum(ordered) / len(ordered)
        return cls(len(ordered), mean, ordered[0], q05, q25, median, q75, q95, ordered[-1])

    def to_dict(self) -> dict[str, float]:
        """Plain values, for JSON."""
        return plain_fields(self)


def named_quantiles(values: Mapping[str, Sequence[float]]) -> dict[str, Quantiles]:
    """The distributions by name, those without numbers left out."""
    return {name: quantiles for name, numbers in values.items() if (quantiles := Quantiles.from_values(numbers))}


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many numbers are in each bin [edges[i], edges[i + 1])."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]

    @classmethod
    def from_values(cls, values: Sequence[float]) -> "Histogram":
        """Bins 0, 1, 2, 5, 10, 20, 50 … up to the largest number: the same for every data set."""
        edges = [0.0, 1.0]
        while edges[-1] <= max(values, default=0.0):
            edges.append(edges[-1] * (2.5 if str(edges[-1])[0] == "2" else 2))
        counts = [0] * (len(edges) - 1)
        for value in values:
            counts[bisect_right(edges, value) - 1] += 1
        return cls(tuple(edges), tuple(counts))

    def table(self, unit: str, noun: str, notes: Sequence[str] = ()) -> Table:
        """One row per bin, with a bar."""
        longest = max(self.counts, default=0) or 1
        rows = [
            (f"{low:,.0f} – {high:,.0f}", f"{count:,}", "█" * round(BAR * count / longest))
            for low, high, count in zip(self.edges, self.edges[1:], self.counts, strict=False)
        ]
        return Table("", tuple(numbered_columns((unit, noun, ""), right=(0, 1))), rows, tuple(notes))


def quantile_table(caption: str, values: Mapping[str, Quantiles], notes: Sequence[str] = ()) -> Table:
    """The table with a row for each named distribution; the notes alone without any."""
    if not values:
        return Table(caption, (), (), tuple(notes))
    columns = [Column("", lambda row: row[0]), Column("mean", lambda row: f"{row[1].mean:,.1f}", "right")]
    columns += [Column(name, partial(_statistic_cell, field), "right") for name, field in STATISTICS.items()]
    return Table(caption, tuple(columns), list(values.items()), tuple(notes))


def _statistic_cell(field: str, row: tuple[str, Quantiles]) -> str:
    return f"{attrgetter(field)(row[1]):,.0f}"


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of numbers in ascending order."""
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def percent(part: float, total: float) -> float:
    """The share, 0–100; 0 where the total is 0."""
    return 100 * part / total if total else 0.0
