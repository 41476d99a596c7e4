"""Abstention: how often a reader refuses unanswerable and answerable questions, and the F1 of its answers.

    abstention = 100 · |unanswerable and refused| / |unanswerable|
    abstention_answerable = 100 · |answerable and refused| / |answerable|
    answered_f1 = the mean F1 of the questions that were answered, 0 for unanswerable ones

The first is "refused rightly", the second "refused wrongly", the third "right when answered". Rajpurkar, Jia and Liang
(2018, "Know What You Don't Know: Unanswerable Questions for SQuAD") report the first as the accuracy on questions
without an answer; a reader that refuses everything has 100 in both.

Where predictions carry confidences (`pipelines.score_predictions`), two further scores, which are better the lower they
are, say what the confidences are good for (`pipelines.statistics.risk_coverage`): `aurc`, the area under the
risk-coverage curve in points, and `ece`, the expected calibration error of the answers in points, where all confidences
are of 0–1. The risk is 100 - F1 for an answer, 100 for a question that was wrongly refused, and 0 for one that was
rightly refused; refused questions come last, since they were not answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Literal

from models.refusals import RULE, SPOKEN_RULE
from pipelines.metrics import Metric, Row
from pipelines.metrics.f1 import token_f1
from pipelines.metrics.shared.abstaining import Empty, Refusals, abstains
from pipelines.metrics.shared.words import Normalization, normal_answer, signed
from pipelines.records import Example, is_unanswerable
from pipelines.statistics.risk_coverage import aurc, calibration_error

NAME = "abstention"
NORMALIZATION: Normalization = "unicode"
CONFIDENCE = "confidence"
_SUMS = ("unanswerable", "refused", "refused_answerable", "examples", "answered", "answered_f1")


@dataclass(frozen=True)
class Abstention(Metric):
    """The shares of unanswerable and of answerable questions that were refused, and the F1 of the others, 0–100.

    The keys are "abstention" and, where there are answerable questions too, "abstention_answerable" and, where any was
    answered, "answered_f1". Unanswerable are questions that their data mark so (`records.NO_ANSWER`), and those
    all of whose references are refusals themselves: the word "Unanswerable", as Qasper's. There is no score where no
    question is. `refusals` says what is a refusal: that "word", or also a first "sentence" in English that says it
    (`models.refusals`). An empty output is a wrong answer, or with `empty` "refusal", as in SQuAD 2.0's files of
    predictions, a refusal too. With confidences of all predictions there are "aurc" and "ece" in any case.
    """

    refusals: Refusals = "word"
    empty: Empty = "wrong"

    scores_unanswerable = True
    lacking = "no question is marked as unanswerable"

    by_example: Mapping[str, float] = field(default_factory=dict, init=False, compare=False)

    @property
    def bootstrap_on(self) -> Literal["mean row", "rows"]:  # type: ignore[override]
        """ "rows" with confidences, whose order matters; else "mean row"."""
        return "rows" if self.by_example else "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        word, sentence = ("unanswerable", SPOKEN_RULE) if self.empty == "wrong" else ("nothing or unanswerable", RULE)
        rule = word if self.refusals == "word" else sentence
        return f"{NAME}|{signed(NORMALIZATION)}|refused:{rule}"

    def of_file(self) -> "Abstention":
        """The metric that counts empty texts as refusals."""
        return replace(self, empty="refusal")

    def with_confidences(self, confidences: Mapping[str, float]) -> "Abstention":
        """A copy with the confidences of all examples, by example id."""
        metric = replace(self)
        object.__setattr__(metric, "by_example", confidences)
        return metric

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The row of an example: 0 or 1 for "unanswerable", "refused", "refused_answerable" and "answered", and its F1.

        With confidences, also the prediction's "confidence" and the "risk" of the question.
        """
        is_refused, unanswerable = self._abstains(prediction), self._is_unanswerable(example.references)
        f1 = 0.0 if is_refused or unanswerable else self._f1(prediction, example.references)
        row = {
            "unanswerable": float(unanswerable),
            "refused": float(is_refused and unanswerable),
            "refused_answerable": float(is_refused and not unanswerable),
            "examples": 1.0,
            "answered": float(not is_refused),
            "answered_f1": f1,
        }
        if self.by_example:
            risk = 0.0 if is_refused and unanswerable else 100 - f1
            row |= {CONFIDENCE: self.by_example.get(example.id, 0.0), "risk": risk}  # without a prediction, none counts
        return row

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The scores; empty where no question is unanswerable and there are no confidences."""
        unanswerable, refused, refused_answerable, examples, answered, answered_f1 = (
            fsum(row[name] for row in rows) for name in _SUMS
        )
        scores = {"abstention": 100 * refused / unanswerable} if unanswerable else {}
        if unanswerable and examples > unanswerable:
            scores["abstention_answerable"] = 100 * refused_answerable / (examples - unanswerable)
            scores |= {"answered_f1": answered_f1 / answered} if answered else {}
        return scores | (_confidence_scores(rows) if rows and CONFIDENCE in rows[0] else {})

    def _abstains(self, text: str) -> bool:
        return abstains(text, NORMALIZATION, self.refusals, self.empty)

    def _is_unanswerable(self, references: Sequence[str]) -> bool:
        return is_unanswerable(references) or all(map(self._abstains, references))

    def _f1(self, prediction: str, references: Sequence[str]) -> float:
        tokens = normal_answer(prediction, NORMALIZATION).split()
        answers = [normal_answer(reference, NORMALIZATION).split() for reference in references]
        return max(100 * token_f1(tokens, answer) for answer in answers)


def ranked_confidences(rows: Sequence[Row]) -> list[float]:
    """The confidences of the rows, -inf for refused questions."""
    return [row[CONFIDENCE] if row["answered"] else float("-inf") for row in rows]


def _confidence_scores(rows: Sequence[Row]) -> dict[str, float]:
    """The area under the risk-coverage curve, and the calibration error of the answers."""
    scores = {"aurc": aurc(ranked_confidences(rows), [row["risk"] for row in rows])}
    pairs = [(row[CONFIDENCE], 1 - row["risk"] / 100) for row in rows if row["answered"]]
    if pairs and all(0 <= row[CONFIDENCE] <= 1 for row in rows):
        confidences, scores_of_answers = zip(*pairs, strict=True)
        scores["ece"] = 100 * calibration_error(confidences, scores_of_answers)
    return scores
