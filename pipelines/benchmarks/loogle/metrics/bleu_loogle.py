"""BLEU-1 and BLEU-4 as LooGLE computes them (Li et al. 2024), with nltk's `sentence_bleu`.

Words are what stands between white space; case and punctuation stay. A sentence's BLEU-n is its clipped precision of
n-grams alone, times the brevity penalty exp(1 - r/c) where the prediction is shorter: LooGLE's weights for BLEU-4 are
(0, 0, 0, 1), no geometric mean over the four orders. The score is the mean over examples, so it is not metric `bleu-4`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

ORDERS = (1, 4)
EMPTY_OUTPUT = "None"  # what LooGLE scores in place of an empty output


@dataclass(frozen=True)
class BleuLoogle(Metric):
    """LooGLE's BLEU, 0–100; the keys are "bleu-1_loogle" and "bleu-4_loogle". The best reference counts."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return (
            "bleu_loogle|rules:nltk sentence_bleu, one order|smooth:none|tokens:white space|empty:None|references:max"
        )

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best score of each order over the references, 0–100."""
        hypothesis = words(prediction)
        return {
            f"bleu-{n}_loogle": max(100 * _bleu(hypothesis, words(text), n) for text in example.references)
            for n in ORDERS
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return mean(rows, "bleu-1_loogle") | mean(rows, "bleu-4_loogle")


def words(text: str) -> list[str]:
    """The words of a text as LooGLE splits it, at white space."""
    return (text or EMPTY_OUTPUT).split()


def _bleu(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> float:
    """The clipped precision of n-grams, times the penalty for a short hypothesis."""
    ngrams, gold_ngrams = _ngrams(hypothesis, n), _ngrams(reference, n)
    matches = (ngrams & gold_ngrams).total()
    if not matches:
        return 0.0
    penalty = 1.0 if len(hypothesis) > len(reference) else exp(1 - len(reference) / len(hypothesis))
    return penalty * matches / ngrams.total()


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
