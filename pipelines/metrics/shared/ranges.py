"""Chunks and gold evidence as ranges of characters, with the arithmetic of Chroma's chunking evaluation.

Smith and Troynikov 2024 ("Evaluating Chunking Strategies for Retrieval"), as their code computes it
(`evaluation_framework/base_evaluation.py`): ranges are neither trimmed nor joined over white space, a range that ends
where another begins meets it, and the score of a corpus is a mean over questions, given with its standard deviation.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.gold_spans import common, merged
from pipelines.records import Example, Span

_SPAN = re.compile(r"\[(\d{1,18}), ?(\d{1,18})\]")


@dataclass(frozen=True)
class RangeMetric(Metric):
    """Base class: a subclass defines `target`, `rule` and `values`, the scores of one example with evidence, 0–100.

    For each there is the mean over these examples and, as `NAME_std`, the standard deviation (of the population).
    """

    needs_example = True
    needs_references = False
    bootstrap_on = "rows"
    lacking = "no example has gold evidence"

    name = ""

    @property
    @abstractmethod
    def rule(self) -> str:
        """The part of the signature that is its own."""

    @abstractmethod
    def values(self, ranges: Sequence[Span], evidence: Sequence[Span]) -> Mapping[str, float]:
        """The scores of one example that has evidence."""

    @property
    def signature(self) -> str:
        """The rules that decide the scores."""
        return f"{self.name}|{self.rule}|unit:characters|over:examples with evidence"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's scores for the ranges given as `prediction`, and whether it has evidence."""
        evidence = [span for span in example.evidence if span[0] < span[1]]
        if not evidence:
            return {"has_evidence": 0.0}
        ranges = [(int(start), int(end)) for start, end in _SPAN.findall(prediction)]
        return {"has_evidence": 1.0, **self.values(ranges, evidence)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Means and standard deviations over examples with evidence."""
        having = [row for row in rows if row["has_evidence"]]
        found: dict[str, float] = {}
        for name in having[0] if having else ():
            if name != "has_evidence":
                mean = fsum(row[name] for row in having) / len(having)
                found[name] = mean
                found[f"{name}_std"] = sqrt(fsum((row[name] - mean) ** 2 for row in having) / len(having))
        return found


def size(ranges: Iterable[Span]) -> int:
    """The sum of the lengths: what two ranges share counts twice."""
    return sum(end - start for start, end in ranges)


def shared(ranges: Sequence[Span], evidence: Sequence[Span]) -> int:
    """The characters of the evidence that are in a range, each once."""
    return size(common(merged(ranges), merged(evidence)))
