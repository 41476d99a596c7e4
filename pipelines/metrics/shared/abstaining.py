"""Whether an output says that the question has no answer."""

from pipelines.metrics.shared.words import Normalization, normal_answer
from pipelines.records import UNANSWERABLE

_WORD = UNANSWERABLE.lower()


def abstains(prediction: str, rule: Normalization) -> bool:
    """Whether an output is nothing once it is normalized, or the word "unanswerable".

    In SQuAD 2.0's files of predictions it is nothing (Rajpurkar, Jia and Liang 2018); readers that write say it by the
    word, as the instructions of Qasper's and MuSiQue's questions in SCROLLS and ZeroSCROLLS ask.
    """
    return normal_answer(prediction, rule) in ("", _WORD)
