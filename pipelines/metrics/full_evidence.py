"""Full evidence: is all of the gold evidence in the prompt?

A question that needs two facts cannot be answered from one of them, which is half of the evidence recall.
"""

from dataclasses import dataclass

from pipelines.metrics.shared.gold_spans import EvidenceMetric, Overlap


@dataclass(frozen=True)
class FullEvidence(EvidenceMetric):
    """Share of examples all of whose evidence was shown, to the last character, 0–100; the key is "full_evidence".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without evidence are left
    out.
    """

    name = "full_evidence"

    def value(self, overlap: Overlap) -> float:
        """100 where the evidence is a subset of what was shown, else 0."""
        return 100.0 * (overlap.both == overlap.evidence)
