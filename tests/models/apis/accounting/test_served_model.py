"""The context window that a server reports, and the note about it before the first request."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from models.apis.accounting.served_model import ServedModel, served_model
from models.apis.openai import Openai
from models.apis.sending.addresses import is_own
from models.requests import Generate
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat, failure, json_answer


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(lambda request, times: chat("Anna"))
    yield server
    server.close()


@pytest.fixture
def ollama(server: ApiServer) -> ApiServer:
    server.pages["/api/version"] = json_answer({"version": "0.12.6"})
    return server


def ollama_with(record: Any) -> Any:
    """The answers of a server like Ollama with this record of its model."""

    def answer(request: ReceivedRequest, times: int) -> Answer:
        if request.path == "/api/show":
            assert request.body == {"model": "qwen3:8b"}
            return json_answer(record)
        return chat("Anna")

    return answer


def test_llama_cpp_reports_the_window_of_a_slot_and_the_number_of_slots(server: ApiServer) -> None:
    props = {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 4, "model_path": "/m/a.gguf"}
    server.pages["/props"] = json_answer(props | {"eos_token": "</s>"})
    expected = ServedModel("a.gguf", 8192, slots=4, counting="llama.cpp", end="</s>")
    assert served_model(f"{server.url}/v1", "m") == expected


def test_ollama_reports_the_window_of_a_loaded_model(ollama: ApiServer) -> None:
    ollama.pages["/api/ps"] = json_answer({"models": [{"name": "qwen3:8b", "context_length": 16384}]})
    assert served_model(f"{ollama.url}/v1", "qwen3:8b") == ServedModel("qwen3:8b", 16384)


@pytest.mark.parametrize(
    ("record", "served"),
    [
        (
            {"parameters": "temperature 0.6\nnum_ctx                        4096\n", "model_info": {}},
            ServedModel("qwen3:8b", 4096),
        ),
        (
            {"parameters": "stop x", "model_info": {"general.architecture": "q", "qwen3.context_length": 40960}},
            ServedModel("qwen3:8b", 40960, is_bound=True),
        ),
        ({"parameters": None, "model_info": None}, None),
        ({"parameters": "num_ctx many", "model_info": {"qwen3.context_length": "long"}}, None),
        ([], None),
    ],
)
def test_ollama_reports_the_window_that_is_set_else_the_model_s(
    ollama: ApiServer, record: Any, served: ServedModel | None
) -> None:
    ollama.answer = ollama_with(record)
    assert served_model(f"{ollama.url}/v1", "qwen3:8b") == served


def test_a_server_that_reports_nothing_or_does_not_answer_has_no_known_window(server: ApiServer) -> None:
    server.answer = lambda request, times: failure(404, "not found")
    assert served_model(f"{server.url}/v1", "m") is None
    server.pages["/props"] = Answer(b"<html>")
    assert served_model(f"{server.url}/v1", "m") is None
    server.close()
    assert served_model(f"{server.url}/v1", "m") is None


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, b"null", b"\xff"])
def test_nonsense_about_the_window_stops_no_request(
    server: ApiServer, body: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("models.apis.sending.bounded.MOST_BYTES", 2**20)
    server.pages |= dict.fromkeys(("/v1/models", "/props", "/api/version"), Answer(body))
    ask_twice(server)
    assert capsys.readouterr().err == ""


def ask_twice(server: ApiServer, **fields: Any) -> Openai:
    reader = Openai("qwen3:8b", base_url=f"{server.url}/v1", **fields)
    for _ in range(2):
        assert [reply.value for reply in reader.reply([Generate("Who?", 8)])] == ["Anna"]
    return reader


def test_the_window_of_a_single_server_is_printed_once(ollama: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    ollama.answer = ollama_with({"parameters": "num_ctx 4096"})
    ask_twice(ollama)
    message = "longdoc: The server's context window is 4,096 tokens; longer prompts are shortened to fit.\n"
    assert capsys.readouterr().err == message


def test_the_length_that_a_model_was_trained_with_is_not_taken_for_ollama_s_window(
    ollama: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.answer = ollama_with({"parameters": None, "model_info": {"qwen3.context_length": 40960}})
    ask_twice(ollama)
    assert capsys.readouterr().err == (
        "longdoc: Ollama may read fewer than the 40,960 tokens of qwen3:8b and cut the rest unseen. Give --model "
        "ollama:qwen3:8b, which tells Ollama how many to read.\n"
    )
    assert ask_twice(ollama, window=32768).context_window == 32768
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://gpu1/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("https://gpu1:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", False),
    ],
)
def test_providers_which_have_https_and_no_port_are_not_asked(url: str, expected: bool) -> None:
    assert is_own(url) is expected


def test_vllm_lists_the_window(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    model = {"id": "qwen3:8b", "object": "model", "created": 0, "owned_by": "vllm", "max_model_len": 32768}
    server.pages["/v1/models"] = Answer(json.dumps({"object": "list", "data": [model]}).encode())
    assert ask_twice(server).context_window == 32768
    assert "The server's context window is 32,768 tokens" in capsys.readouterr().err


def test_the_user_s_window_is_noted_only_where_it_is_over_the_server_s(
    ollama: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ollama.answer = ollama_with({"parameters": "num_ctx 4096"})
    ask_twice(ollama, window=4096)
    assert capsys.readouterr().err == ""
    assert ask_twice(ollama, window=8192).context_window == 4096
    assert capsys.readouterr().err == (
        "longdoc: window=8192 is more than the server's context window of 4,096 tokens; longer prompts are shortened "
        "to fit the server's.\n"
    )
