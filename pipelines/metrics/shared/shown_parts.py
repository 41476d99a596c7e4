"""The share of a document's parts (gold pages, or documents of a set) of which some text was shown.

A part is `[name, start, end]` in the example's metadata. It is shown where one character of it that is not white space
lies in a shown span.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.gold_spans import common, joined, spans_in
from pipelines.records import Example


@dataclass(frozen=True)
class PartMetric(Metric):
    """Base class of metrics over parts; a subclass sets `name`, and the `field` of the metadata that has the parts.

    The score is the mean over the examples that have parts, with references or without.
    """

    target = "spans"
    needs_example = True
    needs_references = False
    bootstrap_on = "mean row"
    lacking = "no example lists parts of its document"

    name = ""
    field = ""

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"{self.name}|of:shown spans|unit:{self.field}|shown:one character|over:examples with {self.field}"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The share of the example's parts that the spans given as `prediction` overlap, and whether it has parts."""
        text, parts = example.document.text, example.meta.get(self.field) or ()
        passages = joined(text, spans_in(prediction))
        shown_count = sum(bool(common(passages, joined(text, [(start, end)]))) for _, start, end in parts)
        return {self.name: 100 * shown_count / len(parts) if parts else 0.0, "has_parts": float(bool(parts))}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples that have parts."""
        examples = fsum(row["has_parts"] for row in rows)
        return {self.name: fsum(row[self.name] for row in rows) / examples} if examples else {}
