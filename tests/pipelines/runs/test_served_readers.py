"""Runs whose model is named by the address of its server: what they record, and how they go on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.verify.verify import verify
from tests.api_server import ApiServer, chat, failure, json_answer
from tests.counting_servers import llama_cpp

WINDOW = 1024


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def server() -> Iterator[ApiServer]:
    api_server = llama_cpp(ApiServer(lambda request, times: chat("x")), WINDOW)
    api_server.pages["/v1/models"] = json_answer({"object": "list", "data": [{"id": "/models/model.gguf"}]})
    yield api_server
    api_server.close()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    document = " ".join(f"Room{i} holds chest number {i}." for i in range(200))
    lines = [
        {"id": f"q{i}", "document": document, "question": f"What does Room{i} hold?", "answers": [f"{i}"]}
        for i in range(3)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(server: ApiServer, rows: Path, out: Path, **fields: Any) -> Any:
    arguments = {"server": server.url, "metrics": ["f1"], "max_new_tokens": 8, "report": False} | fields
    return pipelines.run("qa", data=rows, out=out, **arguments)


def record_of(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return record


def test_the_run_records_the_reader_and_is_known_again(server: ApiServer, rows: Path, tmp_path: Path) -> None:
    result = run(server, rows, tmp_path / "run")
    assert (result.examples, dict(result.failures), len(server.received)) == (3, {}, 3)
    assert all(WINDOW - 8 - 16 <= prediction.tokens_in <= WINDOW - 8 for prediction in result.predictions)
    record = record_of(tmp_path / "run")
    reader = {"name": "openai", "model": "model.gguf", "base_url": f"{server.url}/v1"}
    assert record["arguments"]["model"] == reader and "server" not in record["arguments"]
    resolved = record["spec"]["resolved"]
    assert (resolved["window"], resolved["template_tokens"], resolved["counts_tokens"]) == (WINDOW, 49, True)
    assert run(server, rows, tmp_path / "run").new_requests == 0
    assert pipelines.rerun(tmp_path / "run", server=server.url).new_requests == 0
    model = f"openai:model=model.gguf,base_url={server.url}/v1"
    assert {check.outcome for check in verify(tmp_path / "run", model=model).checks} == {"agrees"}
    assert len(server.received) == 3


def test_a_finished_run_is_known_again_while_its_server_is_off(
    server: ApiServer, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(server, rows, tmp_path / "run")
    server.kill()
    model = f"openai:model=model.gguf,base_url={server.url}/v1"
    arguments = {"model": model, "metrics": ["f1", "exact_match"], "max_new_tokens": 8, "report": False}
    again = pipelines.run("qa", data=rows, out=tmp_path / "run", **arguments)
    assert (again.new_requests, again.resumed) == (0, 3)
    assert "does not answer; what it said in an earlier run is used." in capsys.readouterr().err
    (unchecked,) = [check for check in verify(tmp_path / "run", model=model).checks if check.outcome == "not checked"]
    assert "does not answer" in str(unchecked.details)
    with pytest.raises(UserError, match="No server answers at 127"):
        run(server, rows, tmp_path / "run")


def test_the_headline_says_how_many_of_the_examples_are_answered(server: ApiServer, rows: Path, tmp_path: Path) -> None:
    answer = server.answer
    server.answer = lambda request, times: (
        failure(400, "no") if "What does Room1 hold" in request.prompt else answer(request, times)
    )
    assert "2 of 3 examples answered, over 1 document" in str(run(server, rows, tmp_path / "run"))


def test_ask_and_versus_take_a_server_too(server: ApiServer, rows: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Anna found the lamp by the old mill.", encoding="utf-8")
    assert pipelines.ask(note, "Who found the lamp?", server=server.url, max_new_tokens=8).text == "x"
    table = pipelines.versus(
        "qa", data=rows, server=server.url, budget="20 words", metrics=["f1"], max_new_tokens=8, out=tmp_path / "table",
        report=False,
    )  # fmt: skip
    assert all(way.error is None for way in table.ways)


def test_a_server_and_a_reader_cannot_both_be_given(server: ApiServer, rows: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="with it, model must be the name of a model there"):
        run(server, rows, tmp_path / "run", model={"name": "copy"})
    with pytest.raises(UserError, match=r"serves no model 'copy'\. It serves: /models/model\.gguf$"):
        run(server, rows, tmp_path / "run", model="copy")
