import pytest

from pipelines.metrics import get


def f1(prediction: str, *references: str) -> float:
    return get("f1_ascii").score([prediction], [references])["f1_ascii"]


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [("Phylicia Rashād", "phylicia rashad"), ("Ærø", "aero"), ("the Café", "cafe"), ("Straße", "strasse")],
)
def test_an_accented_answer_equals_its_ascii(prediction: str, reference: str) -> None:
    assert f1(prediction, reference) == 100
    assert get("f1").score([prediction], [[reference]])["f1"] < 100


def test_punctuation_that_transliteration_makes_stays() -> None:
    assert f1("gull’s", "gull's") == 0
    assert f1("gull’s", "gull’s") == 100


def test_an_article_goes_before_transliteration() -> None:
    assert f1("à gull", "gull") == pytest.approx(100 * 2 / 3)


def test_each_ideograph_is_a_word() -> None:
    assert f1("海鸥", "海") == pytest.approx(100 * 2 / 3)


def test_on_ascii_it_is_f1() -> None:
    prediction, references = "The gull, again: x_1!", ["a gull", "again, a gull sat"]
    assert f1(prediction, *references) == get("f1").score([prediction], [references])["f1"] == pytest.approx(200 / 3)


def test_the_signature_names_the_transliteration() -> None:
    assert "anyascii:" in get("f1_ascii").signature
