import pytest

from pipelines.metrics import get


@pytest.mark.parametrize(
    ("prediction", "references", "expected"),
    [
        ("The Gull!", ["a gull"], 100),
        ("grey gull", ["gull"], 0),
        ("gull", ["ship", "Gull."], 100),
        ("", ["gull"], 0),
        ("...", ["the"], 100),  # both normalize to nothing: equal in SQuAD's script too
        ("", ["the"], 0),
        (" \n", ["A"], 0),
        ("gull", ["the"], 0),
    ],
)
def test_normal_forms_are_compared_with_any_reference(prediction: str, references: list[str], expected: float) -> None:
    assert get("exact_match").score([prediction], [references]) == {"exact_match": expected}


def test_the_score_is_the_share_of_examples() -> None:
    scores = get("exact_match").score(["a", "b", "c", "d"], [["x"], ["b"], ["c"], ["x"]])
    assert scores == {"exact_match": 50.0}


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("दिल्ली।", "दिल्ली", 100),
        ("दिल्ल", "दिल्ली", 0),
        ("Cafe\u0301!", "the CAFÉ", 100),
        ("北 京", "北京", 100),
        ("…", "。", 100),  # both are nothing, as in SQuAD
    ],
)
def test_in_any_script_marks_count_and_spellings_of_one_letter_are_equal(prediction, reference, score) -> None:
    assert get("exact_match:unicode").score([prediction], [[reference]]) == {"exact_match": score}
