"""Bare names of models behind APIs."""

import pytest

import models
from longdoc.errors import UserError
from models.api_models import known_window, suggestion


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("gpt-4o", "openai:gpt-4o,window=128000"),
        ("openai/gpt-4.1-mini", "openai:gpt-4.1-mini,window=1047576"),
        ("o3", "openai:o3,temperature=null,window=200000"),
        ("gpt-5", "openai:gpt-5,temperature=null"),
        ("claude-sonnet-4-5-20250929", "anthropic:claude-sonnet-4-5-20250929,window=200000"),
        ("claude-some-new-model", "anthropic:claude-some-new-model"),
        (
            "gemini-2.5-flash",
            "openai:gemini-2.5-flash,base_url=https://generativelanguage.googleapis.com/v1beta/openai/,"
            "key_variable=GEMINI_API_KEY,window=1048576",
        ),
        ("deepseek-chat", "openai:deepseek-chat,base_url=https://api.deepseek.com,key_variable=DEEPSEEK_API_KEY"),
        ("llama3.1:8b", "ollama:llama3.1:8b"),
    ],
)
def test_the_error_suggests_a_spec_that_can_be_parsed(name: str, spec: str) -> None:
    with pytest.raises(UserError) as error:
        models.get(name)
    assert f"model='{spec}'" in str(error.value)
    reader, fields = models.registry.parse(spec)
    assert reader in ("openai", "anthropic", "ollama")
    assert name.endswith(fields[None])


@pytest.mark.parametrize(
    "name", ["gpt2", "gpt-oss-20b", "openai/gpt-oss-20b", "google/flan-t5-base", "extractive", "o2"]
)
def test_other_names_have_no_suggestion(name: str) -> None:
    assert suggestion(name) is None


def test_a_folder_of_such_a_name_is_a_folder(tmp_path, monkeypatch, tiny_t5) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt-4o").symlink_to(tiny_t5)
    assert models.get("gpt-4o", device="cpu").limit > 0


def test_the_bare_name_of_an_open_model_names_server_and_hub(monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError) as error:
        models.get("llama-3.1-8b-instruct")
    assert str(error.value) == (
        "unknown reader 'llama-3.1-8b-instruct': for your own server give model='openai:llama-3.1-8b-instruct,"
        "base_url=http://127.0.0.1:8000/v1', for a hub model model=ORGANIZATION/NAME"
    )


def test_a_model_named_with_its_program_gets_an_error_that_says_what_to_type() -> None:
    for name in (
        "gguf:x",
        "llama.cpp:x",
        "llama_cpp:x",
        "llama-cpp-python:x",
        "llama-server:x",
        "vllm:x",
        "LM-Studio/x",
    ):
        with pytest.raises(UserError) as error:
            models.get(name)
        assert str(error.value) == (
            f"unknown reader {name!r}: give a GGUF file by its path, model='PATH.gguf', or a server by its address, "
            "server='localhost:8080'"
        )
    with pytest.raises(UserError, match=r"by its path, model='models/small\.gguf', or a server"):
        models.get("gguf:models/small.gguf")


def test_an_unknown_bare_name_gets_an_error_with_the_kinds_of_models(monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError) as error:
        models.get("my-chat")
    assert str(error.value) == (
        "There is no reader, folder or hub model 'my-chat' here. If a server runs it, give "
        "model='openai:my-chat,base_url=http://127.0.0.1:8000/v1' or model='ollama:my-chat'; if it is a file or "
        "folder, give its path (model='PATH.gguf'). `longdoc list components` lists the readers."
    )


def test_windows_are_those_of_the_providers_pages_or_none() -> None:
    expected = {
        "gpt-4": 8_192,
        "gpt-4o-2024-08-06": 128_000,
        "claude-3-5-haiku-latest": 200_000,
        "claude-opus-4-6": 1_000_000,
    }
    assert {name: known_window(name) for name in expected} == expected
    assert known_window("gpt-5") is None
    assert known_window("claude-opus-9") is None
