"""ROUGE-L as LongBench computes it (Bai et al. 2024) for its English summaries, with the Python package `rouge`.

Texts are split into sentences at ".", sentences into words at white space; case and all other punctuation stay. For
every pair of a reference's and the prediction's sentence one longest common subsequence is read off, and u is the
number of different words in all of them together. With p and r the different words of prediction and reference:
P = u / p, R = u / r, F = 2PR / (P + R + 1e-8); 0 for a text that has nothing but full stops. The best reference counts,
the score is the mean over examples. This is not the `rouge` metric's rougeL: the two differ by many points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class RougeLLongbench(Metric):
    """LongBench's ROUGE-L, 0–100; the key is "rouge_l_longbench".

    Equal to `rouge` 1.0.1, but for sentences of about a thousand words: there that package exceeds Python's recursion
    limit, for which LongBench writes 0; here they are scored like others. LongBench's other English questions are
    scored by metric `f1`.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "rouge_l_longbench|rules:rouge 1.0.1, summary level, different words|tokens:white space|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F over the references, 0–100."""
        return {"rouge_l_longbench": max(100 * summary_f(prediction, text) for text in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "rouge_l_longbench")


def sentences(text: str) -> list[list[str]]:
    """The words of each sentence of a text; a sentence of white space alone has one empty word."""
    return [part.split() or [""] for part in text.split(".") if part]


def subsequence(words: Sequence[str], other: Sequence[str]) -> set[str]:
    """The words of the longest common subsequence that `rouge` finds among several.

    Read from the ends: equal words are taken, else `words` is shortened if that alone keeps the length, else `other`.
    """
    lengths = [[0] * (len(other) + 1)]
    for word in words:
        before, row = lengths[-1], [0]
        for position, candidate in enumerate(other):
            row.append(before[position] + 1 if word == candidate else max(before[position + 1], row[position]))
        lengths.append(row)
    common, i, j = set(), len(words), len(other)
    while i and j:
        if words[i - 1] == other[j - 1]:
            common.add(words[i - 1])
            i, j = i - 1, j - 1
        elif lengths[i - 1][j] > lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return common


def summary_f(prediction: str, reference: str) -> float:
    """ROUGE-L F of two texts, 0–1."""
    predicted, gold = sentences(prediction), sentences(reference)
    common: set[str] = set().union(*(subsequence(right, output) for right in gold for output in predicted))
    if not common:
        return 0.0
    precision, recall = (len(common) / len(set().union(*text)) for text in (predicted, gold))
    return 2 * precision * recall / (precision + recall + 1e-8)
