"""Results of code as L-Eval scores CodeU (An et al. 2024): the reference stands among the last words of the output.

Words are what stands between white space, in lower case, without punctuation around and in them. The last words of an
output are as many as the reference has, and three more; the reference has to stand in them, word by word in its order.
"""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

EXTRA_WORDS = 3  # words of an output beyond as many as the reference has

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")


@dataclass(frozen=True)
class CodeLeval(Metric):
    """The share of outputs that end with the reference, 0–100; the key is "code_leval". Any reference counts."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"code_leval|words:lower case, no punctuation|contained in:last words, {EXTRA_WORDS} more|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a reference stands in the last words, else 0."""
        words = _words(prediction)
        return {"code_leval": 100.0 * any(_ends_with(words, _words(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "code_leval")


def _words(text: str) -> list[str]:
    return _PUNCTUATION.sub("", text.lower()).split()


def _ends_with(words: Sequence[str], reference: Sequence[str]) -> bool:
    last = list(words[-len(reference) - EXTRA_WORDS :])
    starts = range(len(last) - len(reference) + 1)
    return bool(reference) and any(last[start : start + len(reference)] == list(reference) for start in starts)
