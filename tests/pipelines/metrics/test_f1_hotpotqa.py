"""HotpotQA's F1: SQuAD's, and 0 where a closed answer meets another one."""

import pytest

from pipelines.metrics import get


def f1(prediction: str, *references: str) -> float:
    return get("f1_hotpotqa").score([prediction], [references])["f1_hotpotqa"]


@pytest.mark.parametrize(
    ("prediction", "references", "score"),
    [
        ("Yes.", ["yes"], 100),
        ("yes, he did", ["yes"], 0),
        ("no", ["no one"], 0),
        ("Noanswer", ["noanswer given"], 0),
        ("yes, he did", ["no", "he did"], 80),
        ("the grey gull", ["a gull"], 200 / 3),
        ("", ["gull"], 0),
    ],
)
def test_a_closed_answer_counts_only_when_output_and_reference_are_that_answer(
    prediction: str, references: list[str], score: float
) -> None:
    assert f1(prediction, *references) == pytest.approx(score)


def test_without_closed_answers_the_score_is_squad_s() -> None:
    prediction, references = "The gull, again: x 1!", ["a gull", "again, a gull sat"]
    assert f1(prediction, *references) == get("f1").score([prediction], [references])["f1"]
