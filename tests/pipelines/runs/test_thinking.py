"""Whole runs with models that think: their thinking is logged, counted, and never scored."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import RepliesAwaited, UserError
from pipelines.records import Document, Example
from tests.api_server import Answer, ApiServer, ReceivedRequest, json_answer, message, text_block
from tests.batch_server import BatchServer

THOUGHT = "Perhaps chest number 7? No."
FINAL = ("predictions.jsonl", "scores.json")
TEXT = " ".join(f"Room{i} holds chest number {i}." for i in range(20))
FORMS: list[dict[str, Any]] = [
    {"content": "chest number {}", "reasoning": THOUGHT},
    {"content": "chest number {}", "reasoning_content": THOUGHT},
    {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": "{}"},
        ]
    },
    {"content": f"<think>{THOUGHT}</think>chest number {{}}"},
]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-secret-0123456789")
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def room(request: ReceivedRequest) -> str:
    return request.prompt.split("Room", 1)[1].split()[0]


def answer_with_thinking(request: ReceivedRequest, times: int) -> Answer:
    """A form of reply for each question, with usage; Anthropic's where that is asked."""
    if request.path == "/v1/messages":
        return message({"type": "thinking", "thinking": THOUGHT, "signature": "s"}, text_block(room(request)))
    form = FORMS[zlib.crc32(room(request).encode()) % len(FORMS)]
    fields = json.loads(json.dumps(form).replace("{}", room(request)))
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 6}}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **fields}}
    return json_answer({"model": "m", "choices": [choice], "usage": usage})


def answer_with_thinking_alone(request: ReceivedRequest, times: int) -> Answer:
    choice = {"index": 0, "finish_reason": "length", "message": {"content": None, "reasoning": THOUGHT}}
    return json_answer({"choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 32}})


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(answer_with_thinking)
    yield server
    server.close()


def run(server: ApiServer, out: Path, reader: str = "openai", **arguments: Any) -> Any:
    url = server.url + ("/v1" if reader == "openai" else "")
    model = {"name": reader, "model": "m", "base_url": url, "max_retries": 0, **arguments.pop("model", {})}
    data = [
        Example(f"q{i}", Document("house", TEXT), f"What is in Room{i} ?", (f"chest number {i}",)) for i in range(8)
    ]
    recipe = {"chunker": "whole", "metrics": ["f1"], "prompt": "{query} {document}", "report": False}
    return pipelines.run("qa", data=data, out=out, model=model, **{**recipe, **arguments})


def final(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in FINAL]


def test_thinking_is_logged_and_counted_and_the_answer_alone_is_scored(server: ApiServer, tmp_path: Path) -> None:
    result = run(server, tmp_path, model={"thinking": 500})
    assert {prediction.prediction.split()[-1] for prediction in result.predictions} == set("01234567")
    assert not any("Perhaps" in prediction.prediction for prediction in result.predictions)
    assert [dict(prediction.thinking) for prediction in result.predictions] == [{"words": 5, "tokens": 6}] * 8
    logged = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text().splitlines()]
    assert [(record["thinking"], record["reasoning_tokens"]) for record in logged] == [(THOUGHT, 6)] * 8
    assert {request.body["max_tokens"] for request in server.received} == {564}
    shown = pipelines.show(tmp_path, "q0")
    assert ("thinking", "6 tokens, 5 words, in requests.jsonl") in shown.facts()
    assert pipelines.verify(tmp_path).agrees


def test_files_made_again_from_the_log_are_the_same(server: ApiServer, tmp_path: Path) -> None:
    run(server, tmp_path)
    before = final(tmp_path)
    for name in (*FINAL, "journal.jsonl"):
        (tmp_path / name).unlink()
    run(server, tmp_path)
    assert (final(tmp_path), len(server.received)) == (before, 8)


def test_predictions_without_thinking_have_no_field_for_it(tmp_path: Path) -> None:
    data = [Example("q", Document("house", TEXT), "What is in Room7 ?", ("chest number 7",))]
    pipelines.run("qa", data=data, model="extractive", out=tmp_path, report=False)
    assert "thinking" not in json.loads((tmp_path / "predictions.jsonl").read_text())


@pytest.mark.parametrize("reader", ["openai", "anthropic"])
def test_batch_files_are_read_as_live_replies_are(server: ApiServer, tmp_path: Path, reader: str) -> None:
    run(server, tmp_path / "live", reader, model={"thinking": 2000})
    folder = tmp_path / "files"
    arguments = {"model": {"thinking": 2000}, "engine": f"batch:{folder}"}
    with pytest.raises(RepliesAwaited) as error:
        run(server, tmp_path / "run", reader, **arguments)
    for path in error.value.files:
        bodies = BatchServer(answer_with_thinking).answer(tmp_path / path)
        assert {(body.get("body") or body["params"])["max_tokens"] for body in bodies} == {2064}
    run(server, tmp_path / "run", reader, **arguments)
    assert final(tmp_path / "run") == final(tmp_path / "live")
    assert "Perhaps" in (tmp_path / "run" / "requests.jsonl").read_text()


def test_a_run_of_thinking_alone_says_what_to_type(server: ApiServer, tmp_path: Path) -> None:
    server.answer = answer_with_thinking_alone
    with pytest.raises(UserError, match=r"all outputs are empty, .* give it room, thinking=2048"):
        run(server, tmp_path, max_new_tokens=32)
    result = run(server, tmp_path, max_new_tokens=32, go_on=True)
    assert (result.scores["f1"], dict(result.failures)) == (0.0, {})
    assert result.warnings == (
        "8 of 8 outputs are empty, as thinking took all of max_new_tokens: give thinking=2048, or more than before",
    )


def test_room_for_thinking_is_part_of_a_run_s_identity(server: ApiServer, tmp_path: Path) -> None:
    specs = []
    for number, model in enumerate(({}, {"thinking": 500}, {"thinking": "off"}, {"effort": "low"})):
        run(server, tmp_path / str(number), model=model)
        specs.append(json.loads((tmp_path / str(number) / "run.json").read_text())["spec"])
    assert [spec["model"].get("thinking") for spec in specs] == [None, 500, "off", None]
    assert specs[3]["model"]["effort"] == "low"
    assert not {"thinking", "effort"} & specs[0]["model"].keys()
    assert {spec["max_new_tokens"] for spec in specs} == {64}
