"""ROUGE-Lsum: ROUGE-L over the lines of a summary (Lin 2004, section 3.2), as rouge-score computes "rougeLsum".

Texts are split into lines; tokens are those of metric `rouge`, without stemming. For each line of the reference, U is
the set of its tokens that are in its longest common subsequence with any line of the prediction. A token of U is a hit
while both texts have an occurrence of it left. With h the hits, p and r the tokens of prediction and reference:
F = 2h / (p + r), 0 where h = 0. The best reference counts, the score is the mean over examples. ∞Bench scores En.SUM by
it, with the package `evaluate`, which splits no sentences either: a summary without line breaks is one line.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.rouge import tokens
from pipelines.metrics.shared.subsequence import matched
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class RougeLsum(Metric):
    """ROUGE-Lsum's F, 0–100; the key is "rouge_lsum". Equal to rouge-score 0.1.2's "rougeLsum"."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "rouge_lsum|rules:rouge-score|stemming:no|sentences:lines|tokens:lower-case [a-z0-9]+|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F over the references, 0–100."""
        hypothesis = lines(prediction)
        return {"rouge_lsum": max(f_measure(hypothesis, lines(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "rouge_lsum")


def lines(text: str) -> list[list[str]]:
    """The tokens of each line."""
    return [tokens(line) for line in text.split("\n")]


def f_measure(prediction: Sequence[Sequence[str]], reference: Sequence[Sequence[str]]) -> float:
    """ROUGE-Lsum's F of two texts given as lines of tokens, 0–100."""
    texts = (prediction, reference)
    prediction_counts, reference_counts = (Counter(token for line in text for token in line) for text in texts)
    hits = 0
    for line in reference:
        for position in sorted(set().union(*(matched(line, prediction_line) for prediction_line in prediction))):
            token = line[position]
            if prediction_counts[token] and reference_counts[token]:
                prediction_counts[token] -= 1
                reference_counts[token] -= 1
                hits += 1
    total = sum(len(line) for text in texts for line in text)
    return 200 * hits / total if hits else 0.0
