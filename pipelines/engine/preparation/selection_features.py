"""What is known of a selection before it is read: the evidence expected in it, and how far another retriever agrees."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunkers import Chunk
from pipelines.engine.preparation.selection import evidence_probabilities
from pipelines.metrics.shared.gold_spans import common, merged
from pipelines.records import Span

DIGITS = 6


def expected_evidence(
    ranked: Sequence[Chunk],
    scores: npt.NDArray[np.floating],
    calibration: tuple[float, float] | None,
    selected: Sequence[Chunk],
) -> float:
    """The share of a document's expected evidence that is in the selected chunks, 0–1; 0 where none is expected.

    `ranked` are all of its chunks, `scores` theirs. What a chunk is expected to hold is its length times the
    probability that it is evidence, and half of that where half of it is selected. Without a `calibration`
    (`Retriever.calibration`) scores above 0 count in place of probabilities.
    """
    edges = np.array([(chunk.start, chunk.end) for chunk in ranked], np.float64).reshape(-1, 2)
    weights = np.maximum(scores.astype(np.float64), 0)
    if calibration is not None:
        weights = evidence_probabilities(scores, calibration)
    total = float(weights @ (edges[:, 1] - edges[:, 0]))
    spans = _spans(selected)
    if not total or not spans:
        return 0.0
    covered_counts = _covered_counts(spans, edges)
    return round(float(weights @ (covered_counts[:, 1] - covered_counts[:, 0])) / total, DIGITS)


def agreement(selected: Sequence[Chunk], other: Sequence[Chunk]) -> float:
    """The characters that are in both selections as a share of those in either, 0–1 (Jaccard); 0 without any."""
    spans, other_spans = _spans(selected), _spans(other)
    both_count = _size(common(spans, other_spans))
    either_count = _size(spans) + _size(other_spans) - both_count
    return round(both_count / either_count, DIGITS) if either_count else 0.0


def _covered_counts(spans: Sequence[Span], places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How many characters of merged spans are before each place."""
    edges = np.array(spans, np.float64)
    ends = np.cumsum(edges[:, 1] - edges[:, 0])
    counts = np.stack([np.concatenate([[0.0], ends[:-1]]), ends], axis=1)
    return np.asarray(np.interp(places, edges.ravel(), counts.ravel()))


def _spans(chunks: Sequence[Chunk]) -> list[Span]:
    return merged((chunk.start, chunk.end) for chunk in chunks)


def _size(spans: Sequence[Span]) -> int:
    return sum(end - start for start, end in spans)
