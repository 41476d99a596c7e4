import pytest

from longdoc.errors import UserError
from pipelines.metrics import get
from pipelines.records import Document, Example


def scores(prediction: str, *references: str) -> dict[str, float]:
    return get("choice_accuracy").score([prediction], [references])


@pytest.mark.parametrize("prediction", ["B", "(B)", "B) the gull", "The answer is B.", "optionA B", "b or B, not C"])
def test_the_first_capital_letter_that_stands_alone_counts(prediction: str) -> None:
    assert scores(prediction, "B") == {"accuracy": 100, "no_letter": 0}


@pytest.mark.parametrize("prediction", ["A or B", "A gull ate B", "C"])
def test_another_letter_before_it_is_wrong(prediction: str) -> None:
    assert scores(prediction, "B") == {"accuracy": 0, "no_letter": 0}


@pytest.mark.parametrize("prediction", ["", "b", "optionB", "B2", "B_", "none of them", "E", "the gull"])
def test_an_output_that_chooses_nothing_is_wrong_and_counted(prediction: str) -> None:
    assert scores(prediction, "B") == {"accuracy": 0, "no_letter": 100}


def test_references_are_read_as_outputs_are_and_any_of_them_counts() -> None:
    assert scores("D", "(A) a ship", "(D) a gull")["accuracy"] == 100


def test_the_score_is_the_share_of_examples() -> None:
    result = get("choice_accuracy").score(["A", "B", "gull", "D"], [["A"], ["A"], ["A"], ["D"]])
    assert result == {"accuracy": 50, "no_letter": 25}


def test_a_reference_without_a_letter_is_refused_with_another_metric() -> None:
    with pytest.raises(UserError, match=r"example 0: the reference 'the gull' has none .* exact_match"):
        scores("A", "the gull")


def test_the_letter_of_the_original_release_counts_where_references_are_texts():
    story = Document("d", "…")
    example = Example("q", story, references=("A man did",), meta={"gold": "C"})
    metric = get("choice_accuracy")
    assert metric.statistics("C", example) == {"accuracy": 100.0, "no_letter": 0.0}
    assert metric.statistics("A", example) == {"accuracy": 0.0, "no_letter": 0.0}
