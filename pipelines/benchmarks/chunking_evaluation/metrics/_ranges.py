"""Chunks and gold evidence as ranges of characters, with the arithmetic of Chroma's chunking evaluation.

Smith and Troynikov 2024 ("Evaluating Chunking Strategies for Retrieval"), as their code computes it
(`evaluation_framework/base_evaluation.py`): ranges are neither trimmed nor joined over white space, a range that ends
where another begins meets it, and the score of a corpus is a mean over questions, given with its standard deviation.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import fsum, sqrt

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.gold_spans import common, merged
from pipelines.records import Example, Span

ROUNDING = 1e-12  # of a mean of squares: a smaller variance is that of equal numbers
_SPAN = re.compile(r"\[(\d{1,18}), ?(\d{1,18})\]")


@dataclass(frozen=True)
class RangeMetric(Metric):
    """Base class: a subclass defines `target`, `keys`, `rule` and `values`, the scores of one example, 0–100.

    For each there is the mean over these examples and, as `NAME_std`, the standard deviation (of the population).
    """

    needs_example = True
    needs_references = False
    bootstrap_on = "mean row"
    lacking = "no example has gold evidence"

    name = ""

    @property
    @abstractmethod
    def keys(self) -> tuple[str, ...]:
        """The names of the scores."""

    @property
    @abstractmethod
    def rule(self) -> str:
        """The part of the signature that is its own."""

    @abstractmethod
    def values(self, ranges: Sequence[Span], evidence: Sequence[Span]) -> tuple[float, ...]:
        """The scores of one example that has evidence, in the order of `keys`."""

    @property
    def signature(self) -> str:
        """The rules that decide the scores."""
        return f"{self.name}|{self.rule}|unit:characters|over:examples with evidence"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's scores for the ranges given as `prediction`, their squares, and whether it has evidence."""
        evidence = [span for span in example.evidence if span[0] < span[1]]
        ranges = [(int(start), int(end)) for start, end in _SPAN.findall(prediction)]
        scores = self.values([span for span in ranges if span[0] < span[1]], evidence) if evidence else ()
        row = {"has_evidence": float(bool(evidence))}
        for name, score in zip_longest(self.keys, scores, fillvalue=0.0):
            row |= {str(name): float(score), f"{name}_squared": float(score) ** 2}
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """Means and standard deviations over examples with evidence."""
        count = fsum(row["has_evidence"] for row in rows)
        scores: dict[str, float] = {}
        for name in self.keys if count else ():
            mean, squares = (fsum(row[key] for row in rows) / count for key in (name, f"{name}_squared"))
            variance = squares - mean**2
            scores[name] = mean
            scores[f"{name}_std"] = sqrt(variance) if variance > ROUNDING * squares else 0.0
        return scores


def size(ranges: Iterable[Span]) -> int:
    """The sum of the lengths: what two ranges share counts twice."""
    return sum(end - start for start, end in ranges)


def shared(ranges: Sequence[Span], evidence: Sequence[Span]) -> int:
    """The characters of the evidence that are in a range, each once."""
    return size(common(merged(ranges), merged(evidence)))
