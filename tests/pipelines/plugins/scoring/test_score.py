"""`longdoc.score` takes what `longdoc score` takes: a run, files of predictions, or texts."""

import json
from pathlib import Path
from typing import Any

import pytest

import longdoc
from longdoc.errors import UserError

ROWS = [
    {"id": "a", "document": "Anna came. Bo slept.", "question": "Who came?", "answers": ["Anna"]},
    {"id": "b", "document": "Anna came. Bo slept.", "question": "Who slept?", "answers": ["Bo"]},
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, answer in (("ours", "Anna"), ("theirs", "Carl")):
        rows = [{"id": "a", "prediction": answer}, {"id": "b", "prediction": "Bo"}]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    golds = [{"id": row["id"], "references": row["answers"]} for row in ROWS]
    Path("golds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in golds), encoding="utf-8")


def test_a_run_s_folder_is_scored_again_by_further_metrics() -> None:
    longdoc.run("qa", data=ROWS, model=lambda prompt: "Anna", metrics="f1", out="first", report=False)
    assert longdoc.score("first")["scores"] == {"f1": 50.0}
    assert longdoc.score(Path("first"), metrics="exact_match")["scores"] == {"f1": 50.0, "exact_match": 50.0}


@pytest.mark.parametrize("data", [ROWS, "frame"], ids=["rows", "frame"])
def test_a_file_of_predictions_is_scored_by_a_task(data: Any) -> None:
    if data == "frame":
        data = pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(ROWS)
    scored = longdoc.score("qa", "theirs.jsonl", data=data, metrics="f1")
    assert (scored.system, scored.scores) == ("theirs", {"f1": 50.0})  # type: ignore[union-attr]


def test_several_files_are_a_table() -> None:
    table = longdoc.score("qa", ["ours.jsonl", Path("theirs.jsonl")], data=ROWS, metrics="f1")
    assert [(one.system, one.scores["f1"]) for one in table.systems] == [("ours", 100.0), ("theirs", 50.0)]


@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        (["Carl", "Bo"], [["Anna"], "Bo"]),
        ({"b": "Bo", "a": "Carl"}, {"a": ["Anna"], "b": ["Bo"]}),
        ("theirs.jsonl", "golds.jsonl"),
        (Path("theirs.jsonl"), {"a": "Anna", "b": "Bo"}),
    ],
    ids=["lists", "by id", "files", "a file and texts"],
)
def test_texts_are_scored_by_a_metric(predictions: Any, references: Any) -> None:
    assert longdoc.score("exact_match", predictions, references) == {"exact_match": 50.0}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("first",), {}, "there is no run's folder first; longdoc.runs"),
        (("qa",), {}, r'there is nothing to score: score\("qa", FILE\), or score\("qa", TEXTS, REFERENCES\)'),
        (("qa", "none.jsonl"), {}, "there is no file none.jsonl: predictions that are texts need references="),
        (("qa", {"a": "Anna"}), {}, "predictions without references must be a file of predictions, or a list of files"),
        (("f1", ["Bo"], ["Bo"]), {"split": "test"}, "split= is not for scores of texts: leave it out"),
        (("f1", ["Bo"], ["Bo"]), {"report": False}, "report= is not for scores of texts: leave it out"),
        (("qa", "ours.jsonl"), {"report": False}, "report= is not for scores of predictions without references"),
        (("qa", ["ours.jsonl", "theirs.jsonl"]), {"data": ROWS, "out": "x"}, "out= is not for scores of several"),
        ((".",), {"out": "x"}, "out= is not for scores of a run"),
        (("f1",), {"references": ["Bo"]}, "there are references and no predictions: give both"),
        (("scrolls", "ours.jsonl"), {}, "scrolls has several tasks: name one, scrolls/"),
        (("qa", "ours.jsonl"), {"metric": "f1"}, r"unknown argument 'metric'; did you mean metrics\?"),
    ],
)
def test_predictions_that_cannot_be_scored_are_refused_in_a_line(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        longdoc.score(*arguments, **options)
