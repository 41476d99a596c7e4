"""Evidence recall: how much of the gold evidence is in the prompt?

The share of the evidence's characters (code points of the document, each counted once) that lie in a shown passage; of
a sentence that is cut, by its chunk's end or the reader's limit, the remaining part counts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.metrics import Metric, Row
from pipelines.records import Example, Span

_SPAN = re.compile(r"\[(\d{1,18}), ?(\d{1,18})\]")


@dataclass(frozen=True)
class EvidenceRecall(Metric):
    """The mean share of evidence that was shown, 0–100; the key is "evidence_recall".

    What is scored are the shown spans (`[[start, end], …]`), not the model's output. Examples without evidence
    are left out: there is no score where none has any, as for bare lists of predictions and references.
    """

    target = "spans"
    needs_example = True
    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "evidence_recall|of:shown spans|unit:characters|over:examples with evidence"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The share of the evidence in the shown spans (given as `prediction`), and whether there is any."""
        evidence = merged(example.evidence)
        selected = merged((int(start), int(end)) for start, end in _SPAN.findall(prediction))
        total = sum(end - start for start, end in evidence)
        found = sum(max(min(e, end) - max(s, start), 0) for s, e in evidence for start, end in selected)
        return {"evidence_recall": 100 * found / total if total else 0.0, "has_evidence": float(total > 0)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples with evidence."""
        having = fsum(row["has_evidence"] for row in rows)
        return {"evidence_recall": fsum(row["evidence_recall"] for row in rows) / having} if having else {}


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; overlapping and adjacent ones merged, empty ones dropped."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found
