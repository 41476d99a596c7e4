"""How L-Eval compares an answer with a reference in its exams (An et al. 2024), once it is found in the output."""

import re
import string

PART = 25.0  # the score of an answer with some of the right letters and no other

_CHOICES = frozenset("ABCD")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def exam_score(answer: str, reference: str) -> float:
    """The score by letters where the reference is nothing but letters A to D and punctuation, else by text."""
    right = _normal(reference)
    return letter_score(_normal(answer), right) if _CHOICES.issuperset(right) else text_score(answer, reference)


def letter_score(answer: str, reference: str) -> float:
    """100 for the same letters in the same order, 25 for a part of them and no other, else 0."""
    if answer == reference:
        return 100.0
    return PART if set(answer) <= set(reference) else 0.0


def text_score(answer: str, reference: str) -> float:
    """100 for equal numbers; where one is not a number, if the answer contains the reference; else 0."""
    try:
        return 100.0 * (float(answer) == float(reference))
    except ValueError:
        return 100.0 * (_joined(reference) in _joined(answer))


def _normal(text: str) -> str:
    """A text without punctuation and articles, with single spaces."""
    return " ".join(_ARTICLE.sub(" ", text.translate(_PUNCTUATION)).split())


def _joined(text: str) -> str:
    return text.lower().replace(" ", "")
