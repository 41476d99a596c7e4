"""LongBench's score of passage_retrieval (Bai et al. 2024): of the numbers in an output, the share that is the
paragraph's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from longdoc.errors import UserError
from pipelines.benchmarks.longbench.metrics._numbers import share_right
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

# what stands before the number in a reference
PREFIXES = {"en": "Paragraph ", "zh": "段落"}


@dataclass(frozen=True)
class RetrievalScore(Metric):
    r"""The share of an output's numbers (`\d+`) that are the one in the reference, 0–100.

    A reference is "Paragraph 7", or "段落7" for `language` "zh", whose key is "retrieval_zh_score" in place of
    "retrieval_score". Numbers are compared as text, and an output without one scores 0. The best reference counts.
    """

    bootstrap_on = "means"

    language: Literal["en", "zh"] = "en"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return rf"{self._key}|reference:{PREFIXES[self.language]}N|share of:\d+|compared:as text|none:0|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best share over the references, 0–100. Raises `UserError` for a reference that names no paragraph."""
        return {
            self._key: max(
                share_right(prediction, self._right(reference, example.id)) for reference in example.references
            )
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, self._key)

    @property
    def _key(self) -> str:
        return "retrieval_score" if self.language == "en" else "retrieval_zh_score"

    def _right(self, reference: str, name: str) -> str:
        """The number in a reference of the example `name`. Raises `UserError` where it has none."""
        match = re.search(rf"{PREFIXES[self.language]}(\d+)", reference)
        if match is None:
            raise UserError(
                f"example {name}: the reference {reference!r} must name a paragraph ('{PREFIXES[self.language]}7'): "
                "fix the data, or use metric exact_match"
            )
        return match[1]
