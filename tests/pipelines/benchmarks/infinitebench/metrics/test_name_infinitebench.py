import pytest

from pipelines.metrics import get


def named(prediction: str, *references: str) -> bool:
    scores = get("name_infinitebench").score([prediction], [references])
    assert scores["name_infinitebench"] in (0, 100)
    return bool(scores["name_infinitebench"])


@pytest.mark.parametrize(
    "prediction", ["ACE", "Ace Rothstein.", "It is ace", 'the character "Ace"', "{ace}", "Not ace!"]
)
def test_the_first_reference_is_looked_for_among_upper_cased_words(prediction: str) -> None:
    assert named(prediction, "ACE", "ACE ROTHSTEIN")


@pytest.mark.parametrize("prediction", ["", "Rothstein", "Aces", "place", "(ace)", "ACE-ROTHSTEIN", "Nicky"])
def test_the_other_references_and_parts_of_words_do_not_count(prediction: str) -> None:
    assert not named(prediction, "ACE", "ROTHSTEIN")


def test_two_words_and_small_letters_are_never_met() -> None:
    assert not named("STAMP PAID", "STAMP PAID")
    assert not named("Remo", "Remo", "REMO")
