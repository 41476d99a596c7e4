"""OOLONG's two scores."""

import pytest

from pipelines import metrics
from pipelines.benchmarks.oolong.metrics.oolong_real import answer as boxed
from pipelines.benchmarks.oolong.metrics.oolong_synth import answer
from pipelines.records import Document, Example
from tests.turns import for_each


def score(name: str, output: str, reference: str, kind: str = "") -> float:
    example = Example("q", Document("", ""), references=(reference,), meta={"answer_type": kind})
    return float(metrics.get(name).statistics(output, example)[name])


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("Answer: 17", "17"),
        ("First: a\nAnswer: **[spam]**", "spam"),
        ("It is seventeen", "It is seventeen"),
        ("I counted the lines and it is 17", "17"),
        ("Answer: spam is more common than ham in it", "more common"),
        ("Answer: more common", "more common"),
        ("Answer: a rather long answer, all of it", "a rather long answer, all of it"),
        ("", ""),
        ("      " * 5, "      " * 5),
        ("Answer:", ""),
    ],
)
def test_the_answer_is_what_follows_the_last_colon(output: str, text: str) -> None:
    assert answer(output) == text


@for_each(
    ("output", "reference", "kind", "expected"),
    [
        ("Answer: 17", "17", "ANSWER_TYPE.NUMERIC", 100),
        ("Answer: 19", "17", "ANSWER_TYPE.NUMERIC", 100 * 0.75**2),
        ("Answer: 1" + 400 * "0", "17", "ANSWER_TYPE.NUMERIC", 0),
        ("Answer: about 17", "17", "ANSWER_TYPE.NUMERIC", 0),
        ("Answer: 19", "17", "ANSWER_TYPE.LABEL", 0),
        ("Label: spam", "spam", "ANSWER_TYPE.LABEL", 100),
        ("Label: Spam", "spam", "ANSWER_TYPE.LABEL", 0),
        ("Answer: more common", "more common than", "ANSWER_TYPE.COMPARISON", 100),
        ("Answer: less common", "more common than", "ANSWER_TYPE.COMPARISON", 0),
        ("Date: 2024-03-05", "2024-03-05", "ANSWER_TYPE.DATE", 100),
        ("Date: Mar 5, 2024", "2024-03-05", "ANSWER_TYPE.DATE", 100),
        ("Date: March 6, 2024", "2024-03-05", "ANSWER_TYPE.DATE", 0),
        ("Date: March 5", "2024-03-05", "ANSWER_TYPE.DATE", 0),
        ("Date: never", "2024-03-05", "ANSWER_TYPE.DATE", 0),
        ("", "17", "ANSWER_TYPE.NUMERIC", 0),
    ],
)
def test_synth_compares_by_the_kind_of_the_answer(output: str, reference: str, kind: str, expected: float) -> None:
    assert score("oolong_synth", output, reference, kind) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        (r"\boxed{17}", "17", 100),
        (r"So \boxed{\text{15}}", "17", 100 * 0.75**2),
        ("17", "17", 0),
        (r"\boxed{a gull}", "A Gull ", 100),
        ("A gull", "a gull", 100),
        (r"\boxed{b, a, x}", "a, b", 100),
        (r"\boxed{a, x}", "a, b", 50),
        (r"\boxed{a}", "a, b", 0),
        (r"\boxed{a}", "17", 0),
        ("", "17", 0),
    ],
)
def test_real_compares_numbers_texts_and_lists(output: str, reference: str, expected: float) -> None:
    assert score("oolong_real", output, reference) == pytest.approx(expected)


def test_an_answer_in_a_box_is_a_number_a_list_or_a_text() -> None:
    assert [boxed(text) for text in (r"\boxed{4}", r"\boxed{a, b,}", r"\boxed{\text{x}}", "4")] == [
        4,
        ["a", "b"],
        "x",
        "4",
    ]
