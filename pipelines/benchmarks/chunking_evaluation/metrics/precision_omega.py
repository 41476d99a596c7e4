"""Precision if every chunk with evidence were retrieved, and no other: the most that a chunker allows.

PrecisionΩ of Smith and Troynikov 2024; `_full_precision_score` of their code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pipelines.benchmarks.chunking_evaluation.metrics._ranges import RangeMetric, size
from pipelines.metrics.shared.gold_spans import common, merged
from pipelines.records import Span


@dataclass(frozen=True)
class PrecisionOmega(RangeMetric):
    """The key is "precision_omega" (or "precision_omega_sets"), with "_std", 0–100. No retriever decides it.

    Found evidence is divided by the union of the chunks that hold any, and of the evidence that no chunk holds. By the
    `code`, a chunk that ends where the evidence begins, or begins where it ends, counts among them; by `sets`, the
    formula of the report, one that shares a character with it.
    """

    target = "evidence_chunks"

    by: Literal["code", "sets"] = "code"

    @property
    def name(self) -> str:  # type: ignore[override]
        """The key."""
        return "precision_omega" if self.by == "code" else "precision_omega_sets"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the scores."""
        return (self.name,)

    @property
    def rule(self) -> str:
        """Which chunks count."""
        if self.by == "code":
            return "as:code of chunking_evaluation|chunks:that share or touch"
        return "as:report of chunking_evaluation|chunks:that share a character"

    def values(self, ranges: Sequence[Span], evidence: Sequence[Span]) -> tuple[float, ...]:
        """PrecisionΩ of one question."""
        gold = merged(evidence)
        if self.by == "sets":
            ranges = [span for span in ranges if common([span], gold)]
        chunks = merged(ranges)
        hits = size(common(chunks, gold))
        return (100 * hits / (size(chunks) + size(gold) - hits),)
