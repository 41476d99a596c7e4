"""Several starts of one run, and runs that share replies, from the call to the files."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines.engine.planning import spec

TEXT = "Anna lives in Kyiv. Boris keeps bees. Clara reads maps. Dora sails north. " * 5
QUESTIONS = {"Where does Anna live?": "Kyiv", "Who keeps bees?": "Boris", "Who reads maps?": "Clara"}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [{"document": TEXT, "question": question, "answers": [answer]} for question, answer in QUESTIONS.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(rows: Path, out: Path, **arguments: Any) -> Any:
    return pipelines.run("qa", **{"data": rows, "model": "extractive", "metrics": "f1", "out": out, **arguments})


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json")]


def test_a_larger_limit_and_another_metric_ask_only_what_is_new(rows: Path, tmp_path: Path) -> None:
    first = run(rows, tmp_path / "a", limit=1)
    second = run(rows, tmp_path / "a", limit=3)
    third = run(rows, tmp_path / "a", metrics=["f1", "exact_match"])
    assert [result.new_requests for result in (first, second, third)] == [1, 2, 0]
    run(rows, tmp_path / "b", metrics=["f1", "exact_match"])
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_versions_of_two_starts_are_reported_as_mixed(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spec, "installed_version", lambda library: "1.0" if library == "numpy" else None)
    run(rows, tmp_path / "a", limit=1)
    monkeypatch.setattr(spec, "installed_version", lambda library: "2.0" if library == "numpy" else None)
    warnings = run(rows, tmp_path / "a").warnings
    assert "mixed versions: numpy 1.0 (1 example), 2.0 (2)" in warnings
    record = json.loads((tmp_path / "a" / "run.json").read_text(encoding="utf-8"))
    assert [start["versions"] for start in record["starts"]] == [{"numpy": "1.0"}, {"numpy": "2.0"}]


def test_letters_of_a_script_without_spaces_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {"document": "机器学习非常重要。" * 100, "question": "什么非常重要?", "answers": ["机器学习"]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    result = run(path, tmp_path / "a", chunker="tokens:200", k=2, metrics="answer_recall")
    assert result.scores == {"answer_recall": 100.0}
    assert result.tokens_in == 2 * 200 + 6
