"""Detects outputs that say that the question has no answer."""

from typing import Literal

from models.refusals import UNANSWERABLE, refuses
from pipelines.metrics.shared.words import Normalization, normal_answer

Refusals = Literal["word", "sentence"]
Empty = Literal["wrong", "refusal"]  # how an output counts that is empty after normalization

_WORD = UNANSWERABLE.lower()


def abstains(prediction: str, rule: Normalization, refusals: Refusals = "word", empty: Empty = "wrong") -> bool:
    """Whether an output says that the question has no answer: the word "unanswerable" after normalization.

    The instructions of Qasper's and MuSiQue's questions in SCROLLS and ZeroSCROLLS ask for this word; an empty output
    has failed. In SQuAD 2.0's files of predictions (Rajpurkar, Jia and Liang 2018) an empty output is a refusal, which
    `empty` "refusal" counts too. With `refusals` "sentence", outputs whose first sentence refuses count too
    (`models.refusals`).
    """
    answer = normal_answer(prediction, rule)
    if not answer:
        return empty == "refusal"
    return answer == _WORD or (refusals == "sentence" and refuses(prediction))


def signed_empty(empty: Empty) -> str:
    """The part of a signature on empty outputs; "" for the default rule."""
    return "" if empty == "wrong" else f"|empty:{empty}"
