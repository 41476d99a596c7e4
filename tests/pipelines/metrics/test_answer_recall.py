import pytest

from pipelines.metrics import get


def found(selected: str, *references: str) -> float:
    return get("answer_recall").score([selected], [references])["answer_recall"]


def test_it_measures_the_selection() -> None:
    assert get("answer_recall").target == "selection"


def test_a_reference_counts_in_its_normal_form() -> None:
    assert found("He saw the Grey  Gull, and left.", "a grey gull") == 100


def test_any_reference_will_do() -> None:
    assert found("he saw a gull", "ship", "gull") == 100


def test_an_article_between_the_words_does_not_part_them() -> None:
    assert found("gull of the harbour", "gull of harbour") == 100


@pytest.mark.parametrize("reference", ["gull", "grey gulls fly", "ey gulls"])
def test_only_runs_of_whole_tokens_are_found(reference: str) -> None:
    assert found("grey gulls", reference) == 0


@pytest.mark.parametrize("reference", ["", "the", "..."])
@pytest.mark.parametrize("selected", ["", "the grey gulls ..."])
def test_a_reference_that_normalizes_to_nothing_is_not_found(selected: str, reference: str) -> None:
    assert found(selected, reference) == 0


def test_it_is_the_share_of_examples() -> None:
    assert get("answer_recall").score(["a gull", "a ship"], [["gull"], ["gull"]]) == {"answer_recall": 50.0}
