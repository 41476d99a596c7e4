"""The reader behind OpenAI's Responses API, against a server of its wire format."""

import hashlib

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate, Reader
from models.apis.sending.offline import Offline
from models.prompts import Part, Prompt
from pipelines.plugins.providers.readers.responses import Responses
from tests.api_server import Answer, ApiServer, failure, json_answer, message_item, response

KEY = "sk-secret-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server():
    """A server that repeats the prompt in capitals, unless a test sets another answer."""
    server = ApiServer(lambda request, times: response(message_item(request.prompt.upper())))
    yield server
    server.close()


def make_reader(server, **fields):
    return models.get("responses:gpt-x", **{"base_url": server.url + "/v1", "max_retries": 1} | fields)


def ask(server, *prompts, **fields):
    return make_reader(server, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def test_a_request_has_the_form_of_the_api(server):
    reader = make_reader(server, system="Be brief.", extra={"service_tier": "flex"})
    (reply,) = reader.reply([Generate("who?", 5, stop=("O",))])
    (request,) = server.received
    assert request.path == "/v1/responses"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "gpt-x",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "who?"}],
        "max_output_tokens": 5,
        "temperature": 0.0,
        "truncation": "disabled",
        "store": False,
        "service_tier": "flex",
    }
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == ("WH", 7, 2, "stop")


def test_openai_gets_a_cache_key_per_document():
    book = "A word. " * 600  # 1,200 tokens as they are estimated
    prompt = Prompt((Part("document", book, 0, len(book)), Part("query", "\nwho?")))
    for url, key in (
        ("https://api.openai.com/v1", hashlib.sha256(book.encode()).hexdigest()[:32]),
        ("http://a:1/v1", None),
    ):
        sent = []

        def respond(body, sent=sent):
            sent.append(body)
            return 200, {"object": "response", "status": "completed", "output": [message_item("x")]}

        offline = Offline(models.get("responses:gpt-x", base_url=url), {}, respond)
        assert offline.reply_to(Generate(prompt, 5)).value == "x"
        assert sent[0].get("prompt_cache_key") == key


@pytest.mark.parametrize(
    ("fields", "reasoning"),
    [
        ({"effort": "low"}, {"effort": "low"}),
        ({"thinking": "off"}, {"effort": "none"}),
        ({"thinking": 100}, None),
        ({"effort": "low", "extra": {"reasoning": {"summary": "auto"}}}, {"effort": "low", "summary": "auto"}),
    ],
)
def test_thinking_is_sent_as_the_api_s_reasoning_field(server, fields, reasoning):
    ask(server, "who?", **fields)
    body = server.received[0].body
    assert body.get("reasoning") == reasoning
    assert body["max_output_tokens"] == (105 if fields.get("thinking") == 100 else 5)


def test_thinking_off_becomes_what_each_openai_model_accepts():
    own = {"base_url": "https://api.openai.com/v1"}
    assert Responses("gpt-5-mini", thinking="off", **own)._body == {"reasoning": {"effort": "minimal"}}
    assert Responses("gpt-4.1", thinking="off", **own)._body == {}
    with pytest.raises(UserError, match="o3 always thinks"):
        Responses("o3", thinking="off", **own)


class RecordingClient:
    """A client that keeps the body of its last request."""

    def post(self, path, *, body, **options):
        self.fields = body


@pytest.mark.parametrize(("url", "least"), [("https://api.openai.com/v1", 16), ("http://127.0.0.1:8000/v1", 3)])
def test_openai_s_own_server_is_asked_for_at_least_16_tokens(url, least):
    client = RecordingClient()
    Responses("gpt-x", base_url=url)._ask(client, [], Generate("who?", 3), 1, 5.0)
    assert client.fields["max_output_tokens"] == least


def reasoning_item(*texts):
    return {"id": "t", "type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in texts]}


def test_thinking_and_its_tokens_are_kept_apart_from_the_output(server):
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 25},
    }
    raw_reasoning = {
        "id": "t",
        "type": "reasoning",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "Or the inn."}],
    }
    server.answer = lambda request, times: json_answer(
        {
            "model": "m",
            "status": "completed",
            "output": [reasoning_item("The mill."), raw_reasoning, message_item("Anna")],
            "usage": usage,
        }
    )
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.thinking) == ("Anna", "The mill.\n\nOr the inn.")
    assert (reply.tokens_in, reply.cached_tokens, reply.tokens_out, reply.reasoning_tokens) == (9, 4, 30, 25)


def test_token_details_larger_than_their_total_are_cut_to_it(server):
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 99},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 99},
    }
    server.answer = lambda request, times: json_answer({"output": [message_item("Anna")], "usage": usage})
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.cached_tokens, reply.reasoning_tokens) == ("Anna", 9, 3)


def incomplete(reason, *items):
    details = None if reason is None else {"reason": reason}
    return response(*items, status="incomplete", incomplete_details=details)


@pytest.mark.parametrize(
    ("answer", "value", "reason"),
    [
        (incomplete("max_output_tokens", message_item("par")), "par", "length"),
        (incomplete("max_output_tokens", reasoning_item("hm")), "", "length"),
        (incomplete("max_output_tokens"), "", "length"),
        (incomplete("content_filter", message_item("par")), "par", "refusal"),
        (incomplete("content_filter"), "", "refusal"),
        (incomplete("max_patience", message_item("par")), "par", "unknown"),
        (incomplete(None, message_item("par")), "par", "length"),
        (response(message_item("I can't.", "refusal")), "I can't.", "refusal"),
        (response(reasoning_item("hm")), "", "stop"),
        (response(message_item("An"), message_item("na")), "Anna", "stop"),
    ],
)
def test_every_status_gives_an_output(server, answer, value, reason):
    server.answer = lambda request, times: answer
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.finish_reason, reply.error) == (value, reason, None)
    assert reply.served.get("finish_reasons", ()) == (("max_patience",) if reason == "unknown" else ())


CALL = {"id": "c", "type": "function_call", "name": "search", "arguments": "{}", "call_id": "1"}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (response(CALL), "the reply calls a tool (search) instead of answering"),
        (response(message_item("Wait."), {"id": "w", "type": "web_search_call", "status": "completed"}),
         "the reply calls a tool (web_search_call) instead of answering"),
        (response(status="failed", error={"code": "server_error", "message": "out of order"}), "out of order"),
        (response(message_item("x"), status="failed", error={"code": "server_error", "message": "out of order"}),
         "the reply is not an answer, since the server failed: out of order"),
        (response(message_item("x"), status="in_progress"), "the reply is not an answer: its status is 'in_progress'"),
        (response(status="cancelled"), "the reply is not an answer: its status is 'cancelled'"),
        (response(), "the reply holds no text"),
        (json_answer({"error": {"message": "no capacity"}}), "answered with an error: no capacity"),
        (json_answer({"output": "text"}), "instead of the API's JSON"),
        (json_answer({"choices": []}), "instead of the API's JSON"),
        (Answer(b"<html>Sign in</html>", kind="text/html"), "answered with HTML instead of the API's JSON"),
        (failure(400, "Your input exceeds the context window of this model."), "(window=TOKENS cuts prompts"),
    ],
)  # fmt: skip
def test_a_failed_request_has_its_own_error_and_the_others_succeed(server, answer, problem):
    server.answer = lambda request, times: answer if request.prompt == "bad" else response(message_item("good"))
    good, bad, last = ask(server, "a", "bad", "b", max_retries=0)
    assert (good.value, last.value) == ("good", "good")
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert problem in bad.error


def test_a_server_that_does_not_know_truncation_is_asked_without_it(server, capsys):
    def answer(request, times):
        is_accepted = "truncation" not in request.body
        return response(message_item("x")) if is_accepted else failure(400, "Unknown parameter: 'truncation'.")

    server.answer = answer
    assert [reply.value for reply in ask(server, "a", "b", concurrency=1)] == ["x", "x"]
    assert len(server.received) == 3
    assert (
        "does not accept truncation: it is left out; prompts that are cut are still noticed" in capsys.readouterr().err
    )


def test_several_outputs_are_asked_for_one_by_one(server):
    server.answer = lambda request, times: response(message_item(f"text {times}"))
    (reply,) = make_reader(server).reply([Generate("who?", 5, n=2)])
    assert (reply.value, reply.tokens_in, reply.tokens_out) == (("text 0", "text 1"), 14, 4)


def test_choices_are_sent_as_a_schema_unless_structured_is_off(server):
    choices = Generate("who?", 40, choices=("Anna", "Tom"))
    make_reader(server).reply([choices])
    make_reader(server, structured=False).reply([choices])
    first, second = (request.body for request in server.received)
    schema_format = first["text"]["format"]
    assert (schema_format["type"], schema_format["name"], schema_format["strict"]) == ("json_schema", "label", True)
    assert schema_format["schema"]["properties"] == {"label": {"type": "string", "enum": ["Anna", "Tom"]}}
    assert "text" not in second


def test_the_reader_keeps_the_contract_and_can_be_rebuilt_from_its_description(server):
    reader = make_reader(server, prices={"input": 1.0, "output": 10.0}, max_cost=1.5)
    assert isinstance(reader, Reader)
    assert describe(models.get(describe(reader))) == describe(reader)
    assert KEY not in repr(reader) + str(describe(reader)) + str(reader.resolve())
    reader.reply([Generate("a", 5)])
    assert reader.spent == pytest.approx(27e-6)


def test_the_provider_needs_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UserError, match="the reader responses needs a key: export OPENAI_API_KEY=KEY"):
        models.get("responses:gpt-x").resolve()
