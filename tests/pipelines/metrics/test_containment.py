import pytest

from pipelines.metrics import get


@pytest.mark.parametrize(
    "prediction, references, expected",
    [
        ("It was, she said, a Grey gull.", ["the grey gull", "a ship"], 100),
        ("in 1212", ["12"], 0),
        ("gull grey", ["grey gull"], 0),
        ("", ["gull"], 0),
        ("gull", ["..."], 0),
    ],
)
def test_a_reference_counts_as_whole_tokens_in_normal_form(
    prediction: str, references: list[str], expected: int
) -> None:
    assert get("containment").score([prediction], [references]) == {"containment": expected}


def test_the_score_is_the_share_of_examples_in_any_script_too() -> None:
    metric = get("containment:normalization=unicode")
    assert metric.score(["船は出た", "«Да», сказал он"], [["船"], ["нет"]]) == {"containment": 50}
