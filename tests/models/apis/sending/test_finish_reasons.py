"""Why outputs ended, at readers in OpenAI's and Anthropic's form: every word is known, or named."""

import pytest

import models
from models import Generate
from models.apis.sending import finish_reasons
from models.apis.sending.accepted_fields import WHAT_FOLLOWS
from tests.api_server import ApiServer, base_of, chat, json_answer, message, text_block


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def reply_to():
    """The reply of a reader to an answer."""
    servers = []

    def ask(name, answer):
        servers.append(ApiServer(lambda request, times: answer))
        made = models.get(name, model="m", base_url=base_of(name, servers[-1].url), max_retries=0)
        return made.reply([Generate("who?", 5)])[0]

    yield ask
    for server in servers:
        server.close()


@pytest.mark.parametrize(
    ("word", "end"),
    [
        ("stop", "stop"),
        (None, "stop"),
        ("", "stop"),
        ("eos", "stop"),
        ("STOP", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("content_filter", "refusal"),
        ("SAFETY", "refusal"),
        ("repetition", "unknown"),
    ],
)
def test_the_word_of_a_server_is_one_of_the_reply_s(reply_to, word, end):
    reply = reply_to("openai", chat("par", finish=word))
    assert (reply.value, reply.finish_reason, reply.error) == ("par", end, None)
    assert reply.served.get("finish_reasons", ()) == (("repetition",) if end == "unknown" else ())


def test_a_message_that_pauses_is_named(reply_to):
    reply = reply_to("anthropic", message(text_block("par"), stop="pause_turn"))
    assert (reply.value, reply.finish_reason) == ("par", "unknown")
    assert reply.served["finish_reasons"] == ("pause_turn",)


def choice(finish="stop", **fields):
    given = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": None} | fields}
    return {"model": "m", "choices": [given], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}


CALL = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("name", "answer", "problem"),
    [
        ("openai", json_answer(choice("tool_calls", tool_calls=[CALL])), "the reply calls a tool (search)"),
        ("openai", json_answer(choice("stop", content="Wait.", tool_calls=[CALL])), "the reply calls a tool (search)"),
        ("openai", json_answer(choice("tool_calls")), "the reply calls a tool instead of answering"),
        ("openai", json_answer(choice("stop", tool_calls=["x", {}])), "the reply calls a tool instead of answering"),
        ("openai", json_answer(choice("function_call", function_call={"name": "f"})), "the reply calls a tool (f)"),
        ("openai", json_answer(choice("error", content="par")), "its server failed (it ended with 'error')"),
        ("openai", json_answer(choice("insufficient_system_resource")), "its server had no capacity"),
        (
            "openai",
            json_answer({"choices": [choice("error")["choices"][0] | {"error": {"message": "upstream is gone"}}]}),
            "upstream is gone",
        ),
        ("openai", json_answer({"choices": [], "error": {"message": "no credit"}}), "no credit"),
        (
            "anthropic",
            message({"type": "tool_use", "id": "t", "name": "search", "input": {}}, stop="tool_use"),
            "the reply calls a tool (search)",
        ),
        ("anthropic", message(text_block("Wait."), stop="tool_use"), "the reply calls a tool instead of answering"),
        ("anthropic", json_answer({"type": "error", "error": {"message": "no credit"}}), "no credit"),
        ("anthropic", json_answer({"content": [], "error": {"message": "no credit"}}), "no credit"),
        ("anthropic", json_answer({"stop_reason": "refusal", "error": {"message": "no credit"}}), "no credit"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_request_that_says_why(reply_to, name, answer, problem):
    reply = reply_to(name, answer)
    assert (reply.value, reply.finish_reason) == (None, "error")
    assert problem in reply.error


@pytest.mark.parametrize("calls", [None, [], {}])
def test_no_tools_are_no_call(reply_to, calls):
    assert reply_to("openai", json_answer(choice(content="Anna", tool_calls=calls))).value == "Anna"


def test_an_error_that_is_none_is_none(reply_to):
    assert reply_to("openai", json_answer(choice(content="Anna") | {"error": None})).value == "Anna"


def test_of_several_outputs_the_worst_end_is_said():
    assert finish_reasons.common_reason(["stop", "unknown", "length"]) == "length"
    assert finish_reasons.common_reason(["stop", "unknown"]) == "unknown"
    assert finish_reasons.common_reason(["length", "refusal"]) == "refusal"
    assert finish_reasons.common_reason([]) == "stop"


def test_what_follows_is_said_of_every_field_that_is_left_out():
    readers = [models.registry.component(name) for name in ("openai", "anthropic", "responses", "ollama")]
    assert {name for one in readers for name, other in one.replacements.items() if other is None} == set(WHAT_FOLLOWS)
