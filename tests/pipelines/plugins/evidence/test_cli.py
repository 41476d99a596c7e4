"""The command `evidence`."""

import json
import sys
from pathlib import Path

import pytest

from pipelines.cli import main

ROWS = [
    {"document": "Rain fell. The key lies under the stone. Wind blew.", "question": "Where is the key?",
     "answers": ["under the stone"], "evidence": ["The key lies under the stone."]},
]  # fmt: skip


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def run_longdoc(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["longdoc", *map(str, arguments)])
    with pytest.raises(SystemExit) as exit_error:
        main.main()
    return int(exit_error.value.code or 0)


ONE_WAY = ("--retriever", "bm25", "--chunker", "units:of=sentence")


def test_a_row_is_printed_for_every_budget(rows, monkeypatch, capsys):
    assert run_longdoc(monkeypatch, "evidence", "qa", "--data", rows, *ONE_WAY, "--budget", "6 words,10 words") == 0
    caption, head, one, two, *_ = capsys.readouterr().out.splitlines()
    assert caption == "qa, test: 1 example over 1 document, chunker=units:of=sentence, retriever=bm25"
    assert head.split()[:3] == ["budget", "words", "evidence_recall"]
    assert one.split() == ["6", "words", "6", "100.00", "100.00", "100.00", "100.00"]
    assert two.split()[:3] == ["10", "words", "10"]


def test_with_places_recall_is_printed_by_tenth_of_the_document(rows, monkeypatch, capsys):
    assert run_longdoc(monkeypatch, "evidence", "qa", "--data", rows, *ONE_WAY, "--budget", "6 words", "--places") == 0
    assert "10%  20%  30%  40%  50%  60%  70%  80%  90%  100%" in capsys.readouterr().out


def test_several_tasks_need_named_data_and_have_a_mean(rows, monkeypatch, capsys):
    data = ("--data", f"qa={rows}", "--data", f"hotpotqa={rows}")
    assert run_longdoc(monkeypatch, "evidence", "qa", "hotpotqa", *data, *ONE_WAY, "--budget", "6 words", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["task"] for row in record["rows"]] == ["qa", "hotpotqa"]
    assert record["means"][0]["scores"]["evidence_recall"] == 100
    assert run_longdoc(monkeypatch, "evidence", "qa", "hotpotqa", "--data", rows) == 2
    assert "--data qa=…" in capsys.readouterr().err
