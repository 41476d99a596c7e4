"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004, sections 2 and 3.1) as SCROLLS averages them (Shaham et al. 2022).

With c the n-grams in common (as multisets), or the length of the longest common subsequence for L, p those of the
prediction and r those of the reference: F = 2c / (p + r), 0 where c = 0. Each kind takes its best reference, then the
mean over examples; the geometric mean is that of the three means. Tokens and scores are those of rouge-score (Google
Research): lower case, runs of `[a-z0-9]`, so other scripts have none; without stemming, as both benchmarks score, or,
as in SQuALITY (Wang et al. 2022), with words of more than three letters as their Porter stems. Its L is over the whole
text: line breaks mean nothing, unlike in its "rougeLsum".
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import cbrt, prod
from typing import Any

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.subsequence import longest
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

KINDS = ("rouge1", "rouge2", "rougeL")

_TOKEN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Rouge(Metric):
    """The F-measures "rouge1", "rouge2" and "rougeL" and their "geometric_mean", 0–100.

    `stemming`: whether words are compared by their Porter stems, which is worth about a point.

    The ZeroSCROLLS paper (section 3.3) speaks of a geometric mean for each example; here, as in SCROLLS, it is taken
    once, of the corpus scores. A text without tokens (without two, for ROUGE-2) scores 0.
    """

    stemming: bool = False

    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        stemming = "porter, over 3 letters" if self.stemming else "no"
        return (
            f"rouge|rules:rouge-score|stemming:{stemming}|tokens:lower-case [a-z0-9]+|references:max|"
            "geometric_mean:of means"
        )

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F of each kind over the references, 0–100."""
        split = stems if self.stemming else tokens
        hypothesis = split(prediction)
        scores = [f_measures(hypothesis, split(reference)) for reference in example.references]
        return {kind: max(best) for kind, best in zip(KINDS, zip(*scores, strict=True), strict=True)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The means over examples, and their geometric mean."""
        if not rows:
            return {}
        means = {kind: mean(rows, kind)[kind] for kind in KINDS}
        return means | {"geometric_mean": cbrt(prod(means.values()))}


def tokens(text: str) -> list[str]:
    """Lower-cased runs of ASCII letters and digits."""
    return _TOKEN.findall(text.lower())


def stems(text: str) -> list[str]:
    """The tokens, with those of more than three letters replaced by their Porter stems (nltk's, as in rouge-score)."""
    return [_stem(token) if len(token) > 3 else token for token in tokens(text)]


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


def f_measures(prediction: Sequence[str], reference: Sequence[str]) -> tuple[float, float, float]:
    """F of ROUGE-1, ROUGE-2 and ROUGE-L of two lists of tokens, 0–100."""
    p, r = len(prediction), len(reference)
    unigrams = _common(prediction, reference)
    if not unigrams:
        return 0.0, 0.0, 0.0
    bigrams = _common(pairwise(prediction), pairwise(reference))
    rouge_2 = 200 * bigrams / (p + r - 2) if bigrams else 0.0
    return 200 * unigrams / (p + r), rouge_2, 200 * longest(prediction, reference) / (p + r)


def _common(grams: Iterable[Hashable], other: Iterable[Hashable]) -> int:
    """The size of the intersection of two multisets."""
    left, right = Counter(grams), Counter(other)
    return sum(min(left[gram], right[gram]) for gram in left.keys() & right.keys())
