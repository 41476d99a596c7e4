"""Questions without an answer: SQuAD 2.0's rule, and the shares of questions that were refused."""

import json
from pathlib import Path

import pytest

import pipelines
from pipelines import metrics
from pipelines.metrics import Row
from pipelines.records import NO_ANSWER, Document, Example

ANSWER = ("in winter",)


def row(name: str, prediction: str, references: tuple[str, ...]) -> Row:
    return metrics.get(name).statistics(prediction, Example("1", Document("d", ""), "", references))


@pytest.mark.parametrize("name", ["f1", "exact_match"])
@pytest.mark.parametrize(
    ("prediction", "score"),
    [("", 0.0), (" \n", 0.0), ("the.", 0.0), ("Unanswerable", 100.0), ("unanswerable.", 100.0), ("winter", 0.0),
     ("It is unanswerable", 0.0)],
)  # fmt: skip
def test_only_a_refusal_is_right_for_a_question_without_an_answer(name: str, prediction: str, score: float) -> None:
    assert row(name, prediction, NO_ANSWER) == {name: score}


@pytest.mark.parametrize("name", ["f1", "exact_match"])
@pytest.mark.parametrize("prediction", ["", " \n", "the."])
def test_in_files_like_those_of_squad_2_an_empty_answer_is_a_refusal(name: str, prediction: str) -> None:
    assert row(f"{name}:empty=refusal", prediction, NO_ANSWER) == {name: 100.0}
    assert row(f"{name}:empty=refusal", prediction, ANSWER) == {name: 0.0}
    assert metrics.get(name).of_file() == metrics.get(f"{name}:empty=refusal")
    assert metrics.get(f"{name}:empty=refusal").signature == f"{metrics.get(name).signature}|empty:refusal"


@pytest.mark.parametrize("name", ["f1", "exact_match"])
@pytest.mark.parametrize("prediction", ["", "Unanswerable"])
def test_a_refusal_is_wrong_for_a_question_with_an_answer(name: str, prediction: str) -> None:
    assert row(name, prediction, ANSWER) == {name: 0.0}


def test_refused_questions_are_counted_apart_by_whether_they_have_an_answer() -> None:
    metric = metrics.get("abstention:empty=refusal")
    outputs = [("", NO_ANSWER), ("winter", NO_ANSWER), ("Unanswerable", NO_ANSWER), ("x", NO_ANSWER),
               ("", ANSWER), ("winter", ANSWER), ("no", ANSWER)]  # fmt: skip
    scores = metric.aggregate([row("abstention:empty=refusal", *output) for output in outputs])
    assert scores == {
        "abstention": 50.0,
        "abstention_answerable": pytest.approx(100 / 3),
        "answered_f1": pytest.approx(200 / 3 / 4),
    }


def test_references_that_are_the_word_mark_an_unanswerable_question_too() -> None:
    refused = row("abstention", "Unanswerable", ("Unanswerable", "unanswerable"))
    assert (refused["unanswerable"], refused["refused"]) == (1.0, 1.0)
    assert row("abstention", "Unanswerable", ("Unanswerable", "in winter"))["refused_answerable"] == 1.0


def test_without_an_unanswerable_question_there_is_no_score() -> None:
    metric = metrics.get("abstention")
    assert metric.aggregate([row("abstention", "", ANSWER)]) == {}
    assert metric.lacking == "no question is marked as unanswerable"


@pytest.mark.parametrize(("name", "expected"), [("f1", True), ("first_line:f1", True), ("rouge_l", False),
                                             ("answer_recall", False), ("evidence_recall", True)])  # fmt: skip
def test_metrics_without_a_rule_leave_unanswerable_questions_out(name: str, expected: bool) -> None:
    assert metrics.get(name).takes(NO_ANSWER) is expected
    assert metrics.get(name).takes(ANSWER)
    assert metrics.get(name).takes(()) is (name == "evidence_recall")


def test_answers_are_scored_and_answering_an_unanswerable_question_is_wrong() -> None:
    metric = metrics.get("abstention")
    outputs = [("winter", NO_ANSWER), ("in winter", ANSWER), ("winter", ANSWER), ("", ANSWER)]
    scores = metric.aggregate([row("abstention", prediction, references) for prediction, references in outputs])
    assert scores["answered_f1"] == pytest.approx((0 + 100 + 200 / 3 + 0) / 4)


def test_an_empty_reply_is_no_refusal() -> None:
    metric = metrics.get("abstention")
    scores = metric.aggregate([row("abstention", "", references) for references in (NO_ANSWER, ANSWER)])
    assert scores == {"abstention": 0.0, "abstention_answerable": 0.0, "answered_f1": 0.0}
    assert metric.signature == "abstention|normalization:squad-1.1 in any script|refused:unanswerable"
    assert metric.of_file().signature.endswith("|refused:nothing or unanswerable")


def test_sentences_refuse_where_that_is_the_rule_and_mark_unanswerable_questions() -> None:
    name, references = "abstention:refusals=sentence", ("The log does not mention the crew.",)
    result = row(name, "No information on it is given. But there were gulls.", references)
    assert (result["unanswerable"], result["refused"], result["answered"]) == (1.0, 1.0, 0.0)
    result = row("abstention", "No information on it is given.", references)
    assert (result["unanswerable"], result["answered"]) == (0.0, 1.0)
    assert metrics.get(name).signature.endswith("|refused:unanswerable, or a first sentence that says so")


def test_confidences_give_the_area_under_the_risk_coverage_curve_and_the_calibration_error() -> None:
    metric = metrics.get("abstention").of_file().with_confidences({"a": 0.9, "b": 0.1, "c": 0.5})
    outputs = [("a", "in winter", ANSWER), ("b", "x", ANSWER), ("c", "", NO_ANSWER)]
    rows = [metric.statistics(text, Example(id, Document("d", ""), "", references)) for id, text, references in outputs]
    scores = metric.aggregate(rows)
    assert scores["aurc"] == pytest.approx((0 + 50 + 100 / 3) / 3)  # what was refused comes last
    assert scores["ece"] == pytest.approx(10)
    assert metric.bootstrap_on == "rows"


def test_an_empty_prediction_in_a_file_is_a_refusal_and_an_empty_reply_of_a_run_is_wrong(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_text(json.dumps({"id": "a", "document": "It rained.", "question": "Who left?", "unanswerable": True}))
    file = tmp_path / "predictions.jsonl"
    for fields, score in (({}, 100.0), ({"requests": 1}, 0.0)):
        file.write_text(json.dumps({"id": "a", "prediction": "", **fields}))
        scores = pipelines.score_predictions("qa", file, data=data, metrics=["f1", "exact_match", "abstention"])
        assert scores.scores == {"f1": score, "exact_match": score, "abstention": score}
        assert ("empty:refusal" in scores.scores.signatures["f1"]) is (score == 100.0)
