"""LongBench v2's accuracies: the values that its published code (pred.py, result.py) gives for these responses."""

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.benchmarks.longbench_v2.metrics.longbench_v2 import answer
from pipelines.records import Document, Example

RESPONSES = (
    ("**The correct answer is (A)**", "A", "easy", "short"),
    ("The correct answer is C.", "C", "easy", "medium"),
    ("The correct answer is (B)", "D", "hard", "long"),
    ("the correct answer is (b)", "B", "hard", "long"),
    ("I think (D).", "D", "hard", "medium"),
    ("The correct answer is Apple pie, not (B)", "A", "easy", "short"),
    ("The correct answer is B, or: The correct answer is (C)", "C", "hard", "long"),
)


def example(letter: str, difficulty: str = "easy", length: str = "short") -> Example:
    meta = {"difficulty": difficulty, "length": length}
    return Example("x", Document("", ""), references=(letter,), meta=meta)


def scores(name: str) -> dict[str, float]:
    metric = metrics.get(name)
    rows = [metric.statistics(text, example(*labels)) for text, *labels in RESPONSES]
    return {key: round(value, 1) for key, value in metric.aggregate(rows).items()}


def test_all_groups_are_those_of_the_published_code() -> None:
    assert scores("longbench_v2") == {
        "accuracy": 57.1,
        "accuracy_easy": 100.0,
        "accuracy_hard": 25.0,
        "accuracy_short": 100.0,
        "accuracy_medium": 50.0,
        "accuracy_long": 33.3,
        "unanswered": 28.6,
    }


def test_compensated_an_unanswered_question_counts_a_quarter() -> None:
    assert scores("longbench_v2_compensated") == {
        "accuracy_compensated": 64.3,
        "accuracy_easy_compensated": 100.0,
        "accuracy_hard_compensated": 37.5,
        "accuracy_short_compensated": 100.0,
        "accuracy_medium_compensated": 62.5,
        "accuracy_long_compensated": 41.7,
        "unanswered": 28.6,
    }


@pytest.mark.parametrize(
    ("output", "letter"),
    [
        ("The correct answer is (B).", "B"),
        ("The correct answer is **(B)**", "B"),
        ("The correct answer is A", "A"),
        ("The correct answer is B, no: The correct answer is (C)", "C"),
        ("The correct answer is Apple", "A"),
        ("The correct answer is (E) or C", None),
        ("the correct answer is (B)", None),
        ("The correct answer is  B", None),
        ("(B)", None),
        ("", None),
    ],
)
def test_the_answer_is_a_letter_after_these_words(output: str, letter: str | None) -> None:
    assert answer(output) == letter


def test_a_question_of_no_group_counts_over_all_alone() -> None:
    metric = metrics.get("longbench_v2")
    bare = Example("x", Document("", ""), references=("A",))
    assert metric.aggregate([metric.statistics("", bare)]) == {"accuracy": 0.0, "unanswered": 100.0}


@pytest.mark.parametrize("reference", ["a", "Anna", "AB", ""])
def test_a_reference_that_is_no_letter_is_named(reference: str) -> None:
    with pytest.raises(UserError, match=f"example x: the reference '{reference}' must be a letter A, B, C or D"):
        metrics.get("longbench_v2").statistics("The correct answer is (A)", example(reference))
