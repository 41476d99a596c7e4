"""LongBench's score of its code tasks (Bai et al. 2024): how similar an output's first line of code is to the right
one.

The line is the first without a backtick, "#" and "//", which are marks of Markdown and of comments; without such a line
it is empty. The similarity is `fuzzywuzzy`'s ratio without `python-Levenshtein`, which the published requirements do
not install: twice the characters in Ratcliff and Obershelp's matching blocks (`difflib`, with its rule that lines of
200 characters and more do not match by their most frequent ones) by the characters of both, in whole percent. With that
package installed the same code computes another similarity, by insertions and deletions, which is the same or higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

NOT_CODE = ("`", "#", "//")


@dataclass(frozen=True)
class CodeSimScore(Metric):
    """The similarity of an output's first line of code to the reference, 0–100; the key is "code_sim_score".

    The best reference counts.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        rules = "line:first without ` # //|ratio:difflib (fuzzywuzzy 0.18.0 without python-Levenshtein), whole percent"
        return f"code_sim_score|{rules}|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best similarity over the references, 0–100."""
        line = line_of_code(prediction)
        return {"code_sim_score": max(ratio(line, reference) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "code_sim_score")


def line_of_code(text: str) -> str:
    r"""The first line of an output that is neither a comment nor a fence; empty lines at its beginning aside."""
    lines = text.lstrip("\n").split("\n")
    return next((line for line in lines if not any(mark in line for mark in NOT_CODE)), "")


def ratio(text: str, other: str) -> float:
    """The similarity of two lines in whole percent: 100 for equal ones, 0 where one of them is empty."""
    if text == other:
        return 100.0
    if not text or not other:
        return 0.0
    return float(round(100 * SequenceMatcher(None, text, other).ratio()))
