"""RULER's score (Hsieh et al. 2024; `scripts/eval/synthetic/constants.py`): the share of references in an output."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class StringMatchAll(Metric):
    """The share of the references that an output contains, in lower case, 0–100; the key is "string_match_all".

    The references are not alternatives: all of them are to be named. Contained is contained: "17" is in "1705".
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "string_match_all|compared:contained, lower case|references:share"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The share of the references that the prediction contains, 0–100."""
        hits = matches(prediction, example.references)
        return {"string_match_all": 100 * sum(hits) / len(hits)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "string_match_all")


def matches(prediction: str, references: Sequence[str]) -> list[bool]:
    """Whether an output contains each of the references, in lower case."""
    output = prediction.lower()
    return [reference.lower() in output for reference in references]
