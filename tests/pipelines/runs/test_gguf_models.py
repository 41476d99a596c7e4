"""Runs, questions and comparisons with a GGUF file as the model: what they record, and how they go on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models.apis.sending import llama_server
from tests import patience
from tests.command_line import longdoc
from tests.llama_server import FakeLlamaServer


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlamaServer]:
    fake_server = FakeLlamaServer(tmp_path / "bin")
    monkeypatch.setenv("PATH", fake_server.path)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.gguf").write_text("GGUF tokenizer.chat_template", encoding="utf-8")
    rows = [
        {"id": f"q{i}", "document": f"Room {i} has a lamp.", "question": f"What has room {i}?", "answers": ["a lamp"]}
        for i in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    yield fake_server
    llama_server.end_servers()


def run(**fields: Any) -> Any:
    arguments = {"model": "small.gguf", "metrics": ["f1"], "max_new_tokens": 8, "report": False, "out": "run"} | fields
    return pipelines.run("qa", data="rows.jsonl", **arguments)


def keys(folder: str) -> list[str]:
    lines = Path(folder, "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(json.loads(line)["key"] for line in lines)


def test_a_run_records_the_file_and_goes_on_at_another_port(fake: FakeLlamaServer) -> None:
    assert run().new_requests == 3
    record = json.loads(Path("run/run.json").read_text(encoding="utf-8"))
    assert record["arguments"]["model"] == "small.gguf"
    assert (record["spec"]["model"]["model"], "base_url" in record["spec"]["model"]) == ("small.gguf", False)
    llama_server.end_servers()
    assert run().new_requests == 0
    assert pipelines.rerun("run", model="small.gguf").new_requests == 0
    llama_server.end_servers()
    run(out="again")
    assert keys("again") == keys("run")
    assert len(fake.starts) == 3


def test_another_file_of_the_same_name_is_another_run(fake: FakeLlamaServer) -> None:
    run()
    Path("small.gguf").write_text("GGUF of another model", encoding="utf-8")
    llama_server.end_servers()
    with pytest.raises(UserError, match="another run"):
        run()


def test_files_start_no_server_and_say_what_to_type(fake: FakeLlamaServer, capfd: pytest.CaptureFixture[str]) -> None:
    run()
    capfd.readouterr()
    Path("run.yaml").write_text("task: qa\ndata: rows.jsonl\nmodel: small.gguf\n", encoding="utf-8")
    Path("grid.yaml").write_text("task: qa\ndata: rows.jsonl\nmodel: [small.gguf]\n", encoding="utf-8")
    Path("trained").mkdir()
    Path("trained/reader.json").write_text('{"name": "small.gguf"}', encoding="utf-8")
    for words, file in (
        (("run", "--config", "run.yaml"), "run.yaml"),
        (("ablate", "--config", "grid.yaml"), "grid.yaml"),
        (("rerun", "run"), "run/run.json"),
    ):
        code, _, errors = longdoc(capfd, *words)
        problem = f"{file} names the model small.gguf, and files may not start programs, here llama-server: give "
        problem += "--model small.gguf yourself\n"
        assert (code, problem in errors, errors.count("\n")) == (2, True, 1), (words, errors)
    assert longdoc(capfd, "run", "qa", "--data", "rows.jsonl", "--model", "./trained")[0] == 2
    assert len(fake.starts) == 1


def test_questions_and_comparisons_take_a_file_too(fake: FakeLlamaServer) -> None:
    assert pipelines.ask("rows.jsonl", "What has room 2?", model="small.gguf").text == "x"
    table = pipelines.versus(
        "qa", model="small.gguf", data="rows.jsonl", budget="20 words", metrics=["f1"], report=False
    )
    assert all(way.error is None for way in table.ways)
    assert len(fake.starts) == 1


def test_a_server_ends_with_its_command(fake: FakeLlamaServer, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("run", "qa", "--data", "rows.jsonl", "--model", "small.gguf", "--metric", "f1", "--no-report")
    assert longdoc(capfd, *words)[0] == 0
    patience.until(lambda: patience.state(fake.processes[0]) in ("", "Z"), "the server ends")


def test_a_context_smaller_than_the_question_is_an_error_with_what_to_raise(
    fake: FakeLlamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_ARG_CTX_SIZE", "64")
    with pytest.raises(UserError, match=r"question and instructions alone take .* LLAMA_ARG_CTX_SIZE"):
        run()
