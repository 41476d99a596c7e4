"""LongBench's files of predictions, in their published layout."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError


def write_predictions(folder: Path, task: str, *rows: dict[str, Any]) -> Path:
    file = folder / "pred" / "some-model" / f"{task}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def row(pred: str, *answers: str, classes: list[str] | None = None) -> dict[str, Any]:
    return {"pred": pred, "answers": list(answers), "all_classes": classes, "length": 4000}


def test_a_file_is_scored_by_its_task_s_metric_under_its_folder_s_name(tmp_path: Path) -> None:
    file = write_predictions(
        tmp_path, "trec", row("Date\nType:", "Date", classes=["Date", "City"]), row("", "City", classes=["City"])
    )
    scores = pipelines.score_predictions("longbench/trec", file)
    assert (scores.system, scores.scores, scores.expected) == ("some-model", {"classification_score": 50.0}, 200)
    assert scores.counts() == "2 predictions of 200"


@pytest.mark.parametrize(
    ("task", "pred", "answers", "expected"),
    [
        ("triviaqa", "Anna\nPassage: more", ["Anna"], {"f1_first_line": 100.0}),
        ("passage_count", "7 or 8", ["7"], {"count_score": 50.0}),
        ("passage_retrieval_en", "Paragraph 7", ["Paragraph 7"], {"retrieval_score": 100.0}),
        ("lcc", "# next\nx = 1", ["x = 2"], {"code_sim_score": 80.0}),
        ("repobench-p", "x = 2", ["x = 2"], {"code_sim_score": 100.0}),
        ("2wikimqa", "Bert", ["Anna", "Bert Ode"], {"f1": 200 / 3}),
    ],
)
def test_each_task_has_the_score_of_the_published_code(
    tmp_path: Path, task: str, pred: str, answers: list[str], expected: dict[str, float]
) -> None:
    scores = pipelines.score_predictions(f"longbench/{task}", write_predictions(tmp_path, task, row(pred, *answers)))
    assert scores.scores == pytest.approx(expected)


def test_a_system_s_name_is_refused(tmp_path: Path) -> None:
    file = write_predictions(tmp_path, "qasper", row("x", "x"))
    with pytest.raises(UserError, match="has the predictions of one system: leave ::gpt4 out"):
        pipelines.score_predictions("longbench/qasper", f"{file}::gpt4")


def test_an_example_without_a_label_is_left_out_with_a_warning(tmp_path: Path) -> None:
    scores = pipelines.score_predictions(
        "longbench/qasper", write_predictions(tmp_path, "qasper", row("x", "x"), row("x"))
    )
    assert (scores.scores, scores.warnings) == ({"f1": 100}, ("1 of 2 scored: 1 has no reference",))


def test_more_predictions_than_examples_are_reported(tmp_path: Path) -> None:
    scores = pipelines.score_predictions(
        "longbench/qasper", write_predictions(tmp_path, "qasper", *[row("x", "x")] * 201)
    )
    assert scores.counts() == "201 predictions"
    assert scores.warnings == (
        "qasper.jsonl has 201 predictions where longbench/qasper has 200 examples: those of LongBench-E, or of several "
        "runs",
    )


def test_rows_are_joined_to_data_by_their_order(tmp_path: Path) -> None:
    data = [
        {"input": "?", "context": f"Text {n}", "answers": ["Date"], "all_classes": ["Date", "City"], "_id": f"t{n}"}
        for n in range(2)
    ]
    (tmp_path / "trec.jsonl").write_text("".join(json.dumps(one) + "\n" for one in data))
    file = write_predictions(tmp_path, "trec", *(row(text, "Date", classes=["Date"]) for text in ("Date", "City")))
    scores = pipelines.score_predictions("longbench/trec", file, data=tmp_path / "trec.jsonl")
    assert [(one.id, one.statistics["classification_score"]) for one in scores.predictions] == [
        ("t0", {"classification_score": 100.0}),
        ("t1", {"classification_score": 0.0}),
    ]


@pytest.mark.parametrize(
    ("task", "rows", "message"),
    [
        (
            "longbench/qasper",
            [row("a", "a")],
            "is named as the predictions for longbench/trec: longdoc score longbench/trec",
        ),
        ("longbench/trec", [{"pred": "a", "answer": "a"}], "expected LongBench's predictions .*, found pred, answer"),
        (
            "longbench/trec",
            [row("a", "a", classes=["a"]), {"pred": "b"}],
            "trec.jsonl:2: expected LongBench's predictions",
        ),
    ],
)
def test_another_file_is_refused_by_name(tmp_path: Path, task: str, rows: list[Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.score_predictions(task, write_predictions(tmp_path, "trec", *rows))
