"""LongBench v2's files of predictions, in their published layout."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError


def row(name: str, response: str, pred: str | None, answer: str, **more: Any) -> dict[str, Any]:
    fields = {
        "_id": name,
        "domain": "Code",
        "sub_domain": "Repo",
        "difficulty": "easy",
        "length": "long",
        "question": "?",
    }
    choices = {f"choice_{letter}": letter.lower() for letter in "ABCD"}
    results = {"answer": answer, "context": f"Text {name}", "response": response, "pred": pred, "judge": pred == answer}
    return {**fields, **choices, **results, **more}


ROWS = (
    row("q0", "The correct answer is (A)", "A", "A"),
    row("q1", "The correct answer is (B)", "B", "C", difficulty="hard", length="short"),
    row("q2", "b", None, "B", length="medium"),
    row("q3", "**The correct answer is D**", "D", "D", difficulty="hard", length="short"),
)


def write_predictions(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "model-x_cot.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return file


def test_the_responses_are_scored_and_the_missing_questions_counted(tmp_path: Path) -> None:
    scores = pipelines.score_predictions("longbench_v2", write_predictions(tmp_path, *ROWS))
    assert (scores.system, scores.expected, scores.warnings) == ("model-x_cot", 503, ())
    assert scores.counts() == "4 predictions of 503; 499 missing"
    assert scores.scores == {
        "accuracy": 50.0,
        "accuracy_easy": 50.0,
        "accuracy_hard": 50.0,
        "accuracy_short": 50.0,
        "accuracy_medium": 0.0,
        "accuracy_long": 100.0,
        "unanswered": 25.0,
    }


def test_over_all_503_questions_missing_ones_are_wrong_in_their_groups(tmp_path: Path) -> None:
    scores = pipelines.score_predictions("longbench_v2", write_predictions(tmp_path, *ROWS))
    expected = {"accuracy": 2 / 503, "accuracy_easy": 1 / 192, "accuracy_hard": 1 / 311, "accuracy_short": 1 / 180}
    expected |= {"accuracy_medium": 0, "accuracy_long": 1 / 108, "unanswered": 500 / 503}
    assert scores.all_scores == pytest.approx({name: 100 * value for name, value in expected.items()})


def test_with_the_data_the_missing_questions_are_the_data_s(tmp_path: Path) -> None:
    rows = [{name: text for name, text in one.items() if name not in ("response", "pred", "judge")} for one in ROWS]
    (tmp_path / "data.json").write_text(json.dumps(rows))
    scores = pipelines.score_predictions(
        "longbench_v2", write_predictions(tmp_path, *ROWS[:3]), data=tmp_path / "data.json"
    )
    assert scores.counts() == "3 predictions of 4; 1 missing from the file"
    assert scores.scores["accuracy"] == pytest.approx(100 / 3)
    assert scores.all_scores["accuracy"] == 25.0


def test_a_judge_field_that_differs_is_reported(tmp_path: Path) -> None:
    scores = pipelines.score_predictions(
        "longbench_v2", write_predictions(tmp_path, *ROWS, row("q4", "It is (C)", "C", "C"))
    )
    assert scores.scores["accuracy"] == 40.0
    assert scores.warnings == (
        "1 row, q4 first, where judge is not what the response and the answer say: the response is scored, which is "
        "not what result.py prints",
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROWS[0], ROWS[0]], r"1 id occurs more than once \(q0\)"),
        ([{"_id": "q", "response": "x"}], "expected LongBench v2's predictions .*, found _id, response"),
        ([ROWS[0], {"_id": "q", "response": "x"}], "model-x_cot.jsonl:2: expected LongBench v2's predictions"),
        (
            [row("q", "x", None, "B", length="Short")],
            "example q: its length must be short or medium or long, got 'Short'",
        ),
        ([row("q", "x", None, "b")], "model-x_cot.jsonl:1: the answer must be a letter A to D, got 'b'"),
    ],
)
def test_a_file_that_cannot_be_scored_is_refused_by_name(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.score_predictions("longbench_v2", write_predictions(tmp_path, *rows))
