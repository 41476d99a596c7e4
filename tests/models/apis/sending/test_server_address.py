"""The reader for a server's address."""

from collections.abc import Iterator

import pytest

from longdoc.errors import UserError
from models.apis.sending.server_address import reader_at
from tests.api_server import Answer, ApiServer, chat, failure, json_answer
from tests.counting_servers import llama_cpp


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(lambda request, times: chat("x"))
    yield server
    server.close()


def listed(*names: str) -> Answer:
    return json_answer({"object": "list", "data": [{"id": name} for name in names]})


def test_llama_cpp_s_file_is_the_model_s_name_however_the_address_is_written(server: ApiServer) -> None:
    llama_cpp(server, 512)
    server.pages["/v1/models"] = listed("/models/model.gguf")
    bare = server.url.removeprefix("http://")
    for address in (server.url, f"{server.url}/", f"{server.url}/v1", f"{server.url}/v1/", bare, f" {bare}/v1"):
        assert reader_at(address) == {"name": "openai", "model": "model.gguf", "base_url": f"{server.url}/v1"}
    for name in ("/models/model.gguf", "model.gguf"):
        assert reader_at(bare, name)["model"] == "model.gguf"


def test_vllm_s_model_keeps_its_name(server: ApiServer) -> None:
    server.pages["/v1/models"] = listed("Qwen/Qwen3-8B")
    assert reader_at(server.url) == {"name": "openai", "model": "Qwen/Qwen3-8B", "base_url": f"{server.url}/v1"}


def test_ollama_is_asked_by_its_own_api(server: ApiServer) -> None:
    server.pages |= {"/api/version": json_answer({"version": "0.13.1"}), "/v1/models": listed("qwen3:8b")}
    server.pages["/api/tags"] = json_answer({"models": [{"name": "qwen3:8b"}]})
    assert reader_at(f"{server.url}/v1") == {"name": "ollama", "model": "qwen3:8b", "base_url": server.url}
    server.pages["/api/tags"] = json_answer({"models": [{"name": "qwen3:8b"}, {"name": "gemma3:latest"}]})
    assert reader_at(server.url, "gemma3")["model"] == "gemma3:latest"


def test_a_server_with_several_models_needs_a_model_name(server: ApiServer) -> None:
    server.pages["/v1/models"] = listed("one", "two")
    with pytest.raises(UserError, match=r"serves 2 models: one, two\. Add --model NAME to choose one$"):
        reader_at(server.url)
    assert reader_at(server.url, "two")["model"] == "two"
    with pytest.raises(UserError, match=r"serves no model 'three'\. It serves: one, two$"):
        reader_at(server.url, "three")


def test_an_address_without_a_model_server_is_refused(server: ApiServer) -> None:
    for page in (Answer(b"<html>", kind="text/html"), Answer(b"[" * 100_000), json_answer([]), failure(404, "none")):
        server.pages["/v1/models"] = page
        with pytest.raises(UserError, match=r"is not a model server: .* as in --server http://localhost:8080$"):
            reader_at(server.url)
    server.pages["/v1/models"] = listed()
    with pytest.raises(UserError, match="serves no model: load one"):
        reader_at(server.url)
    for address in ("ftp://x", "http://user:secret@x", "http://x:port"):
        with pytest.raises(UserError, match=r"^server (is|must)"):
            reader_at(address)
    server.close()
    with pytest.raises(
        UserError, match=r"^No server answers at 127\.0\.0\.1:\d+ \(.*\)\. Start it, or give the address"
    ):
        reader_at(server.url)


def test_a_server_that_wants_a_key_names_the_variable(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.pages["/v1/models"] = failure(401, "Invalid API Key")
    with pytest.raises(UserError, match=r"needs a key: put it into OPENAI_API_KEY \(export OPENAI_API_KEY=KEY\)$"):
        reader_at(server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with pytest.raises(UserError, match=r"rejects the key in OPENAI_API_KEY \(export OPENAI_API_KEY=KEY\)$"):
        reader_at(server.url)
