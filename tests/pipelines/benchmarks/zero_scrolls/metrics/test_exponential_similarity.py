import random
import re
import time

import pytest

from longdoc.errors import UserError
from pipelines.benchmarks.zero_scrolls.metrics.exponential_similarity import percentage
from pipelines.metrics import get


def similarity(prediction: str, *references: str) -> float:
    return get("exponential_similarity").score([prediction], [references])["exponential_similarity"]


@pytest.mark.parametrize(
    ("prediction", "expected"),
    [("60%", 100), ("50%", 50), ("80%", 25), ("62.5%", 100 * 2**-0.25), ("160%", 100 * 2**-10), ("0%", 100 * 2**-6)],
)
def test_every_ten_points_of_difference_halve_the_score(prediction: str, expected: float) -> None:
    assert similarity(prediction, "60%") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Of 50 reviews, 20 are positive: 40% against 60%.", 40),
        ("7.%", 7),
        ("12.5.7%", 5.7),
        ("-5%", 5),
        ("1e9%", 9),
        (".5%", 5),
        ("1,000%", 0),
        ("12 %", None),
        ("75", None),
        ("", None),
    ],
)
def test_the_first_number_with_the_sign_attached_counts(text: str, expected: float | None) -> None:
    assert percentage(text) == expected


def test_the_percentage_is_that_of_the_published_pattern() -> None:
    draw, published = random.Random(1), re.compile(r"\d+\.?\d*%")
    for _ in range(20_000):
        text = "".join(draw.choices("0179.% x", k=draw.randint(0, 14)))
        match = published.search(text)
        assert percentage(text) == (float(match[0][:-1]) if match else None), text


@pytest.mark.parametrize("prediction", ["none", "75", "12 %"])
def test_no_percentage_scores_0_and_is_counted(prediction: str) -> None:
    scores = get("exponential_similarity").score([prediction, "7%"], [["7%"], ["7%"]])
    assert scores == {"exponential_similarity": 50, "no_percentage": 50}


def test_any_number_is_scored_by_the_rule() -> None:
    assert similarity("1000000000%", "50%") == similarity("9" * 5000 + "%", "50%") == 0


def test_a_very_long_output_of_digits_is_scored_at_once() -> None:
    # the time of this process alone: reading such a number takes minutes
    start = time.process_time()
    assert similarity("0" * 200_000, "50%") == 0
    assert time.process_time() - start < 1


def test_a_reference_without_a_percentage_is_refused() -> None:
    with pytest.raises(UserError, match="example 0: the reference 'most' must have a percentage"):
        similarity("7%", "7%", "most")
