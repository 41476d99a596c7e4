"""Quantiles and histograms of a list of numbers, and how they print."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from longdoc.plain_values import plain_fields

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
HEADING = f"{'mean':>10} {'least':>9} {'5%':>9} {'25%':>9} {'median':>9} {'75%':>9} {'95%':>9} {'most':>9}"
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
        ordered_values = sorted(map(float, values))
        low, quarter, median, three, high = (quantile(ordered_values, share) for share in SHARES)
        mean = fsum(ordered_values) / len(ordered_values)
        return cls(len(ordered_values), mean, ordered_values[0], low, quarter, median, three, high, ordered_values[-1])

    def to_dict(self) -> dict[str, float]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        figures = (self.least, self.q05, self.q25, self.median, self.q75, self.q95, self.most)
        return f"{self.mean:>10,.1f} " + " ".join(f"{value:>9,.0f}" for value in figures)


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

    def lines(self) -> list[str]:
        """One line per bin, with a bar."""
        longest = max(self.counts, default=0) or 1
        rows = zip(self.edges, self.edges[1:], self.counts, strict=False)
        return [f"{low:>9,.0f} – {high:<9,.0f} {count:>7,} {'█' * round(BAR * count / longest)}".rstrip()
                for low, high, count in rows]  # fmt: skip


def quantile(ordered_values: Sequence[float], share: float) -> float:
    """The quantile of numbers in ascending order."""
    position = share * (len(ordered_values) - 1)
    below = int(position)
    above = min(below + 1, len(ordered_values) - 1)
    return ordered_values[below] + (ordered_values[above] - ordered_values[below]) * (position - below)


def percent(part: float, total: float) -> float:
    """The share, 0–100; 0 of nothing."""
    return 100 * part / total if total else 0.0
