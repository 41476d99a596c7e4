r"""Accuracy of naming a character as ∞Bench scored En.Dia for its paper (Zhang et al. 2024; `compute_scores.py` until
July 2024).

An output is split into words at white space and `:"'.,?!{}`, its words are made upper case, and it is right where one
of them is the first reference, as it is written: a reference of two words, or one with small letters, is never met, and
the further references do not count.

The code of August 2024 and later, and lm-evaluation-harness, take an output that contains any reference, in any case,
also inside a word. That gives more points for the same outputs, and not the published scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

_SEPARATORS = str.maketrans(dict.fromkeys("\n:\"'.,?!{}", " "))


@dataclass(frozen=True)
class NameInfinitebench(Metric):
    """The share of outputs that have the name as a word, 0–100; the key is "name_infinitebench"."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "name_infinitebench|rules:infinitebench-2024-02|words:upper-cased|references:first"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a word of the output is the first reference, else 0."""
        words = [word.upper() for word in prediction.translate(_SEPARATORS).split()]
        return {"name_infinitebench": 100.0 * (example.references[0] in words)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "name_infinitebench")
