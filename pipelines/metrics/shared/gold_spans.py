"""Compares gold evidence with the shown text as sets of characters, for the evidence metrics.

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
        example_overlap = overlap(example, spans_in(prediction))
        has_evidence = example_overlap.evidence > 0
        return {self.name: self.value(example_overlap) if has_evidence else 0.0, "has_evidence": float(has_evidence)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples with evidence."""
        count = fsum(row["has_evidence"] for row in rows)
        return {self.name: fsum(row[self.name] for row in rows) / count} if count else {}


def spans_in(prediction: str) -> list[Span]:
    """The spans in a text `[[start, end], …]`, the form in which metrics with target "spans" get them."""
    return [(int(start), int(end)) for start, end in _SPAN.findall(prediction)]


def overlap(example: Example, shown_spans: Iterable[Span]) -> Overlap:
    """The numbers of characters in the example's evidence, in the shown spans, and in both."""
    text = example.document.text
    evidence, passages = joined(text, example.evidence), joined(text, shown_spans)
    return Overlap(
        *(sum(end - start for start, end in spans) for spans in (evidence, passages, common(evidence, passages)))
    )


def joined(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans in order, stripped of white space; spans that overlap or have only white space between them are merged.

    Positions after the end of the text are kept, for examples without their document.
    """
    joined_spans: list[Span] = []
    for start, end in merged(spans):
        part = text[start:end]
        if len(part) == end - start:
            start, end = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        if start < end and joined_spans and text[joined_spans[-1][1] : start].isspace() and start <= len(text):
            joined_spans[-1] = (joined_spans[-1][0], end)
        elif start < end:
            joined_spans.append((start, end))
    return joined_spans


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; overlapping and adjacent ones merged, empty ones dropped."""
    merged_spans: list[Span] = []
    for start, end in sorted(spans):
        if merged_spans and start <= merged_spans[-1][1]:
            merged_spans[-1] = (merged_spans[-1][0], max(end, merged_spans[-1][1]))
        elif start < end:
            merged_spans.append((start, end))
    return merged_spans


def common(spans: Sequence[Span], other: Sequence[Span]) -> list[Span]:
    """The intersection of two lists of merged spans."""
    common_spans: list[Span] = []
    i = j = 0
    while i < len(spans) and j < len(other):
        start, end = max(spans[i][0], other[j][0]), min(spans[i][1], other[j][1])
        if start < end:
            common_spans.append((start, end))
        if spans[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return common_spans
