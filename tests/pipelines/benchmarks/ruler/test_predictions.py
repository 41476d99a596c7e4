"""RULER's files of predictions."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError


def write_predictions(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "vt.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "vt.jsonl"


def row(index: int, pred: Any, *outputs: str) -> dict[str, Any]:
    return {"index": index, "pred": pred, "input": "x", "outputs": list(outputs), "others": {}, "length": 9}


def test_all_outputs_must_be_named_except_in_question_answering(tmp_path: Path) -> None:
    file = write_predictions(
        tmp_path, row(0, "ABC and def", "ABC", "DEF"), row(1, "abc", "ABC", "DEF"), row(2, "", "X")
    )
    scores = pipelines.score_predictions("ruler/vt", file)
    assert scores.scores["string_match_all"] == 50.0
    assert (scores.system, scores.counts()) == ("vt", "3 predictions")
    assert pipelines.score_predictions("ruler/qa_1", file).scores == {"string_match_part": pytest.approx(200 / 3)}


def test_predictions_of_a_run_score_as_the_run(realdata: Path, tmp_path: Path) -> None:
    data = realdata / "ruler" / "4096" / "cwe"
    run = pipelines.run("ruler/cwe", data=data, model="lead", out=tmp_path / "run", report=False)
    rows = [row(int(one.id), one.prediction, *one.references) for one in run.predictions]
    scores = pipelines.score_predictions("ruler/cwe", write_predictions(tmp_path, *rows))
    assert scores.scores["string_match_all"] == run.scores["string_match_all"] == 80.0


def test_rows_without_outputs_and_doubled_indices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"vt.jsonl:1: expected RULER's predictions \(index, pred, outputs\)"):
        pipelines.score_predictions("ruler/vt", write_predictions(tmp_path, row(0, "x")))
    with pytest.raises(UserError, match=r"1 id occurs more than once \(0\)"):
        pipelines.score_predictions("ruler/vt", write_predictions(tmp_path, row(0, "x", "X"), row(0, "y", "Y")))
