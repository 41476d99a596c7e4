"""The fields of requests that switch thinking on and off, and the room for thinking beside the answer."""

import json

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate, Part, Prompt
from models.apis.sending.offline import Offline
from tests.api_server import ApiServer, chat, failure, message, text_block

OWN = "http://127.0.0.1:8000/v1"
DOCUMENT = Prompt((Part("query", "who? "), Part("document", "abc " * 9_000, 0, 36_000)))
STOPPED = Generate("who?", 100, stop=("\n\nQ",))


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-secret-0123456789")
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: chat("Anna\n\nQ: and?"))
    yield server
    server.close()


def sent_fields(spec, request=STOPPED, **fields):
    """The fields of the body that a reader sends, without model, messages and temperature."""
    bodies = []
    answer = message(text_block("x")) if spec.startswith("anthropic") else chat("x")

    def respond(body):
        bodies.append(body)
        return 200, json.loads(answer.body)

    offline = Offline(models.get(spec, **fields), {}, respond)
    assert offline.reply_to(request).error is None
    (body,) = bodies
    return {name: value for name, value in body.items() if name not in ("model", "messages", "temperature")}


@pytest.mark.parametrize(
    ("url", "length"),
    [(OWN, "max_tokens"), ("https://api.openai.com/v1", "max_completion_tokens"), ("https://x.ai/v1", "max_tokens")],
)
def test_thinking_comes_on_top_of_the_answer_and_no_stop_string_ends_it(url, length):
    assert sent_fields("openai:m", base_url=url) == {length: 100, "stop": ["\n\nQ"]}
    assert sent_fields("openai:m", base_url=url, thinking=2048) == {length: 2148}


def test_stop_strings_are_applied_by_longdoc_where_a_model_may_think(server):
    reader = models.get("openai:m", base_url=server.url + "/v1", thinking=2048)
    (reply,) = reader.reply([STOPPED])
    assert (reply.value, reply.finish_reason) == ("Anna", "stop")


OFF = [
    (OWN, "qwen3", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("http://gpu1:30000/v1", "qwen3", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("http://127.0.0.1:11434/v1", "qwen3:4b", {"reasoning_effort": "none"}),
    ("https://openrouter.ai/api/v1", "z-ai/glm-4.5", {"reasoning": {"effort": "none"}}),
    ("https://api.deepseek.com", "deepseek-v4-flash", {"thinking": {"type": "disabled"}}),
    ("https://notdeepseek.com", "x", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("https://api.mistral.ai/v1", "mistral-small-latest", {"reasoning_effort": "none"}),
    ("https://generativelanguage.googleapis.com/v1beta/openai/", "gemini-2.5-flash", {"reasoning_effort": "none"}),
    ("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3-max", {"enable_thinking": False}),
    ("https://api.openai.com/v1", "gpt-5.1", {"reasoning_effort": "none"}),
    ("https://api.openai.com/v1", "gpt-5.4-mini", {"reasoning_effort": "none"}),
    ("https://api.openai.com/v1", "gpt-5-mini", {"reasoning_effort": "minimal"}),
    ("https://api.openai.com/v1", "gpt-5-2025-08-07", {"reasoning_effort": "minimal"}),
    ("https://api.openai.com/v1", "gpt-4o-mini", {}),
    ("https://api.openai.com/v1", "gpt-5.1-chat-latest", {}),
]


@pytest.mark.parametrize(("url", "model", "fields"), OFF)
def test_thinking_is_switched_off_in_the_way_of_each_server(url, model, fields):
    body = sent_fields(f"openai:{model}", base_url=url, thinking="off")
    assert {name: value for name, value in body.items() if name not in ("max_tokens", "max_completion_tokens")} == {
        "stop": ["\n\nQ"],
        **fields,
    }
    assert 100 in body.values()


@pytest.mark.parametrize("model", ["o3", "o4-mini", "gpt-5-pro", "gpt-5.3-codex"])
def test_thinking_off_is_refused_for_models_that_always_think(model):
    with pytest.raises(UserError, match=f"{model} always thinks: drop thinking=off; effort=low is the least"):
        models.get(f"openai:{model}", thinking="off")


@pytest.mark.parametrize(
    ("spec", "url", "fields"),
    [
        ("openai:m", OWN, {"reasoning_effort": "low"}),
        ("openai:m", "https://openrouter.ai/api/v1", {"reasoning": {"effort": "low"}}),
        ("anthropic:claude-x", None, {"output_config": {"effort": "low"}}),
    ],
)
def test_effort_is_sent_by_the_name_that_the_api_has_for_it(spec, url, fields):
    assert sent_fields(spec, base_url=url, effort="low").items() >= fields.items()


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("claude-3-7-sonnet-20250219", {"type": "enabled", "budget_tokens": 2048}),
        ("claude-opus-4-20250514", {"type": "enabled", "budget_tokens": 2048}),
        ("claude-haiku-4-5", {"type": "enabled", "budget_tokens": 2048}),
        ("claude-sonnet-4-6", {"type": "enabled", "budget_tokens": 2048}),
        ("deepseek-v4-pro", {"type": "enabled", "budget_tokens": 2048}),
        ("claude-opus-4-7", {"type": "adaptive", "display": "summarized"}),
        ("claude-opus-4-10", {"type": "adaptive", "display": "summarized"}),
        ("claude-sonnet-5", {"type": "adaptive", "display": "summarized"}),
    ],
)
def test_claude_gets_a_budget_or_adaptive_thinking(model, fields):
    assert sent_fields(f"anthropic:{model}", thinking=2048) == {"max_tokens": 2148, "thinking": fields}
    assert sent_fields(f"anthropic:{model}", thinking=2048, effort="high")["output_config"] == {"effort": "high"}
    assert sent_fields(f"anthropic:{model}", thinking="off")["thinking"] == {"type": "disabled"}
    assert "thinking" not in sent_fields(f"anthropic:{model}")


def test_a_budget_under_claude_s_least_is_refused_unless_thinking_is_adaptive():
    with pytest.raises(UserError, match="claude-opus-4-5 needs thinking=1024 or more, got 1023"):
        models.get("anthropic:claude-opus-4-5", thinking=1023)
    assert sent_fields("anthropic:claude-opus-5", thinking=500)["max_tokens"] == 600


def test_claude_s_answer_is_not_prefilled_where_it_thinks():
    bodies = []
    prompt = Prompt((Part("query", "Whose?"), Part("prefill", "\n\nAnswer: <answer>")))

    def respond(body):
        bodies.append(body["messages"])
        return 200, json.loads(message(text_block("x")).body)

    for thinking in (None, 2048):
        Offline(models.get("anthropic:claude-opus-4-5", thinking=thinking), {}, respond).reply_to(Generate(prompt, 5))
    assert [[turn["role"] for turn in messages] for messages in bodies] == [["user", "assistant"], ["user"]]
    assert bodies[1][0]["content"] == "Whose?\n\nAnswer: <answer>"


@pytest.mark.parametrize(
    ("spec", "fields", "problem"),
    [
        ("openai:m", {"thinking": True}, "thinking=true does not say how much: give the number of tokens"),
        ("openai:m", {"thinking": 0}, "thinking must be at least 1, got 0"),
        ("openai:m", {"thinking": -5}, "thinking must be at least 1, got -5"),
        ("openai:m", {"thinking": "on"}, "thinking must be int or 'off' or None"),
        ("openai:m", {"thinking": "off", "effort": "low"}, "thinking=off for none: drop one of them"),
        ("openai:m", {"effort": " "}, "effort is empty: give one of the API's words"),
        ("openai:m", {"thinking": 2048, "prefill": "prefix"}, "prefill begins the answer"),
        ("openai:m", {"effort": "low", "extra": {"reasoning_effort": "high"}}, "extra has 'reasoning_effort', which "),
        ("anthropic:claude-x", {"thinking": 2048, "temperature": 1.0}, "drop temperature=1"),
        ("anthropic:claude-x", {"thinking": 2048, "extra": {"thinking": {"type": "x"}}}, "which thinking=2048 sends"),
    ],
)
def test_wrong_or_conflicting_fields_are_refused_at_once(spec, fields, problem):
    with pytest.raises(UserError, match=problem):
        models.get(spec, **fields)


def test_thinking_off_is_merged_with_other_template_arguments_but_conflicts_with_its_own():
    extra = {"chat_template_kwargs": {"date_string": "today"}, "seed": 3}
    body = sent_fields("openai:m", base_url=OWN, thinking="off", extra=extra)
    assert body["chat_template_kwargs"] == {"date_string": "today", "enable_thinking": False}
    assert body["seed"] == 3
    with pytest.raises(UserError, match="extra has 'chat_template_kwargs', which thinking=off sends"):
        models.get("openai:m", base_url=OWN, thinking="off", extra={"chat_template_kwargs": {"enable_thinking": True}})


@pytest.mark.parametrize("thinking", ["off", False])
def test_false_means_off_in_python_and_on_the_command_line(thinking):
    assert describe(models.get("openai:m", base_url=OWN, thinking=thinking))["thinking"] == "off"
    for word in ("off", "false"):
        assert describe(models.get(f"openai:m,base_url={OWN},thinking={word}"))["thinking"] == "off"


def test_a_model_that_thinks_although_it_is_switched_off_is_noted_once(server, capsys):
    server.answer = lambda request, times: chat("<think>The mill.</think>Anna")
    replies = models.get("openai:m", base_url=server.url + "/v1", thinking="off").reply([STOPPED] * 3)
    assert {(reply.value, reply.thinking) for reply in replies} == {("Anna", "The mill.")}
    assert capsys.readouterr().err.count("m thinks although thinking=off was sent") == 1
    models.get("openai:m", base_url=server.url + "/v1", thinking=9).reply([STOPPED])
    assert capsys.readouterr().err == ""


def test_thinking_and_effort_are_described_only_where_they_are_set():
    for spec in ("openai:m", "anthropic:claude-x"):
        assert not {"thinking", "effort"} & describe(models.get(spec)).keys()
        reader = models.get(spec, thinking=2048, effort="low")
        assert describe(reader).items() >= {"thinking": 2048, "effort": "low"}.items()
        assert describe(models.get(describe(reader))) == describe(reader)


def test_the_window_has_room_for_thinking(server):
    reader = models.get("openai:m", base_url=server.url + "/v1", window=4_000, thinking=2_000)
    assert reader.thinking_tokens == 2_000
    assert reader.prompt_limit(100) == int(0.8 * (4_000 - 2_000 - 100 - 128))
    (reply,) = reader.reply([Generate(DOCUMENT, 100)])
    assert reply.error is None and reply.truncated_tokens > 7_000
    assert server.received[0].body["max_tokens"] == 2_100
    (full,) = reader.reply([Generate(DOCUMENT, 3_900)])
    assert full.error == (
        "an output of 3900 tokens, thinking=2000 and 128 for the chat template fill the window of 4000, which holds "
        "the prompt too: lower max_new_tokens or thinking"
    )


def test_the_timeout_grows_with_thinking(monkeypatch):
    waits = []
    reader = models.get("openai:m", base_url=OWN, thinking=8_092, timeout=10.0)
    monkeypatch.setattr(type(reader), "_ask", lambda self, *arguments: waits.append(arguments[-1]) or 1 / 0)
    reader.reply([Generate("a", 100)])
    assert waits == [20.0]


@pytest.mark.parametrize(
    ("spec", "fields", "words"),
    [
        ("openai:m", {"effort": "none"}, "Unsupported value: 'reasoning_effort' does not support 'none'"),
        ("openai:m", {"thinking": "off"}, "chat template: enable_thinking is not known"),
        ("anthropic:claude-x", {"thinking": "off"}, "thinking.type: disabled is not supported"),
    ],
)
def test_a_server_that_refuses_thinking_or_effort_ends_the_run_with_advice(server, spec, fields, words):
    server.answer = lambda request, times: failure(400, words)
    url = server.url + ("/v1" if spec.startswith("openai") else "")
    ((name, value),) = fields.items()
    with pytest.raises(UserError, match=f"does not take {name}={value} .*: give another {name}, or leave it out"):
        models.get(spec, base_url=url, **fields).reply([Generate("a", 5)])
    (reply,) = models.get(spec, base_url=url).reply([Generate("a", 5)])
    assert "HTTP 400" in reply.error
