"""A real server: `transformers serve` over a tiny Llama of random weights, greedy, offline."""

import os
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

import models
import pipelines
from models import Generate
from models.apis.accounting.context_window import SPARE
from pipelines.records import Document, Example
from tests import patience, tiny_models

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def llama(folder):
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

    tokenizer = tiny_models.byte_level()
    set_seed(0)
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=512, initializer_range=0.5,
        bos_token_id=0, pad_token_id=1, eos_token_id=2,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    for module in ("openai", "fastapi", "uvicorn"):  # of the client, and of transformers[serving]
        pytest.importorskip(module, reason=f"{module} is not installed (extra dev)")
    return llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="module")
def url(folder):
    """The address of a running server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(folder), "--host", "127.0.0.1"]
    server = subprocess.Popen(
        [*command, "--port", str(port)],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        patience.until(lambda: server.poll() is not None or _up(port), "the server is up")
        assert server.poll() is None, "the server ended by itself"
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(patience.SECONDS)


def _up(port):
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=patience.SECONDS) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def by_hand(folder, prompt, steps):
    """Greedy decoding of the rendered chat, without a server: the text, and the tokens in and out."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    row = tokenizer(f"user: {prompt}\nassistant:", add_special_tokens=False)["input_ids"]
    prompt_length = len(row)
    for _ in range(steps):
        with torch.no_grad():
            row.append(int(network(torch.tensor([row])).logits[0, -1].argmax()))
        if row[-1] == tokenizer.eos_token_id:
            break
    return tokenizer.decode(row[prompt_length:], skip_special_tokens=True), prompt_length, len(row) - prompt_length


@pytest.mark.slow
def test_a_served_model_gives_the_same_outputs_as_without_a_server(folder, url):
    reader = models.get("openai", model=str(folder), base_url=url, tokenizer=str(folder))
    prompts = ["Who mended the wheel?", "What did Anna keep?", "The old mill stood by the river"]
    replies = reader.reply([Generate(prompt, 6) for prompt in prompts])
    expected = [by_hand(folder, prompt, 6) for prompt in prompts]
    assert [(reply.value, reply.tokens_in, reply.tokens_out) for reply in replies] == expected
    assert {reply.finish_reason for reply in replies} == {"length"}
    assert len({reply.value for reply in replies}) == 3


def test_a_run_over_a_served_model_is_repeated_exactly(folder, url, tmp_path):
    text = " ".join(f"Room{i} holds chest number {i}." for i in range(20))
    rows = [Example(f"q{i}", Document("house", text), f"What does Room{i} hold?", (f"{i}",)) for i in range(6)]
    model = {"name": "openai", "model": str(folder), "base_url": url, "max_input_tokens": 200}
    arguments = {"data": rows, "chunker": "tokens:10", "k": 2, "metrics": ["f1"], "max_new_tokens": 4, "model": model}
    first = pipelines.run("qa", out=tmp_path / "first", **arguments)
    assert (first.new_requests, dict(first.failures)) == (6, {})
    assert pipelines.run("qa", out=tmp_path / "first", **arguments).new_requests == 0
    pipelines.run("qa", out=tmp_path / "second", **arguments)
    files = [(tmp_path / name / "predictions.jsonl").read_bytes() for name in ("first", "second")]
    assert files[0] == files[1]


def test_prompts_fill_the_window_up_to_the_tokens_that_the_server_counts(folder, url):
    window, output = 120, 6
    reader = models.get("openai", model=str(folder), base_url=url, tokenizer=str(folder), window=window)
    texts = [" ".join(tiny_models.TEXT[i:] * 4) for i in range(4)]
    replies = reader.reply([Generate(text, output) for text in texts])
    totals = [reply.tokens_in + output for reply in replies]
    assert max(totals) <= window - SPARE  # so the chat template was measured as the server's
    assert min(totals) > window - SPARE - 8  # up to the end of a word
    assert all(reply.truncated_tokens > 0 for reply in replies)
