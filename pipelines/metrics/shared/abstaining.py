"""Whether an output says that the question has no answer."""

from typing import Literal

from models.refusals import refuses
from pipelines.metrics.shared.words import Normalization, normal_answer
from pipelines.records import UNANSWERABLE

Refusals = Literal["word", "sentence"]

_WORD = UNANSWERABLE.lower()


def abstains(prediction: str, rule: Normalization, refusals: Refusals = "word") -> bool:
    """Whether an output is nothing once it is normalized, or the word "unanswerable".

    In SQuAD 2.0's files of predictions it is nothing (Rajpurkar, Jia and Liang 2018); readers that write say it by the
    word, as the instructions of Qasper's and MuSiQue's questions in SCROLLS and ZeroSCROLLS ask. With `refusals`
    "sentence", outputs whose first sentence says so do it too (`models.refusals`).
    """
    return normal_answer(prediction, rule) in ("", _WORD) or (refusals == "sentence" and refuses(prediction))
