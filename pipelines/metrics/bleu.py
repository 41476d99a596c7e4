r"""Corpus BLEU (Papineni et al. 2002) as the COCO captions scorer computes it (Chen et al. 2015, section 3.1).

For each order k, p_k = clipped n-gram matches / n-grams of the predictions, both summed over the corpus; a count is
clipped at its largest in any one reference. With c the predictions' length and r the sum of the reference lengths
closest to each prediction (the shorter one of two as close), BLEU-n = BP · (p_1 · … · p_n)^(1/n), where
BP = exp(1 − r/c) for c < r, else 1. No smoothing but that scorer's guards against zero: 1e-15 above, 1e-9 below.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import exp, fsum, prod
from operator import or_

from longdoc.errors import UserError
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import TOKENS, words
from pipelines.records import Example

MAXIMUM = 100  # every order is counted by itself; beyond a sentence's length all are zero
_TINY, _SMALL = 1e-15, 1e-9


@dataclass(frozen=True)
class Bleu(Metric):
    r"""Corpus BLEU with n-grams up to order `n`, 0–100; the key is "bleu-n". Tokens are lower-cased `\w+`."""

    bootstrap_on = "mean row"

    n: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAXIMUM:
            raise UserError(f"metric bleu: n must be 1 to {MAXIMUM}, got {self.n}; try bleu:n=4")

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"bleu-{self.n}|rules:coco-captions|length:closest|smooth:none|{TOKENS}"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Clipped matches and n-grams of each order, the prediction's length and the closest reference length."""
        hypothesis = words(prediction)
        references = [words(reference) for reference in example.references]
        row: dict[str, float] = {}
        for order in range(1, self.n + 1):
            first, *others = (Counter(_ngrams(reference, order)) for reference in references)
            allowed = reduce(or_, others, first)
            grams = Counter(_ngrams(hypothesis, order))
            shared = grams.keys() & allowed.keys()
            row[f"matches-{order}"] = float(sum(min(grams[gram], allowed[gram]) for gram in shared))
            row[f"total-{order}"] = float(max(len(hypothesis) - order + 1, 0))
        length = len(hypothesis)
        row["hypothesis"] = float(length)
        row["reference"] = float(min(map(len, references), key=lambda other: (abs(other - length), other)))
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """BLEU of the corpus, from counts summed over examples; it is not a mean over examples."""
        if not rows:
            return {}
        total = {name: fsum(row[name] for row in rows) for name in rows[0]}
        orders = range(1, self.n + 1)
        precisions = [(total[f"matches-{k}"] + _TINY) / (total[f"total-{k}"] + _SMALL) for k in orders]
        ratio = (total["hypothesis"] + _TINY) / (total["reference"] + _SMALL)
        penalty = exp(1 - 1 / ratio) if ratio < 1 else 1.0
        return {f"bleu-{self.n}": 100 * penalty * prod(precisions) ** (1 / self.n)}


def _ngrams(tokens: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)
