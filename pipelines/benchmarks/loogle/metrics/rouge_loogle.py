"""ROUGE-1, ROUGE-2 and ROUGE-L as LooGLE computes them (Li et al. 2024): recall, with the Python package `rouge`.

Texts are split into sentences at ".", sentences into words at white space; case and all other punctuation stay.
ROUGE-n is the share of the reference's different n-grams that the prediction has, n-grams taken across sentences; for
ROUGE-L see metric `rouge_l_longbench`, of which this is the recall.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from pipelines.benchmarks.longbench.metrics.rouge_l_longbench import sentences, subsequence
from pipelines.benchmarks.loogle.metrics.bleu_loogle import EMPTY_OUTPUT
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

KEYS = ("rouge1_loogle", "rouge2_loogle", "rougeL_loogle")


@dataclass(frozen=True)
class RougeLoogle(Metric):
    """LooGLE's ROUGE recalls, 0–100; the keys are "rouge1_loogle", "rouge2_loogle" and "rougeL_loogle".

    The best reference counts. Where `rouge` 1.0.1 fails, for a text of full stops alone and for sentences of about a
    thousand words, there is a score here: 0 for the first, that of any other sentence for the second.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        rules = "rouge 1.0.1, recall, summary level, different n-grams"
        return f"rouge_loogle|rules:{rules}|tokens:white space|empty:None|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best recall of each kind over the references, 0–100."""
        hypothesis = sentences(prediction or EMPTY_OUTPUT)
        recalls = [_recalls(hypothesis, sentences(text)) for text in example.references]
        return {key: 100 * max(values) for key, values in zip(KEYS, zip(*recalls, strict=True), strict=True)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples."""
        return {name: value for key in KEYS for name, value in mean(rows, key).items()}


def _recalls(prediction: list[list[str]], reference: list[list[str]]) -> tuple[float, float, float]:
    reference_tokens, prediction_tokens = list(chain(*reference)), list(chain(*prediction))
    if not reference_tokens or not prediction_tokens:
        return 0.0, 0.0, 0.0
    common: set[str] = set().union(*(subsequence(right, output) for right in reference for output in prediction))
    return (
        _recall(prediction_tokens, reference_tokens, 1),
        _recall(prediction_tokens, reference_tokens, 2),
        len(common) / len(set(reference_tokens)),
    )


def _recall(prediction: Sequence[str], reference: Sequence[str], n: int) -> float:
    """The share of the reference's different n-grams that the prediction has; 0 for a reference without one."""
    ngrams = _ngrams(reference, n)
    return len(ngrams & _ngrams(prediction, n)) / len(ngrams) if ngrams else 0.0


def _ngrams(tokens: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return set(zip(*(tokens[start:] for start in range(n)), strict=False))
