"""`longdoc versus`: its options, its output and its exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.plugins.versus.cli.versus import _labelled

ROWS = [
    {"id": "a", "document": "Anna kept a lamp. Tom slept.", "question": "Who kept a lamp?", "answers": ["Anna"]},
    {"id": "b", "document": "The ship left. Rain fell.", "question": "What left?", "answers": ["The ship"]},
]


@pytest.fixture
def versus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")

    def run(*more: str) -> Any:
        fixed = ["versus", "qa", "--data", "rows.jsonl", "--model", "extractive", "--metric", "f1"]
        return CliRunner().invoke(app, [*fixed, *more])

    return run


def test_values_with_commas_are_points_and_lines(versus: Any) -> None:
    result = versus(
        "--retriever", "bm25,first", "-k", "1,2", "--budget", "3 words", "--out", "v", "--set", "report=false", "--json"
    )
    assert result.exit_code == 0
    names = [one["name"] for one in json.loads(result.stdout)["ways"]]
    assert names == [
        "whole document", "bm25, k=1", "bm25, k=2", "bm25, 3 words", "first, k=1", "first, k=2", "first, 3 words",
        "closed book",
    ]  # fmt: skip
    assert not Path("v/report.html").exists() and Path("v/ablation.json").is_file()


def test_the_table_is_printed_and_the_page_written(versus: Any) -> None:
    result = versus("-k", "1", "--out", "v")
    assert result.stdout.splitlines()[0] == "qa, test: 2 examples over 2 documents"
    assert result.stdout.splitlines()[1].split()[:3] == ["way", "f1", "answered"]
    assert Path("v/report.html").is_file()


def test_a_dry_run_writes_nothing(versus: Any) -> None:
    result = versus("-k", "1", "--dry-run")
    assert result.exit_code == 0 and "in all" in result.stdout and not Path("runs").exists()
    assert json.loads(versus("-k", "1", "--dry-run", "--json").stdout)["counts"]["closed book"]["requests"] == 2


def test_a_way_that_cannot_run_is_named_and_the_exit_code_is_1(versus: Any) -> None:
    result = versus("--retriever", "bm25,all", "-k", "1", "--out", "v")
    assert result.exit_code == 1
    assert "failed: all, k=1: this retriever selects every chunk" in result.stdout


def test_labels_are_read_in_front_of_paths(tmp_path: Path) -> None:
    with_equals = tmp_path / "a=b.jsonl"
    with_equals.write_text("")
    assert _labelled(["whole=x.jsonl,rag=y.jsonl::S"]) == {"whole": "x.jsonl", "rag": "y.jsonl::S"}
    assert _labelled([str(with_equals), "z.jsonl"]) == [str(with_equals), "z.jsonl"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a=x", "y"], "give y a label too"),
        (["a="], "a= has no path"),
        (["a=x", "a=y"], "the label 'a' is given twice"),
    ],
)
def test_labels_must_be_given_for_every_file_and_differ(labels: list[str], message: str) -> None:
    with pytest.raises(Exception, match=message):
        _labelled(labels)
