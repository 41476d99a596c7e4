"""BABILong's rule: the target's labels and no others, in the first sentence of an output."""

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.records import Document, Example


def score(output: str, target: str, question: str = "Where is Anna?", task: str = "qa1") -> float:
    example = Example("q", Document("", ""), question, (target,), meta={"task": task} if task else {})
    return metrics.get("babilong_accuracy").statistics(output, example)["babilong_accuracy"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("The most recent place is the Kitchen.", 100),
        ("Kitchen. Before, she was in the garden.", 100),
        ("The kitchen, not the garden", 0),
        ("garden", 0),
        ("", 0),
        ("kitchen <context> garden", 100),
        ("kitchen <example> garden", 100),
        ("kitchen Question: where is the garden", 0),
        (". kitchen", 0),
    ],
)
def test_the_target_must_be_the_only_label_of_the_first_sentence(output: str, expected: float) -> None:
    assert score(output, "kitchen") == expected


def test_labels_of_the_question_do_not_count() -> None:
    assert (
        score("Before the office it was in the garden", "garden", "Where was the milk before the office?", "qa3") == 100
    )
    assert score("Fred", "Fred", "Who gave the milk to Bill?", "qa5") == 100
    assert score("Bill gave it to Fred", "Fred", "Who gave the milk to Bill?", "qa5") == 100


def test_labels_are_parts_of_words_as_in_the_published_code() -> None:
    assert score("none", "none", "How many?", "qa7") == 0
    assert score("two", "two", "How many?", "qa7") == 100
    assert score("I do not know", "no", "Is she there?", "qa6") == 100


def test_several_targets_must_all_be_named() -> None:
    assert score("Milk and an apple", "apple,milk", "What is she carrying?", "qa8") == 100
    assert score("milk", "apple,milk", "What is she carrying?", "qa8") == 0
    assert score("s,e", "s,e", "How do you go?", "qa19") == 100


def test_without_a_task_the_labels_are_those_of_the_first_task_with_the_target() -> None:
    assert score("the hallway", "hallway", task="") == 100
    assert score("the hallway or the office", "hallway", task="") == 0


def test_an_unknown_task_or_target_is_refused_with_what_to_do() -> None:
    with pytest.raises(UserError, match="qa21"):
        score("x", "kitchen", task="qa21")
    with pytest.raises(
        UserError, match="'attic' must be a label of one of BABILong's tasks: fix the data, or use metric exact"
    ):
        score("x", "attic", task="")
