"""Gold evidence against the shown text, as sets of characters: what the metrics of evidence have in common.

Smith and Troynikov 2024 ("Evaluating Chunking Strategies for Retrieval", Chroma) compare the tokens of both; here, as
in their published code, it is the characters (code points). A character counts once, however many spans hold it.

White space at the ends of a span does not count, for gold spans and passages alike, and spans with nothing else between
them are one: chunkers leave the white space between two chunks to neither, which is no evidence lost.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.metrics import Metric, Row
from pipelines.records import Example, Span

_SPAN = re.compile(r"\[(\d{1,18}), ?(\d{1,18})\]")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Characters of the gold `evidence`, of what was `shown`, and of what is in `both`."""

    evidence: int
    shown: int
    both: int


@dataclass(frozen=True)
class EvidenceMetric(Metric):
    """Base class of metrics that compare the shown spans (`[[start, end], …]`) with the gold evidence.

    A subclass defines `name` and `value`. The score is the mean over the examples that have evidence, with references
    or without; there is none where no example has evidence, as for bare lists of predictions and references.
    """

    target = "spans"
    needs_example = True
    needs_references = False
    bootstrap_on = "mean row"
    lacking = "no example has gold evidence"

    name = ""

    @abstractmethod
    def value(self, overlap: Overlap) -> float:
        """The score of one example that has evidence, 0–100."""

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"{self.name}|of:shown spans|unit:characters|white space:between words|over:examples with evidence"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's score for the spans given as `prediction`, and whether it has evidence."""
        if not example.evidence:  # most data sets have none
            return {self.name: 0.0, "has_evidence": 0.0}
        found_overlap = overlap(example, spans_in(prediction))
        is_having = found_overlap.evidence > 0
        return {self.name: self.value(found_overlap) if is_having else 0.0, "has_evidence": float(is_having)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples with evidence."""
        having_value = fsum(row["has_evidence"] for row in rows)
        return {self.name: fsum(row[self.name] for row in rows) / having_value} if having_value else {}


def spans_in(prediction: str) -> list[Span]:
    """The spans that are given to metrics of the target "spans" as a text, `[[start, end], …]`."""
    return [(int(start), int(end)) for start, end in _SPAN.findall(prediction)]


def overlap(example: Example, shown_spans: Iterable[Span]) -> Overlap:
    """How the example's evidence and the shown spans of its document overlap."""
    text = example.document.text
    evidence, passages = joined(text, example.evidence), joined(text, shown_spans)
    return Overlap(
        *(sum(end - start for start, end in spans) for spans in (evidence, passages, common(evidence, passages)))
    )


def joined(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans in order without white space at their ends; those that overlap or have only such between them merged.

    Positions behind the text's end are kept as they are: of examples without their document.
    """
    found_spans: list[Span] = []
    for start, end in merged(spans):
        part = text[start:end]
        if len(part) == end - start:
            start, end = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        if start < end and found_spans and text[found_spans[-1][1] : start].isspace() and start <= len(text):
            found_spans[-1] = (found_spans[-1][0], end)
        elif start < end:
            found_spans.append((start, end))
    return found_spans


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; overlapping and adjacent ones merged, empty ones dropped."""
    found_spans: list[Span] = []
    for start, end in sorted(spans):
        if found_spans and start <= found_spans[-1][1]:
            found_spans[-1] = (found_spans[-1][0], max(end, found_spans[-1][1]))
        elif start < end:
            found_spans.append((start, end))
    return found_spans


def common(spans: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """What two lists of merged spans have in common."""
    found_spans: list[Span] = []
    i = j = 0
    while i < len(spans) and j < len(other):
        start, end = max(spans[i][0], other[j][0]), min(spans[i][1], other[j][1])
        if start < end:
            found_spans.append((start, end))
        if spans[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return found_spans
