"""All files of predictions below a folder, recognized and scored, beside runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.evaluation.leaderboard.prediction_files import task_of
from tests.command_line import longdoc as command


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def financebench(path: Path, *labels: str) -> Path:
    fields = {"model_name": path.stem.partition("_")[0], "eval_mode": "oracle", "gold_answer": "$1"}
    rows = [
        fields | {"financebench_id": f"q{number}", "question": f"What is {number}?", "label": f"{label} Answer"}
        for number, label in enumerate(labels)
    ]
    rows = [row | {"model_answer": "It is <b>one</b>."} for row in rows]
    return lines(path, *rows)


def lara(path: Path, level: str, prediction: str = "nine") -> Path:
    row = {"type": "financial", "level": level, "file": "a.txt", "context_order": 0, "question": "What?"}
    return lines(path, row | {"prediction": prediction, "ground_truth": "nine"})


def babilong(path: Path, output: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(",target,output,question\n" + "".join(f"{n},hallway,{output},Where is {n}?\n" for n in range(6)))
    return path


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Files of three benchmarks, a run, and files of other things."""
    folder = tmp_path / "disk"
    financebench(folder / "financebench" / "a_oracle.jsonl", "Correct", "Incorrect")
    financebench(folder / "financebench" / "b_oracle.jsonl", "Correct", "Correct")
    for way in ("full", "rag"):
        for level in ("location", "comp"):
            lara(folder / "lara" / "m" / f"{way}_32k_financial_{level}.jsonl", level)
    for length, output in (("0k", "hallway"), ("8k", "kitchen")):
        babilong(folder / "babilong" / "m" / f"qa1_{length}.csv", output)
    lines(folder / "rows.jsonl", {"id": "a", "document": "It is red.", "query": "What is it?", "references": ["red"]})
    (folder / "notes.csv").write_text("name,value\nx,1\n")
    (folder / "broken.json").write_text("{")
    pipelines.run("qa", data=folder / "rows.jsonl", model="extractive", metrics="f1", out=folder / "runs" / "first")
    return folder


def by_name(board: Any, benchmark: str) -> dict[str, dict[str, float]]:
    (table,) = [table for table in board.benchmarks() if table.name == benchmark]
    return {
        name: {column: round(system.scores[system.score], 6) for column, system in row.items()}
        for name, row in table.rows.items()
    }


def test_files_are_scored_by_the_benchmark_that_their_rows_are_of(disk: Path) -> None:
    board = pipelines.leaderboard(disk)
    assert by_name(board, "financebench") == {"a oracle": {"": 50}, "b oracle": {"": 100}}
    assert by_name(board, "lara") == {
        f"m {way}": {"comparison 32k": 100, "location 32k": 100} for way in ("full", "rag")
    }
    assert by_name(board, "babilong") == {"m": {"0k": 100, "8k": 0}}
    assert [run.path for run in board.systems if run.kind == "run"] == [str(disk / "runs" / "first")]
    assert board.unread == {}
    (curves,) = board.curves
    assert [bin.low for bin in curves.bins] == [0, 8_000]


def test_the_command_writes_pages_on_which_numbers_lead_to_examples(
    disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "board"
    code, text, _ = command(capfd, "benchmark", "leaderboard", str(disk), "--out", str(out))
    assert code == 0
    assert re.search(r"\n  b oracle +100\.00 +2/150\n", text)
    assert text.endswith(f"  9 rows of scores\n  in {out}\n")
    page = (out / "leaderboard.html").read_text()
    assert 'href="../disk/runs/first/report.html"' in page.replace("./../", "../")
    record = json.loads((out / "leaderboard.json").read_text())
    names = [system["page"] for system in record["systems"] if system["kind"] == "predictions"]
    assert len(names) == len(set(names)) == 8
    assert all(f'href="./{name}"' in page for name in names)
    examples = (out / next(name for name in names if "a-oracle" in name)).read_text()
    assert "What is 1?" in examples and "It is &lt;b&gt;one&lt;/b&gt;." in examples
    pipelines.leaderboard(disk, out=out)  # its own pages are written again
    entry = pipelines.view(tmp_path, open=False).read_text()
    assert "leaderboard.html" in entry and "9 files and runs" in entry


def test_a_page_of_somebody_else_is_not_overwritten(disk: Path, tmp_path: Path) -> None:
    (tmp_path / "board").mkdir()
    (tmp_path / "board" / "leaderboard.html").write_text("<p>mine</p>")
    with pytest.raises(UserError, match=r"leaderboard\.html is no page of longdoc"):
        pipelines.leaderboard(disk, out=tmp_path / "board")


def test_a_file_that_cannot_be_scored_is_said(disk: Path) -> None:
    babilong(disk / "babilong" / "bad" / "qa1_4k.csv", "hallway").write_text(",target,output,question\n0,,x,Where?\n")
    board = pipelines.leaderboard(disk)
    (path,) = board.unread
    assert path.endswith("qa1_4k.csv") and "the row needs a target" in board.unread[path]
    assert f"not scored: {path}: " in str(board)


def test_of_one_benchmark_the_name_or_the_rows_say_the_task(tmp_path: Path) -> None:
    named = lines(tmp_path / "preds_longbook_qa_eng.jsonl", {"id": 0, "prediction": "a", "ground_truth": ["a"]})
    task = task_of(named)
    assert task is not None and task.name == "infinitebench/en_qa"
    task = task_of(lara(tmp_path / "answers.jsonl", "hallu"))
    assert task is not None and task.name == "lara/hallucination"
    assert task_of(lines(tmp_path / "rows.jsonl", {"text": "a"})) is None
    with pytest.raises(UserError, match="which task it is of is not clear"):
        task_of(lines(tmp_path / "preds.jsonl", {"id": 0, "prediction": "a", "ground_truth": ["a"]}))


def test_links_are_not_followed(disk: Path, tmp_path: Path) -> None:
    financebench(tmp_path / "elsewhere" / "c_oracle.jsonl", "Correct")
    (disk / "link").symlink_to(tmp_path / "elsewhere")
    (disk / "c_oracle.jsonl").symlink_to(tmp_path / "elsewhere" / "c_oracle.jsonl")
    assert set(by_name(pipelines.leaderboard(disk), "financebench")) == {"a oracle", "b oracle"}


def test_nothing_to_list_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no file of predictions that is recognized, and no finished run"):
        pipelines.leaderboard(tmp_path)
    with pytest.raises(UserError, match="there is no folder"):
        pipelines.leaderboard(tmp_path / "nothing")


def test_financebenchs_published_results_are_recognized_and_counted(realdata: Path) -> None:
    board = pipelines.leaderboard(realdata / "financebench")
    scores = by_name(board, "financebench")
    assert len(scores) == 16
    assert scores["gpt-4-1106-preview inContext_reverse"][""] == pytest.approx(100 * 55 / 73)
    assert scores["gpt-4-1106-preview inContext"][""] == pytest.approx(100 * 17 / 73)
