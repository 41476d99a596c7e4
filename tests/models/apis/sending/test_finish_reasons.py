"""Why outputs ended, in OpenAI's and Anthropic's words: a known reason, or "unknown" with the word of the server."""

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
    """A function that returns a reader's reply where its server sends an answer."""
    servers = []

    def ask(name, answer):
        servers.append(ApiServer(lambda request, times: answer))
        reader = models.get(name, model="m", base_url=base_of(name, servers[-1].url), max_retries=0)
        return reader.reply([Generate("who?", 5)])[0]

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
def test_the_word_of_a_server_becomes_a_finish_reason(reply_to, word, end):
    reply = reply_to("openai", chat("par", finish=word))
    assert (reply.value, reply.finish_reason, reply.error) == ("par", end, None)
    assert reply.served.get("finish_reasons", ()) == (("repetition",) if end == "unknown" else ())


def test_an_unknown_stop_reason_is_kept_beside_the_reply(reply_to):
    reply = reply_to("anthropic", message(text_block("par"), stop="pause_turn"))
    assert (reply.value, reply.finish_reason) == ("par", "unknown")
    assert reply.served["finish_reasons"] == ("pause_turn",)


def choice(finish="stop", **fields):
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": None} | fields}
    return {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}


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
def test_a_reply_without_an_answer_is_an_error_that_says_why(reply_to, name, answer, problem):
    reply = reply_to(name, answer)
    assert (reply.value, reply.finish_reason) == (None, "error")
    assert problem in reply.error


@pytest.mark.parametrize("calls", [None, [], {}])
def test_an_empty_list_of_tool_calls_is_ignored(reply_to, calls):
    assert reply_to("openai", json_answer(choice(content="Anna", tool_calls=calls))).value == "Anna"


def test_an_empty_error_field_is_ignored(reply_to):
    assert reply_to("openai", json_answer(choice(content="Anna") | {"error": None})).value == "Anna"


def test_several_outputs_have_the_worst_of_their_finish_reasons():
    assert finish_reasons.common_reason(["stop", "unknown", "length"]) == "length"
    assert finish_reasons.common_reason(["stop", "unknown"]) == "unknown"
    assert finish_reasons.common_reason(["length", "refusal"]) == "refusal"
    assert finish_reasons.common_reason([]) == "stop"


def test_every_field_that_can_be_left_out_has_a_note_on_what_follows():
    readers = [models.registry.component(name) for name in ("openai", "anthropic", "responses", "ollama")]
    fields = [(name, replacement) for reader in readers for name, replacement in reader.replacements.items()]
    assert {name for name, replacement in fields if replacement is None} == set(WHAT_FOLLOWS)
