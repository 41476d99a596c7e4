import random

import pytest

from pipelines.metrics import get
from pipelines.metrics.shared.subsequence import longest


def rouge(prediction: str, *references: str) -> float:
    return get("rouge-l").score([prediction], [references])["rouge-l"]


def textbook_length(tokens: list[str], other_tokens: list[str]) -> int:
    lengths = [0] * (len(other_tokens) + 1)
    for left in tokens:
        before = lengths.copy()
        for at, right in enumerate(other_tokens, 1):
            lengths[at] = before[at - 1] + 1 if left == right else max(lengths[at - 1], before[at])
    return lengths[-1]


def test_the_common_subsequence_is_as_long_as_the_textbook_program_says() -> None:
    draw = random.Random(5)
    for _ in range(200):
        tokens, other_tokens = (draw.choices(["a", "b", "gull", "ship", ""], k=draw.randint(0, 30)) for _ in range(2))
        assert longest(tokens, other_tokens) == textbook_length(tokens, other_tokens)


def test_f_weighs_recall_by_beta() -> None:
    precision, recall, weight = 2 / 3, 2 / 4, 1.2**2
    expected = 100 * (1 + weight) * precision * recall / (recall + weight * precision)
    assert rouge("the gull flew", "the grey gull sat") == pytest.approx(expected)


def test_precision_and_recall_may_come_from_two_references() -> None:
    # the long reference gives precision 1, the short one recall 1
    assert rouge("the gull", "the grey gull sat", "gull") == 100


def test_words_in_another_order_count_once() -> None:
    assert rouge("sat gull", "gull sat") == pytest.approx(50)


def test_the_score_is_the_mean_over_examples() -> None:
    assert get("rouge-l").score(["gull", "gull"], [["gull"], ["ship"]]) == {"rouge-l": 50.0}


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [("", "gull", 0), ("gull", "?", 0), ("!", "?", 100), ("", "?", 0), ("gull", "ship", 0)],
)
def test_a_text_without_tokens_equals_only_another_one(prediction: str, reference: str, expected: float) -> None:
    assert rouge(prediction, reference) == expected
