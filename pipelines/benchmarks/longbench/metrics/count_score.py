"""LongBench's score of passage_count (Bai et al. 2024): the share of an output's numbers that are the right one."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.longbench.metrics._numbers import share_right
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class CountScore(Metric):
    r"""The share of an output's numbers (`\d+`) that are the reference, 0–100; the key is "count_score".

    Numbers are compared as text: "07" is not "7". An output without a number scores 0. The best reference counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return r"count_score|share of:\d+|compared:as text|none:0|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best share over the references, 0–100."""
        return {"count_score": max(share_right(prediction, reference) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "count_score")
