"""Evidence precision: how much of the prompt's passages is gold evidence?

Smith and Troynikov 2024 ("Evaluating Chunking Strategies for Retrieval", section "Metrics"): the rest is what the
reader has to look past.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.gold_spans import EvidenceMetric, Overlap


@dataclass(frozen=True)
class EvidencePrecision(EvidenceMetric):
    """The mean share of the shown text that is evidence, 0–100; the key is "evidence_precision".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without evidence are left
    out; one that was shown nothing has 0.
    """

    name = "evidence_precision"

    def value(self, overlap: Overlap) -> float:
        """100 · |evidence ∩ shown| / |shown|."""
        return 100 * overlap.both / overlap.shown if overlap.shown else 0.0
