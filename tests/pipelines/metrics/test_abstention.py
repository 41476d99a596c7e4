"""Questions without an answer: SQuAD 2.0's rule, and the shares of questions that were refused."""

import pytest

from pipelines import metrics
from pipelines.metrics import Row
from pipelines.records import NO_ANSWER, Document, Example

ANSWER = ("in winter",)


def row(name: str, prediction: str, references: tuple[str, ...]) -> Row:
    return metrics.get(name).statistics(prediction, Example("1", Document("d", ""), "", references))


@pytest.mark.parametrize("name", ["f1", "exact_match"])
@pytest.mark.parametrize(
    ("prediction", "score"),
    [("", 100.0), (" \n", 100.0), ("the.", 100.0), ("Unanswerable", 100.0), ("unanswerable.", 100.0), ("winter", 0.0),
     ("It is unanswerable", 0.0)],
)  # fmt: skip
def test_of_a_question_without_an_answer_only_saying_so_is_right(name: str, prediction: str, score: float) -> None:
    assert row(name, prediction, NO_ANSWER) == {name: score}


@pytest.mark.parametrize("name", ["f1", "exact_match"])
@pytest.mark.parametrize("prediction", ["", "Unanswerable"])
def test_of_a_question_with_an_answer_saying_that_there_is_none_is_wrong(name: str, prediction: str) -> None:
    assert row(name, prediction, ANSWER) == {name: 0.0}


def test_refused_questions_are_counted_apart_by_whether_they_have_an_answer() -> None:
    metric = metrics.get("abstention")
    outputs = [("", NO_ANSWER), ("winter", NO_ANSWER), ("Unanswerable", NO_ANSWER), ("x", NO_ANSWER),
               ("", ANSWER), ("winter", ANSWER), ("no", ANSWER)]  # fmt: skip
    scores = metric.aggregate([row("abstention", prediction, references) for prediction, references in outputs])
    assert scores == {"abstention": 50.0, "abstention_answerable": pytest.approx(100 / 3)}


def test_references_that_are_the_word_mark_an_unanswerable_question_too() -> None:
    found = row("abstention", "Unanswerable", ("Unanswerable", "unanswerable"))
    assert (found["unanswerable"], found["refused"]) == (1.0, 1.0)
    assert row("abstention", "Unanswerable", ("Unanswerable", "in winter"))["refused_answerable"] == 1.0


def test_without_an_unanswerable_question_there_is_no_score() -> None:
    metric = metrics.get("abstention")
    assert metric.aggregate([row("abstention", "", ANSWER)]) == {}
    assert metric.lacking == "no question is marked as unanswerable"


@pytest.mark.parametrize(("name", "takes"), [("f1", True), ("first_line:f1", True), ("rouge_l", False),
                                             ("answer_recall", False), ("evidence_recall", True)])  # fmt: skip
def test_metrics_without_a_rule_leave_unanswerable_questions_out(name: str, takes: bool) -> None:
    assert metrics.get(name).takes(NO_ANSWER) is takes
    assert metrics.get(name).takes(ANSWER)
    assert metrics.get(name).takes(()) is (name == "evidence_recall")
