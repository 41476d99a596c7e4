"""The reader behind Anthropic's API, against a server of its wire format."""

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate, Part, Prompt, Reader
from tests.api_server import Answer, ApiServer, failure, json_answer, message, text_block

KEY = "sk-ant-secret-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    """A server that repeats the prompt in capitals, unless a test sets another answer."""
    server = ApiServer(lambda request, times: message(text_block(request.prompt.upper())))
    yield server
    server.close()


def make_reader(server, **fields):
    return models.get("anthropic:claude-x", base_url=server.url, **{"max_retries": 1} | fields)


def ask(server, *prompts, **fields):
    return make_reader(server, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def test_a_request_has_the_form_of_the_api(server):
    reader = make_reader(server, system="Be brief.", temperature=0.5, extra={"metadata": {"user_id": "u"}})
    (reply,) = reader.reply([Generate("who?", 100_000, stop=("\n", "END"))])
    (request,) = server.received
    assert request.path == "/v1/messages"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "claude-x",
        "max_tokens": 100_000,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "who?"}],
        "stop_sequences": ["END"],  # the API refuses white space alone
        "temperature": 0.5,
        "metadata": {"user_id": "u"},
    }
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == ("WHO?", 7, 2, "stop")


def test_only_the_required_fields_are_sent_by_default(server):
    ask(server, "who?")
    assert set(server.received[0].body) == {"model", "max_tokens", "messages"}


PREFILLED = Prompt((Part("document", "A mill."), Part("query", "\n\nWhose?"), Part("prefill", "\n\nAnswer: <answer>")))


def test_the_assistant_s_turn_begins_with_the_prompt_s_prefill(server):
    ask(server, PREFILLED, "who?")
    ask(server, PREFILLED, prefill=False)
    assert sorted([request.body["messages"] for request in server.received], key=str) == [
        [{"role": "user", "content": "A mill.\n\nWhose?"}, {"role": "assistant", "content": "Answer: <answer>"}],
        [{"role": "user", "content": "A mill.\n\nWhose?\n\nAnswer: <answer>"}],
        [{"role": "user", "content": "who?"}],
    ]


def test_a_model_that_refuses_prefill_ends_the_run_with_what_to_change(server):
    server.answer = lambda request, times: failure(400, "This model does not support assistant message prefill.")
    with pytest.raises(UserError, match=r"does not support assistant message prefill.*: switch prefill off"):
        ask(server, PREFILLED)
    (reply,) = ask(server, PREFILLED, prefill=False)
    assert "HTTP 400" in reply.error


def test_the_reader_keeps_the_contract_and_can_be_rebuilt_from_its_description(server):
    reader = make_reader(server)
    assert isinstance(reader, Reader)
    assert describe(models.get(describe(reader))) == describe(reader)
    assert KEY not in repr(reader) + str(describe(reader)) + str(reader.resolve())
    assert reader.resolve()["base_url"] == server.url


def test_stop_strings_of_white_space_are_applied_by_the_reader(server):
    server.answer = lambda request, times: message(text_block("one\ntwo"))
    (reply,) = make_reader(server).reply([Generate("who?", 5, stop=("\n",))])
    assert (reply.value, reply.finish_reason) == ("one", "stop")


def test_text_blocks_are_joined_and_thinking_is_kept_apart(server):
    thought = {"type": "thinking", "thinking": "The mill.", "signature": "s"}
    server.answer = lambda request, times: message(thought, text_block("An"), text_block("na"))
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.thinking) == ("Anna", "The mill.")


THOUGHT = {"type": "thinking", "thinking": "The mill.", "signature": "s"}
REDACTED = {"type": "redacted_thinking", "data": "c2VjcmV0"}


@pytest.mark.parametrize(
    ("blocks", "thinking"),
    [
        ([THOUGHT], "The mill."),
        ([REDACTED], ""),
        ([THOUGHT, REDACTED, THOUGHT | {"thinking": "Or the inn."}], "The mill.\n\nOr the inn."),
        ([THOUGHT | {"thinking": None}, {"type": "text", "text": None}], ""),
    ],
)
@pytest.mark.parametrize(("stop", "reason"), [("end_turn", "stop"), ("max_tokens", "length")])
def test_a_message_that_only_thinks_is_an_empty_output_and_no_error(server, blocks, thinking, stop, reason):
    server.answer = lambda request, times: message(*blocks, stop=stop)
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.thinking, reply.finish_reason, reply.error) == ("", thinking, reason, None)


@pytest.mark.parametrize(("details", "tokens"), [({"thinking_tokens": 5}, 5), ({"thinking_tokens": 99}, 8), (None, 0)])
def test_thinking_tokens_are_at_most_the_output_tokens(server, details, tokens):
    usage = {"input_tokens": 3, "output_tokens": 8, "output_tokens_details": details}
    record = {"content": [THOUGHT, text_block("x")], "stop_reason": "end_turn", "usage": usage}
    server.answer = lambda request, times: json_answer(record)
    (reply,) = ask(server, "who?")
    assert (reply.tokens_out, reply.reasoning_tokens) == (8, tokens)


def test_a_message_without_content_that_was_cut_is_an_empty_output(server):
    server.answer = lambda request, times: json_answer({"content": None, "stop_reason": "max_tokens", "usage": None})
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.finish_reason, reply.error) == ("", "length", None)


@pytest.mark.parametrize(
    ("blocks", "stop", "value", "reason"),
    [
        ([text_block("par")], "max_tokens", "par", "length"),
        ([], "max_tokens", "", "length"),
        ([text_block("par")], "model_context_window_exceeded", "par", "length"),
        ([text_block("par")], "stop_sequence", "par", "stop"),
        ([text_block("I can't.")], "refusal", "I can't.", "refusal"),
        ([], "refusal", "", "refusal"),
    ],
)
def test_every_stop_reason_gives_an_output(server, blocks, stop, value, reason):
    server.answer = lambda request, times: message(*blocks, stop=stop)
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.finish_reason, reply.error) == (value, reason, None)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (message(), "the reply holds no text"),
        (Answer(b"<html></html>", kind="text/html"), "answered with HTML instead of the API's JSON"),
        (Answer(b'{"content": ['), "sent no readable reply"),
        (json_answer({"type": "message", "content": None}), "answered with something else instead of the API's JSON"),
        (failure(400, "prompt is too long: 9 > 8"), "HTTP 400: prompt is too long: 9 > 8"),
        (failure(529, "Overloaded"), "HTTP 529: Overloaded"),
        (message(text_block("lost"), missing_bytes=9), "the connection to http://127.0.0.1:"),
    ],
)  # fmt: skip
def test_a_failed_request_has_its_own_error_and_the_others_succeed(server, answer, problem):
    server.answer = lambda request, times: answer if request.prompt == "bad" else message(text_block("good"))
    good, bad = ask(server, "a", "bad", max_retries=0)
    assert good.value == "good"
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert problem in bad.error


def test_the_wait_that_a_server_asks_for_is_kept(server):
    busy = failure(429, "slow down", headers={"Retry-After": "1"})
    server.answer = lambda request, times: busy if times == 0 else message(text_block("done"))
    (reply,) = ask(server, "who?")
    first, second = server.received
    assert reply.value == "done"
    assert second.time - first.time >= 1.0


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_ends_the_run_at_once_and_is_never_shown(server, status):
    server.answer = lambda request, times: failure(status, f"invalid x-api-key {KEY}")
    with pytest.raises(UserError, match=f"rejects the key in ANTHROPIC_API_KEY .HTTP {status}") as caught:
        ask(server, *(f"p{i}" for i in range(9)), concurrency=1)
    assert KEY not in str(caught.value)
    assert len(server.received) == 1


def test_a_refused_temperature_ends_the_run_with_what_to_type(server):
    server.answer = lambda request, times: failure(400, "`temperature` is deprecated for this model.")
    with pytest.raises(UserError, match="give temperature=null"):
        ask(server, "a", temperature=0.0)


def test_the_provider_needs_a_key(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with pytest.raises(UserError, match="needs a key: export ANTHROPIC_API_KEY=KEY"):
        models.get("anthropic:claude-x").resolve()


def test_several_outputs_are_asked_for_one_by_one(server):
    server.answer = lambda request, times: message(text_block(f"text {times}"))
    (reply,) = make_reader(server).reply([Generate("who?", 5, n=2)])
    assert (reply.value, reply.tokens_in, reply.tokens_out) == (("text 0", "text 1"), 14, 4)


def test_cached_prompt_tokens_are_counted(server):
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "cache_creation_input_tokens": None, "output_tokens": 1}
    server.answer = lambda request, times: json_answer(
        {"content": [text_block("x")], "stop_reason": "end_turn", "usage": usage}
    )
    reader = make_reader(server, prices={"input": 1.0, "output": 1.0})
    assert reader.reply([Generate("a", 5)])[0].tokens_in == 43
    assert reader.spent == pytest.approx(44e-6)


BOOK = "A word. " * 600  # 1,200 tokens as they are estimated


def document_prompt(document, question):
    parts = Part("instruction", "Answer.\n"), Part("document", document, 0, len(document)), Part("query", question)
    return Prompt(parts)


def test_a_document_that_several_requests_show_is_marked_and_read_once(server):
    server.answer = lambda request, times: message(text_block("x"))
    ask(
        server,
        document_prompt(BOOK, "\nwho?"),
        document_prompt(BOOK, "\nwhen?"),
        document_prompt("B" + BOOK, "\nwho?"),
        document_prompt("Short.", "\nwho?"),
    )
    contents = [request.body["messages"][0]["content"] for request in server.received]
    marked = [content for content in contents if isinstance(content, list)]
    first = {"type": "text", "text": "Answer.\n" + BOOK, "cache_control": {"type": "ephemeral"}}
    assert sorted(marked, key=str) == [
        [first, {"type": "text", "text": "\nwhen?"}],
        [first, {"type": "text", "text": "\nwho?"}],
    ]
    assert sorted(content for content in contents if isinstance(content, str)) == [
        f"Answer.\nB{BOOK}\nwho?",
        "Answer.\nShort.\nwho?",
    ]
