"""The bins of a curve's axis: powers of two, quantiles of documents, single values, or equal parts of the document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from longdoc.plain_json import Record
from pipelines.display import numbers

POWERS = "powers"
MAX_BINS = 40
Bins = str | int


@dataclass(frozen=True, slots=True)
class Bin(Record):
    """A part of the axis from `low` to below `high`; the last quantile and single values have their `high` in them."""

    low: float
    high: float

    def text(self, axis: str) -> str:
        """The bin as tables name it: `4,096–8,191`, `32,768`, `20–40%`."""
        if axis == "place":
            return f"{100 * self.low:.0f}–{100 * self.high:.0f}%"
        last = self.high if self.high == self.low else max(self.high - 1, self.low)
        low, high = numbers.count(self.low), numbers.count(last)
        return low if low == high else f"{low}–{high}"


def check_bins(bins: Bins) -> None:
    """Raise `UserError` for a value that is neither "powers" nor a sensible number of bins."""
    if bins != POWERS and (type(bins) is not int or not 1 < bins <= MAX_BINS):
        raise UserError(
            f"bins={bins!r}: give {POWERS!r} (of two), or a number from 2 to {MAX_BINS}, as in bins=4 for quarters"
        )


def power_bins(lengths: Mapping[str, float]) -> list[Bin]:
    """The bins between powers of two that have a document; one bin for lengths below 1."""
    exponents = sorted({int(np.floor(np.log2(length))) if length >= 1 else -1 for length in lengths.values()})
    return [Bin(2.0**exponent, 2.0 ** (exponent + 1)) if exponent >= 0 else Bin(0.0, 1.0) for exponent in exponents]


def quantile_bins(lengths: Mapping[str, float], count: int) -> list[Bin]:
    """At most `count` bins of about as many documents each; documents of one length are never parted."""
    ordered = sorted(lengths.values())
    edges = [ordered[len(ordered) * number // count] for number in range(count)]
    starts = sorted({*edges[1:], ordered[0]})
    return [Bin(low, high) for low, high in zip(starts, [*starts[1:], ordered[-1] + 1], strict=True)]


def value_bins(lengths: Mapping[str, float]) -> list[Bin]:
    """A bin for each length, for data that come in a few lengths."""
    return [Bin(length, length) for length in sorted(set(lengths.values()))]


def place_bins(count: int) -> list[Bin]:
    """Equal parts of the document."""
    edges = [number / count for number in range(count + 1)]
    return [Bin(low, high) for low, high in pairwise(edges)]


def bin_numbers(values: Sequence[float], bins: Sequence[Bin]) -> npt.NDArray[np.intp]:
    """The number of the bin of each value: the first for values below all bins, the last for values above them."""
    starts = [part.low for part in bins[1:]]
    return np.searchsorted(np.asarray([*starts, inf]), np.asarray(values, float), side="right")


def positive(lengths: Sequence[float]) -> list[float]:
    """The lengths for a logarithmic axis: in place of 0, half of the shortest of the others."""
    shortest = min((length for length in lengths if length > 0), default=2.0)
    return [length if length > 0 else shortest / 2 for length in lengths]
