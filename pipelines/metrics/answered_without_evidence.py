"""Answers without evidence: how often does a reader answer though nothing of the gold evidence was shown to it?

    answered_without_evidence = 100 · |answered and nothing of the evidence shown| / |questions with gold evidence|

Such an answer is from memory, by luck, or wrong; lower is better. What is a refusal is said by `abstention`'s rule for
sentences (`models.refusals`).
"""

import json
from dataclasses import dataclass

from longdoc import plain_json
from pipelines.metrics import SHOWN_ANSWER
from pipelines.metrics.shared.abstaining import abstains
from pipelines.metrics.shared.gold_spans import EvidenceMetric, Overlap
from pipelines.records import Example


@dataclass(frozen=True)
class AnsweredWithoutEvidence(EvidenceMetric):
    """The share of questions with gold evidence that were answered though none of it was shown, 0–100.

    What is scored is the output with the spans that were shown, `{"prediction": …, "spans": [[start, end], …]}`, which
    files of predictions do not have. The key is "answered_without_evidence". Examples without evidence are left out.
    """

    target = SHOWN_ANSWER

    name = "answered_without_evidence"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"{self.name}|of:shown spans|shown:one character|refused:sentence|over:examples with evidence"

    def value(self, overlap: Overlap) -> float:
        """100 where nothing of the evidence was shown."""
        return 100.0 * (overlap.both == 0)

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the question was answered without its evidence, and whether it has any."""
        output, spans = _parts(prediction)
        row = super().statistics(spans, example)
        return row | ({self.name: 0.0} if abstains(output, "unicode", "sentence", "refusal") else {})


def _parts(text: str) -> tuple[str, str]:
    """The output and the shown spans in a scored text; a text that is not such a record is an output without spans."""
    try:
        record = plain_json.loads(text)
    except ValueError:
        return text, "[]"
    if not isinstance(record, dict) or not isinstance(record.get("prediction"), str):
        return text, "[]"
    return record["prediction"], json.dumps(record.get("spans", []))
