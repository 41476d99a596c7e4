import pytest

from longdoc.errors import UserError
from pipelines.metrics import get


def f1(prediction: str, *references: str) -> float:
    return get("f1").score([prediction], [references])["f1"]


def test_f1_is_the_harmonic_mean_of_token_precision_and_recall() -> None:
    assert f1("grey gull", "the grey ship sank") == pytest.approx(100 * 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_a_repeated_token_counts_as_often_as_both_have_it() -> None:
    assert f1("gull gull gull", "gull gull ship") == pytest.approx(100 * 2 / 3)


def test_case_punctuation_and_articles_are_ignored() -> None:
    assert f1("The Gull!", "a gull") == 100


def test_the_best_reference_counts() -> None:
    assert f1("gull", "ship", "gull") == 100


def test_the_score_is_the_mean_over_examples() -> None:
    assert get("f1").score(["gull", "gull"], [["gull"], ["ship"]]) == {"f1": 50.0}


@pytest.mark.parametrize(("prediction", "reference"), [("", "gull"), ("gull", "the"), ("a", "the")])
def test_without_tokens_on_a_side_it_is_0_as_in_squad(prediction: str, reference: str) -> None:
    assert f1(prediction, reference) == 0


def f1_any_script(prediction: str, reference: str) -> float:
    return get("f1:unicode").score([prediction], [[reference]])["f1"]


@pytest.mark.parametrize(
    ("prediction", "reference", "score"),
    [
        ("मैं किताब पढ़ता हूँ।", "किताब", 40),  # one of four words
        ("café noir", "cafe\u0301", pytest.approx(200 / 3)),
        ("北京是首都", "北京", pytest.approx(400 / 7)),  # letters are compared: two of five
        ("北 京", "北京。", 100),
        ("用AI学习", "ＡＩ", 40),  # three letters and a word
        ("“The” «Кафе»", "кафе", 100),
        ("می\u200cروم", "میروم", 100),
        ("1914–1918", "1914-1918", 100),
        ("a\u0331 tree", "tree", pytest.approx(200 / 3)),  # a letter with a mark is no article
    ],
)
def test_in_any_script_letters_have_their_marks_and_one_normal_form(prediction, reference, score) -> None:
    assert f1_any_script(prediction, reference) == score


def test_the_signature_names_the_rule() -> None:
    assert get("f1").signature == "f1|normalization:squad-1.1|references:max"
    assert get("f1:unicode").signature == "f1|normalization:squad-1.1 in any script|references:max"
    assert "normalization:squad-1.1 in any script|" in get("exact_match:unicode").signature
    assert "|normalization:squad-1.1 in any script|" in get("answer_recall:unicode").signature


def test_another_rule_is_refused() -> None:
    with pytest.raises(UserError, match="normalization must be one of 'squad', 'unicode', got 'nfc'"):
        get("f1:nfc")
