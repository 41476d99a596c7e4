"""Abstention: does a reader say so where a question has no answer, and only there?

    abstention = 100 · |unanswerable and refused| / |unanswerable|
    abstention_answerable = 100 · |answerable and refused| / |answerable|

A question is refused by an output that is nothing once it is normalized, or the word "unanswerable". Rajpurkar, Jia and
Liang (2018, "Know What You Don't Know: Unanswerable Questions for SQuAD") report the first as the accuracy on questions
without an answer; a reader that refuses everything has 100 in both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.abstaining import abstains
from pipelines.metrics.shared.words import Normalization, signed
from pipelines.records import Example, is_unanswerable


@dataclass(frozen=True)
class Abstention(Metric):
    """The shares of unanswerable and of answerable questions that were refused, 0–100.

    The keys are "abstention" and, where there are answerable questions too, "abstention_answerable". Unanswerable are
    questions that their data mark so (`records.NO_ANSWER`), and those all of whose references are the word
    "Unanswerable", as Qasper's. There is no score where no question is.
    """

    normalization: Normalization = "unicode"

    scores_unanswerable = True
    bootstrap_on = "mean row"
    lacking = "no question is marked as unanswerable"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"abstention|{signed(self.normalization)}|refused:nothing or unanswerable"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Whether the question is "unanswerable", and whether it was "refused" though "answerable" or not: 0 or 1."""
        words = all(abstains(reference, self.normalization) for reference in example.references)
        unanswerable = is_unanswerable(example.references) or words
        is_refused = abstains(prediction, self.normalization)
        return {
            "unanswerable": float(unanswerable),
            "refused": float(is_refused and unanswerable),
            "refused_answerable": float(is_refused and not unanswerable),
            "examples": 1.0,
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The two shares; empty where no question is unanswerable."""
        unanswerable, refused_value, refused_answerable, examples = (
            fsum(row[name] for row in rows) for name in ("unanswerable", "refused", "refused_answerable", "examples")
        )
        if not unanswerable:
            return {}
        scores = {"abstention": 100 * refused_value / unanswerable}
        if examples > unanswerable:
            scores["abstention_answerable"] = 100 * refused_answerable / (examples - unanswerable)
        return scores
