r"""ROUGE-L (Lin 2004, section 3.1) as the COCO captions scorer computes it (Chen et al. 2015, section 3.2).

With l the length of the longest common subsequence of prediction c and reference r: P = max over references of l/|c|,
R = max over references of l/|r| (the two maxima may come from different references),
F = (1 + β²) · P · R / (R + β² · P), 0 where P or R is 0. The score is the mean over examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.subsequence import longest
from pipelines.metrics.shared.words import TOKENS, mean, words
from pipelines.records import Example

BETA = 1.2


@dataclass(frozen=True)
class RougeL(Metric):
    r"""ROUGE-L's F with weight 1.2 on recall, 0–100; the key is "rouge-l". Tokens are lower-cased `\w+`.

    As in that scorer, a text without tokens counts as one empty token: it equals another such text and nothing else. An
    empty output is wrong.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"rouge-l|rules:coco-captions|beta:{BETA}|references:max precision, max recall|{TOKENS}"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The example's F, 0–100."""
        if not prediction.strip():
            return {"rouge-l": 0.0}
        hypothesis = words(prediction) or [""]
        references = [words(reference) or [""] for reference in example.references]
        common = [longest(hypothesis, reference) for reference in references]
        precision = max(common) / len(hypothesis)
        recall = max(length / len(reference) for length, reference in zip(common, references, strict=True))
        if not precision:
            return {"rouge-l": 0.0}
        weight = BETA**2
        return {"rouge-l": 100 * ((1 + weight) * precision * recall) / (recall + weight * precision)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "rouge-l")
