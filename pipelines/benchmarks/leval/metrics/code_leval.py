r"""Results of code as L-Eval scores CodeU (An et al. 2024): the reference stands where the output gives its result.

Output and reference lose each of `, ' \ .0`, the output also some phrases, such as "will be". The answer is what
follows the last "the final output", or else the end of the output: as many words as the reference has, and three more.
It is right if it is the reference's number, or contains the reference, in lower case and without spaces.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.leval.metrics._exam import exam_score
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

EXTRA_WORDS = 3  # words of an output beyond as many as the reference has
RESULT = "the final output"  # the result stands behind it
PHRASES = ("will be", "of the code", "is", "would be", "the value of", "the result of", "printed")  # also within words

_SPACE = re.compile(r"\s+")
_REWRITES = ((",", ""), ("'", ""), ("\\", ""), (".0", ""), ("] [", "]["), ("[ [", "[["), ("] ]", "]]"))


@dataclass(frozen=True)
class CodeLeval(Metric):
    """The share of outputs whose result contains the reference, 0–100; the key is "code_leval". Any reference counts.

    The official script also takes a reference of letters A to D alone for a multiple choice, and one without letters
    and digits, such as [], for the same as an empty output.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return (
            f"code_leval|without:, ' \\ .0|taken:behind {RESULT}, else last words, {EXTRA_WORDS} more"
            "|empty:right for a reference without letters and digits, 25 for letters A-D|references:max"
        )

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """100 where a reference stands in the result, else 0."""
        scores = (exam_score(_result(prediction, text), _rewritten(text)) for text in example.references)
        return {"code_leval": max(scores)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "code_leval")


def _rewritten(text: str) -> str:
    """A text without the marks that are not compared, with single spaces."""
    text = _SPACE.sub(" ", text)
    for old, new in _REWRITES:
        text = text.replace(old, new)
    return text


def _result(output: str, reference: str) -> str:
    """The words of the output that may hold the reference. White space at an end counts as a word, as officially."""
    text = _rewritten(output)
    for phrase in PHRASES:
        text = text.replace(phrase, "")
    count = len(reference.split()) + EXTRA_WORDS
    _, mark, result = text.rpartition(RESULT)
    words = _SPACE.split(result)
    return " ".join(words[:count] if mark else words[-count:])
