"""Intersection over union of the gold evidence and the prompt's passages: recall and precision in one number.

The Jaccard index, as Smith and Troynikov 2024 measure chunkers ("Evaluating Chunking Strategies for Retrieval", section
"Metrics"). There a text that two passages share counts in each of them; here it is shown once, and counts once.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.gold_spans import EvidenceMetric, Overlap


@dataclass(frozen=True)
class EvidenceIou(EvidenceMetric):
    """The mean of intersection over union of evidence and shown text, 0–100; the key is "evidence_iou".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without evidence are left
    out.
    """

    name = "evidence_iou"

    def value(self, overlap: Overlap) -> float:
        """100 · |evidence ∩ shown| / |evidence ∪ shown|."""
        return 100 * overlap.both / (overlap.evidence + overlap.shown - overlap.both)
