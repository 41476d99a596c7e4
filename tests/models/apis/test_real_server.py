"""llama.cpp's own server with a small model: longdoc counts tokens as it does. Skipped without LONGDOC_MODELS."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from longdoc.errors import UserError
from models.apis.openai import Openai
from models.apis.sending.server_address import reader_at
from models.neural.causal import Causal
from models.prompts import Part, Prompt
from models.requests import Generate
from tests import patience

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
WINDOW, SLOTS, OUTPUT = 512, 2, 4
TEXT = "In 1871 the mill had 48 wheels, and 306 men worked there for 1,250 crowns – žluťoučký kůň, 漢字. " * 40


@pytest.fixture(scope="module")
def address(real_models: Path) -> Iterator[str]:
    """The address of a server with two slots of 512 tokens."""
    if not (real_models / "llama-server").exists() or not (real_models / MODEL).exists():
        pytest.skip(f"llama-server or {MODEL} is not in {real_models}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [real_models / "llama-server", "-m", real_models / MODEL, "--port", port, "-c", WINDOW * SLOTS]
    command += ["-np", SLOTS, "-t", 1, "--jinja"]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        patience.until(lambda: _answers(f"127.0.0.1:{port}"), "llama-server answers")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _answers(address: str) -> bool:
    try:
        return bool(reader_at(address))
    except UserError:
        return False


def request_for(text: str) -> Generate:
    return Generate(Prompt((Part("instruction", "Sum it up.\n"), Part("document", text, 0, len(text)))), OUTPUT)


def test_prompts_fill_a_slot_and_the_server_counts_as_many_tokens(address: str) -> None:
    spec = reader_at(address)
    assert (spec["name"], spec["model"]) == ("openai", MODEL)
    reader = Openai(spec["model"], base_url=spec["base_url"], max_retries=0)
    assert (reader.context_window, reader.slots, reader.in_flight) == (WINDOW, SLOTS, SLOTS)
    for reply, text in zip(reader.reply([request_for(TEXT), request_for("Anna?")]), (TEXT, "Anna?"), strict=True):
        assert reply.error is None
        if text == TEXT:
            assert WINDOW - OUTPUT - 12 <= reply.tokens_in <= WINDOW - OUTPUT
        else:
            assert reply.tokens_in == reader.framed_tokens(f"Sum it up.\n{text}")


def test_a_local_decoder_counts_the_prompt_as_the_server_does(address: str, real_models: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    for kind in (AutoTokenizer, AutoModelForCausalLM):
        kind.from_pretrained(str(real_models), gguf_file=MODEL).save_pretrained(tmp_path)
    local = Causal(str(tmp_path), device="cpu", max_input_tokens=WINDOW)
    server = Openai(MODEL, base_url=f"http://{address}/v1", max_retries=0)
    request = request_for("Anna found the lamp by the old mill.")
    assert local.reply([request])[0].tokens_in == server.reply([request])[0].tokens_in
