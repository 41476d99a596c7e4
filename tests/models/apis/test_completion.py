"""Answers and thinking in every form that servers with OpenAI's interface send, and their token counts."""

from typing import Any

import pytest

import models
from models import Generate
from tests.api_server import Answer, ApiServer, json_answer
from tests.turns import for_each

THOUGHT = "Anna sold it, I think."


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: completion({"content": "x"}))
    yield server
    server.close()


def completion(*messages: dict[str, Any], finish: str = "stop", usage: Any = None) -> Answer:
    """A completion with these messages."""
    choices = [
        {"index": place, "finish_reason": finish, "message": {"role": "assistant", **fields}}
        for place, fields in enumerate(messages)
    ]
    return json_answer({"object": "chat.completion", "model": "m", "choices": choices, "usage": usage})


def ask(server, answer, **request):
    server.answer = lambda _, times: answer
    reader = models.get("openai:gpt-x", base_url=server.url + "/v1", max_retries=0)
    return reader.reply([Generate("who?", 50, **request)])[0]


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


FORMS = {
    "vllm": {"content": "Anna", "reasoning": THOUGHT, "reasoning_content": None},
    "vllm-0.10": {"content": "Anna", "reasoning_content": THOUGHT},
    "vllm-0.11": {"content": "Anna", "reasoning": THOUGHT, "reasoning_content": THOUGHT},
    "deepseek": {"content": "Anna", "reasoning_content": f"\n{THOUGHT}\n"},
    "openrouter": {
        "content": "Anna",
        "reasoning": THOUGHT,
        "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT, "index": 0}],
    },
    "openrouter-details": {
        "content": "Anna",
        "reasoning": None,
        "reasoning_details": [
            {"type": "reasoning.summary", "summary": THOUGHT},
            {"type": "reasoning.encrypted", "data": "c2VjcmV0"},
        ],
    },
    "mistral": {"content": [{"type": "thinking", "thinking": [text(THOUGHT)]}, text("Anna")]},
    "mistral-parts": {
        "content": [
            {"type": "thinking", "thinking": [text("Anna sold it, "), {"type": "reference"}, text("I think.")]},
            text("An"),
            {"type": "reference", "reference_ids": [1]},
            text("na"),
        ]
    },
    "one-thought": {"content": [{"type": "thinking", "thinking": THOUGHT}, text("Anna")]},
    "inline": {"content": f"<think>\n{THOUGHT}\n</think>\n\nAnna"},
    "magistral": {"content": f"[THINK]{THOUGHT}[/THINK]Anna"},
    "harmony": {
        "content": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>Anna"
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_thinking_is_kept_apart_from_the_answer_in_every_form(server, form):
    reply = ask(server, completion(FORMS[form]))
    assert (reply.value, reply.thinking, reply.finish_reason, reply.error) == ("Anna", THOUGHT, "stop", None)


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": THOUGHT},
        {"content": "", "reasoning": THOUGHT},
        {"content": [{"type": "thinking", "thinking": [text(THOUGHT)]}]},
        {"content": f"<think>{THOUGHT}"},
        {"content": f"[THINK]{THOUGHT}"},
        {"reasoning_content": THOUGHT},
    ],
)
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_a_reply_that_only_thinks_is_an_empty_output_and_no_error(server, message, finish):
    reply = ask(server, completion(message, finish=finish))
    assert (reply.value, reply.thinking, reply.finish_reason, reply.error) == ("", THOUGHT, finish, None)


def test_a_reply_whose_thinking_is_hidden_is_an_empty_output_and_no_error(server):
    usage = {"prompt_tokens": 9, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 50}}
    reply = ask(server, completion({"content": None}, usage=usage))
    assert (reply.value, reply.thinking, reply.reasoning_tokens, reply.error) == ("", "", 50, None)


@pytest.mark.parametrize(
    "content",
    [[], [{"type": "image_url", "image_url": {"url": "x"}}], ["Anna"], [None], [{"type": "text", "text": None}], 7, {}],
)
def test_content_without_text_is_an_error(server, content):
    assert ask(server, completion({"content": content})).error == "a choice of the reply holds no text"
    assert ask(server, completion({"content": content}, finish="length")).value == ""


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "reasoning_details"])
@for_each("thinking", [7, {"a": 1}, [], ["x"], [None], "", " \n"])
def test_thinking_of_another_form_is_ignored(server, name, thinking):
    reply = ask(server, completion({"content": "Anna", name: thinking}))
    assert (reply.value, reply.thinking, reply.error) == ("Anna", "", None)


def test_each_of_several_choices_has_its_thinking(server):
    choices = [
        {"content": "Anna", "reasoning": "one"},
        {"content": [text("Tom")]},
        {"content": "<think>two</think>Eve"},
    ]
    reply = ask(server, completion(*choices), n=3)
    assert (reply.value, reply.thinking) == (("Anna", "Tom", "Eve"), "one\n\ntwo")


@pytest.mark.parametrize(
    ("content", "value", "thinking"),
    [
        ("[THINK]a[THINK]b[/THINK]Anna", "Anna", "a[THINK]b"),
        ("<think>a</think>Anna<think>b</think>Tom", "AnnaTom", "a\n\nb"),
        ("a</think>Anna", "Anna", "a"),
    ],
)
def test_marks_that_are_nested_or_repeated_leave_no_thinking_in_the_answer(server, content, value, thinking):
    reply = ask(server, completion({"content": content}))
    assert (reply.value, reply.thinking) == (value, thinking)


USAGES = [
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 4},
      "completion_tokens_details": {"reasoning_tokens": 6}}, (9, 8, 4, 6)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 4},
     (9, 8, 5, 0)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": None, "completion_tokens_details": None},
     (9, 8, 0, 0)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": -4},
      "completion_tokens_details": {"reasoning_tokens": "six"}}, (9, 8, 0, 0)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 99},
      "completion_tokens_details": {"reasoning_tokens": 99}}, (9, 8, 9, 8)),
    ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": "x", "completion_tokens_details": [1]},
     (9, 8, 0, 0)),
    ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 17,
      "completion_tokens_details": {"reasoning_tokens": 6}}, (9, 8, 0, 6)),
    ({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 17}, (9, 8, 0, 6)),  # Gemini's: in the sum alone
    ({"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 21, "prompt_tokens_details": {"cached_tokens": 4}},
     (9, 8, 4, 0)),  # cached tokens that were counted twice are no thinking
    ({"prompt_tokens": 9, "completion_tokens": 8, "total_tokens": 30,
      "completion_tokens_details": {"reasoning_tokens": 6}}, (9, 8, 0, 6)),
    ({"completion_tokens": 8, "prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 4}, (9, 8, 5, 0)),
    ({"prompt_tokens": 9.0, "completion_tokens": 8.0, "prompt_tokens_details": {"cached_tokens": 4.0}}, (9, 8, 4, 0)),
    ({"prompt_tokens": 9.5, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": True}}, (1, 8, 0, 0)),
    (None, (1, 3, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("usage", "counts"), USAGES)
def test_cached_and_reasoning_tokens_are_parts_of_the_input_and_output_tokens(server, usage, counts):
    reply = ask(server, completion({"content": "ab", "reasoning": "abcdefgh"}, usage=usage))
    assert (reply.tokens_in, reply.tokens_out, reply.cached_tokens, reply.reasoning_tokens) == counts
    assert reply.error is None


@pytest.mark.parametrize(
    ("details", "counts"),
    [
        ({"cached_tokens": 4, "cache_write_tokens": 5}, (4, 5)),
        ({"cached_tokens": 4, "cache_write_tokens": 50}, (4, 5)),
        ({"cached_tokens": 40, "cache_write_tokens": 5}, (9, 0)),
    ],
)
def test_no_more_tokens_are_cached_or_written_to_a_cache_than_a_prompt_has(server, details, counts):
    usage = {"prompt_tokens": 9, "completion_tokens": 8, "prompt_tokens_details": details}
    reply = ask(server, completion({"content": "ab"}, usage=usage))
    assert (reply.cached_tokens, reply.cache_write_tokens) == counts
