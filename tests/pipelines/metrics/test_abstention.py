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
    assert scores == {
        "abstention": 50.0,
        "abstention_answerable": pytest.approx(100 / 3),
        "answered_f1": pytest.approx(200 / 3 / 4),
    }


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


def test_what_is_answered_is_scored_and_answering_an_unanswerable_question_is_wrong() -> None:
    metric = metrics.get("abstention")
    outputs = [("winter", NO_ANSWER), ("in winter", ANSWER), ("winter", ANSWER), ("", ANSWER)]
    scores = metric.aggregate([row("abstention", prediction, references) for prediction, references in outputs])
    assert scores["answered_f1"] == pytest.approx((0 + 100 + 200 / 3) / 3)


def test_sentences_refuse_where_that_is_the_rule_and_mark_unanswerable_questions() -> None:
    name, references = "abstention:refusals=sentence", ("The log does not mention the crew.",)
    counted = row(name, "No information on it is given. But there were gulls.", references)
    assert (counted["unanswerable"], counted["refused"], counted["answered"]) == (1.0, 1.0, 0.0)
    counted = row("abstention", "No information on it is given.", references)
    assert (counted["unanswerable"], counted["answered"]) == (0.0, 1.0)
    assert metrics.get(name).signature.endswith("|refused:nothing, unanswerable, or a first sentence that says so")


def test_confidences_give_the_area_under_the_risk_coverage_curve_and_the_calibration_error() -> None:
    metric = metrics.get("abstention").with_confidences({"a": 0.9, "b": 0.1, "c": 0.5})
    outputs = [("a", "in winter", ANSWER), ("b", "x", ANSWER), ("c", "", NO_ANSWER)]
    rows = [metric.statistics(text, Example(id, Document("d", ""), "", references)) for id, text, references in outputs]
    scores = metric.aggregate(rows)
    assert scores["aurc"] == pytest.approx((0 + 50 + 100 / 3) / 3)  # what was refused comes last
    assert scores["ece"] == pytest.approx(10)
    assert metric.bootstrap_on == "rows"
