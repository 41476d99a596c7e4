"""Evidence recall: how much of the gold evidence is in the prompt?

The share of the evidence's characters that lie in a shown passage (`shared.gold_spans` says how they are counted); of a
sentence that is cut, by its chunk's end or the reader's limit, the remaining part counts.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.gold_spans import EvidenceMetric, Overlap


@dataclass(frozen=True)
class EvidenceRecall(EvidenceMetric):
    """The mean share of evidence that was shown, 0–100; the key is "evidence_recall".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without evidence are left
    out.
    """

    name = "evidence_recall"

    def value(self, overlap: Overlap) -> float:
        """100 · |evidence ∩ shown| / |evidence|."""
        return 100 * overlap.both / overlap.evidence
