"""RULER's files of predictions."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    (folder / "vt.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "vt.jsonl"


def row(index: int, pred: Any, *outputs: str) -> dict[str, Any]:
    return {"index": index, "pred": pred, "input": "x", "outputs": list(outputs), "others": {}, "length": 9}


def test_outputs_are_all_to_be_named_save_in_questions(tmp_path: Path) -> None:
    file = written(tmp_path, row(0, "ABC and def", "ABC", "DEF"), row(1, "abc", "ABC", "DEF"), row(2, "", "X"))
    scored = pipelines.score_predictions("ruler/vt", file)
    assert scored.scores["string_match_all"] == 50.0
    assert (scored.system, scored.counts()) == ("vt", "3 predictions")
    assert pipelines.score_predictions("ruler/qa_1", file).scores == {"string_match_part": pytest.approx(200 / 3)}


def test_the_rows_that_a_reader_was_given_score_as_its_run(realdata: Path, tmp_path: Path) -> None:
    data = realdata / "ruler" / "4096" / "cwe"
    run = pipelines.run("ruler/cwe", data=data, model="lead", out=tmp_path / "run", report=False)
    rows = [row(int(one.id), one.prediction, *one.references) for one in run.predictions]
    scored = pipelines.score_predictions("ruler/cwe", written(tmp_path, *rows))
    assert scored.scores["string_match_all"] == run.scores["string_match_all"] == 80.0


def test_rows_without_outputs_and_doubled_indices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"vt.jsonl:1: expected RULER's predictions \(index, pred, outputs\)"):
        pipelines.score_predictions("ruler/vt", written(tmp_path, row(0, "x")))
    with pytest.raises(UserError, match=r"1 id occurs more than once \(0\)"):
        pipelines.score_predictions("ruler/vt", written(tmp_path, row(0, "x", "X"), row(0, "y", "Y")))
