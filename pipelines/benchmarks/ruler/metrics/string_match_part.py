"""RULER's score of its questions (Hsieh et al. 2024): whether an output contains any of the references."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.ruler.metrics.string_match_all import matches
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class StringMatchPart(Metric):
    """The share of outputs that contain a reference, in lower case, 0–100; the key is "string_match_part"."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "string_match_part|compared:contained, lower case|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where the prediction contains a reference, else 0."""
        return {"string_match_part": 100.0 * any(matches(prediction, example.references))}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "string_match_part")
