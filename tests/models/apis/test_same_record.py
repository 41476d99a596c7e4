"""The same answer over each API is the same reply; what an API does not report is empty."""

from dataclasses import replace
from typing import Any

import pytest

import models
from models import Generate, Reply
from tests.api_server import Answer, ApiServer, base_of, json_answer, message_item

PROMPT = "Who left the mill at noon, and where did she go?"
COMPLETION = {
    "model": "served",
    "choices": [{"finish_reason": "length", "message": {"content": "Anna", "reasoning": "The mill."}}],
    "usage": {
        "prompt_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens": 30,
        "completion_tokens_details": {"reasoning_tokens": 25},
    },
}
RESPONSE = {
    "model": "served",
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "output": [{"type": "reasoning", "summary": [{"text": "The mill."}]}, message_item("Anna")],
    "usage": {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 25},
    },
}
MESSAGE = {
    "model": "served",
    "content": [{"type": "thinking", "thinking": "The mill."}, {"type": "text", "text": "Anna"}],
    "stop_reason": "max_tokens",
    "usage": {
        "input_tokens": 5,
        "cache_read_input_tokens": 4,
        "output_tokens": 30,
        "output_tokens_details": {"thinking_tokens": 25},
    },
}
OLLAMA = {
    "model": "served",
    "message": {"content": "Anna", "thinking": "The mill."},
    "done": True,
    "done_reason": "length",
    "prompt_eval_count": 9,
    "eval_count": 30,
}
RECORDS: dict[str, Any] = {"openai": COMPLETION, "responses": RESPONSE, "anthropic": MESSAGE, "ollama": OLLAMA}


def reply_of(name: str, answer: Answer) -> Reply:
    server = ApiServer(lambda request, times: answer, {"/api/show": json_answer({})})
    reader = models.get(name, model="m", base_url=base_of(name, server.url), max_retries=0)
    (reply,) = reader.reply([Generate(PROMPT, 5)])
    server.close()
    return reply


@pytest.mark.parametrize("name", RECORDS)
def test_an_answer_is_the_same_reply_over_each_api(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    expected = Reply(
        "Anna",
        tokens_in=9,
        tokens_out=30,
        finish_reason="length",
        thinking="The mill.",
        cached_tokens=4,
        reasoning_tokens=25,
        served={"models": ("served",)},
    )
    unsaid = {"cached_tokens": 0, "reasoning_tokens": 0} if name == "ollama" else {}  # Ollama counts neither apart
    reply = reply_of(name, json_answer(RECORDS[name]))
    assert reply.sent is not None and reply.sent.tokens == 12
    assert replace(reply, sent=None) == replace(expected, **unsaid)
