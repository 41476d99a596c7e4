"""How texts are split at an encoder's limit, kept beside their vectors: tokenizing takes as long as a small model.

A split is a row of numbers in the cache of vectors: tokens, tokens beyond the limit, windows, and where each begins
and ends. A text with more windows than a row has room for is split anew.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from models.encoders import Split, Vectors, _cache

WINDOWS = 6  # of a row: a passage of a thousand words
EXACT = 1 << 24  # float32 holds smaller whole numbers as they are

Compute = Callable[[Sequence[str]], list[Split]]


def kept_splits(identity: Mapping[str, Any], texts: Sequence[str], compute: Compute) -> list[Split]:
    """The splits of texts, from the cache or computed."""

    def compute_rows(missing: list[str]) -> Vectors:
        return np.array([_row(split) for split in compute(missing)], np.float32)

    cached = _cache.cached_vectors({**identity, "kept": "splits"}, texts, compute_rows, is_quiet=True)
    rows = cached.astype(np.int64).tolist()
    long = [text for text, row in zip(texts, rows, strict=True) if not row[2]]
    recomputed = iter(compute(long) if long else ())
    return [_split(row) if row[2] else next(recomputed) for row in rows]


def _row(split: Split) -> list[float]:
    """A split as a row of numbers; all 0 if its windows do not fit into the row."""
    fits = len(split.windows) <= WINDOWS and max(split.tokens, split.windows[-1][1]) < EXACT
    windows = [place for window in split.windows for place in window] if fits else []
    head = [split.tokens, split.beyond, len(windows) // 2] if fits else [0, 0, 0]
    return [*head, *windows, *[0] * (2 * WINDOWS - len(windows))]


def _split(row: Sequence[int]) -> Split:
    places = row[3 : 3 + 2 * row[2]]
    return Split(row[0], row[1], tuple(zip(places[::2], places[1::2], strict=True)))
