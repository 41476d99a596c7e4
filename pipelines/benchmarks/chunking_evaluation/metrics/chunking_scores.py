"""Recall, precision and IoU of retrieved chunks as Chroma's chunking evaluation computes them.

Smith and Troynikov 2024; `_scores_from_dataset_and_retrievals` of their code. The formulas of their report are those of
sets, which `evidence_recall`, `evidence_precision` and `evidence_iou` are: there each character counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.chunking_evaluation.metrics._ranges import RangeMetric, shared, size
from pipelines.records import Span


@dataclass(frozen=True)
class ChunkingScores(RangeMetric):
    """Keys "chunking_recall", "chunking_precision" and "chunking_iou", each with "_std", 0–100.

    Of the chunks that were shown and the gold evidence: found characters of the evidence count once, and are divided by
    the lengths of all evidence, of all chunks, or of all chunks and the evidence that was not found; what two chunks or
    two pieces of evidence share counts twice in these.
    """

    target = "spans"
    name = "chunking_scores"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the scores."""
        return "chunking_recall", "chunking_precision", "chunking_iou"

    @property
    def rule(self) -> str:
        """How characters are counted."""
        return "as:code of chunking_evaluation|shared by two chunks:counts twice"

    def values(self, ranges: Sequence[Span], evidence: Sequence[Span]) -> tuple[float, ...]:
        """Recall, precision and IoU of one question."""
        hits, chunks = shared(ranges, evidence), size(ranges)
        misses = sum(size([span]) - shared(ranges, [span]) for span in evidence)
        return 100 * hits / size(evidence), 100 * hits / chunks if chunks else 0.0, 100 * hits / (chunks + misses)
