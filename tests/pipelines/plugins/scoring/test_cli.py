"""`longdoc score` of other systems' predictions."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli import main

ROWS = [
    {"id": 0, "prediction": "the gull", "ground_truth": ["the gull"]},
    {"id": 1, "prediction": "an owl", "ground_truth": ["the gull"]},
]
CLAIM = {"book_title": "gulls", "claim": "a", "type": True, "index": 1, "response-owl": "TRUE", "response-eel": "FALSE"}


def run_longdoc(command: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["longdoc", *shlex.split(command)])
    with pytest.raises(SystemExit) as exited:
        main.main()
    captured = capsys.readouterr()
    return exited.value.code, captured.out, captured.err  # type: ignore[return-value]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for system, rows in (("a", ROWS), ("b", [*ROWS[:1], {**ROWS[1], "prediction": None}])):
        (tmp_path / system).mkdir()
        (tmp_path / system / "preds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "claims.json").write_text(json.dumps([CLAIM, {**CLAIM, "type": False}]))
    return tmp_path


def test_one_file_gives_scores_and_its_counts(files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run_longdoc("score infinitebench/en_qa b/preds.jsonl", capsys, monkeypatch)
    assert (code, out.splitlines()[:5]) == (
        0,
        [
            "infinitebench/en_qa: b",
            "  score   value  over all",
            "  f1     100.00     50.00",
            "  1 prediction of 351; 1 without an answer",
            "  over all: examples without a prediction count as empty outputs",
        ],
    )


def test_several_files_give_a_table(files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run_longdoc("score infinitebench/en_qa a/preds.jsonl b/preds.jsonl", capsys, monkeypatch)
    assert (code, out.splitlines()[:4]) == (
        0,
        [
            "infinitebench/en_qa",
            "  system  predictions  refused      f1",
            "  a                 2        0   50.00",
            "  b                 1        1  100.00",
        ],
    )


def test_a_file_of_several_systems_gives_a_table_or_a_plain_object(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out, _ = run_longdoc("score nocha claims.json", capsys, monkeypatch)
    assert [line.split()[0] for line in out.splitlines()[1:4]] == ["system", "owl", "eel"]
    code, out, _ = run_longdoc("score nocha claims.json --json", capsys, monkeypatch)
    record = json.loads(out)
    assert (code, record["task"], [one["system"] for one in record["systems"]]) == (0, "nocha", ["owl", "eel"])
    assert record["systems"][0]["scores"]["claim_accuracy"] == 50


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("score infinitebench/en_qa a/preds.jsonl --no-report", "--no-report is for a run's folder, not for a"),
        ("score infinitebench/en_qa a/preds.jsonl --split test", "give --data PATH too"),
        ("score f1 a/preds.jsonl b/preds.jsonl --split test", "--split is for a benchmark's predictions with --data"),
        ("score f1 a/preds.jsonl", "longdoc score RUN_FOLDER, or longdoc score f1 PREDICTIONS REFERENCES"),
        ("score infinitebench/en_qa claims.json", "longdoc score nocha FILE"),
        ("score nocha claims.json::heron", "unknown system in claims.json 'heron'; known: eel, owl"),
        ("score infinitebench/en_qa gone.jsonl", "there is no"),
        ("score loogle a/preds.jsonl", "loogle has several tasks: longdoc score loogle/shortdep_qa or"),
    ],
)
def test_predictions_that_cannot_be_scored_are_refused_in_one_line_with_code_2(
    files: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, command: str, problem: str
) -> None:
    code, _, err = run_longdoc(command, capsys, monkeypatch)
    assert (code, problem in err, len(err.strip().splitlines())) == (2, True, 1), err
