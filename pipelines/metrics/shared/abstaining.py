"""Whether an output says that the question has no answer."""

from typing import Literal

from models.refusals import UNANSWERABLE, refuses
from pipelines.metrics.shared.words import Normalization, normal_answer

Refusals = Literal["word", "sentence"]
Empty = Literal["wrong", "refusal"]  # what an output is that is nothing once it is normalized

_WORD = UNANSWERABLE.lower()


def abstains(prediction: str, rule: Normalization, refusals: Refusals = "word", empty: Empty = "wrong") -> bool:
    """Whether an output is the word "unanswerable", once it is normalized.

    Readers that write say it by the word, as the instructions of Qasper's and MuSiQue's questions in SCROLLS and
    ZeroSCROLLS ask; one that says nothing has failed. In SQuAD 2.0's files of predictions it is nothing (Rajpurkar, Jia
    and Liang 2018), which `empty` "refusal" takes for it too. With `refusals` "sentence", outputs whose first sentence
    says so do it too (`models.refusals`).
    """
    answer = normal_answer(prediction, rule)
    if not answer:
        return empty == "refusal"
    return answer == _WORD or (refusals == "sentence" and refuses(prediction))


def signed_empty(empty: Empty) -> str:
    """The rule for empty outputs in a signature, where it is not the common one."""
    return "" if empty == "wrong" else f"|empty:{empty}"
