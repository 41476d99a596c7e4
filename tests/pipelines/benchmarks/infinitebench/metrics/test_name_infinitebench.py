import pytest

from pipelines.metrics import get


def is_right(prediction: str, *references: str) -> bool:
    scores = get("name_infinitebench").score([prediction], [references])
    assert scores["name_infinitebench"] in (0, 100)
    return bool(scores["name_infinitebench"])


@pytest.mark.parametrize(
    "prediction", ["ACE", "Ace Rothstein.", "It is ace", 'the character "Ace"', "{ace}", "Not ace!"]
)
def test_the_first_reference_is_looked_for_among_upper_cased_words(prediction: str) -> None:
    assert is_right(prediction, "ACE", "ACE ROTHSTEIN")


@pytest.mark.parametrize("prediction", ["", "Rothstein", "Aces", "place", "(ace)", "ACE-ROTHSTEIN", "Nicky"])
def test_the_other_references_and_parts_of_words_do_not_count(prediction: str) -> None:
    assert not is_right(prediction, "ACE", "ROTHSTEIN")


def test_references_of_two_words_or_in_small_letters_never_match() -> None:
    assert not is_right("STAMP PAID", "STAMP PAID")
    assert not is_right("Remo", "Remo", "REMO")
