"""The reader behind Ollama's own API, against a server of its wire format."""

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate, Part, Prompt, Reader
from tests.api_server import Answer, ApiServer, failure, json_answer, ollama

KEY = "sk-secret-0123456789"
SHOW = "/api/show"


def show_page(length):
    """The answer to `POST /api/show` for a model trained on `length` tokens; its default window is smaller."""
    return json_answer({"parameters": "num_ctx 2048\nstop <end>", "model_info": {"llama.context_length": length}})


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("time.sleep", lambda seconds: None)


@pytest.fixture
def server():
    """A server that repeats the prompt in capitals unless a test sets another answer; its model takes 32,768 tokens."""
    server = ApiServer(lambda request, times: ollama(request.prompt.upper()), {SHOW: show_page(32768)})
    yield server
    server.close()


def make_reader(server, **fields):
    return models.get("ollama:qwen3:8b", **{"base_url": server.url, "max_retries": 2} | fields)


def ask(server, *prompts, **fields):
    return make_reader(server, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def test_a_request_has_the_form_of_the_api(server):
    fields = {"system": "Be brief.", "window": 8000, "extra": {"keep_alive": "1h", "options": {"seed": 3}}}
    (reply,) = make_reader(server, **fields).reply([Generate("who?", 5, stop=("\n", "END"))])
    (request,) = server.received
    assert request.path == "/api/chat"
    assert "authorization" not in request.headers
    assert request.body == {
        "model": "qwen3:8b",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "who?"}],
        "stream": False,
        "truncate": False,
        "shift": False,
        "keep_alive": "1h",
        "options": {"num_ctx": 8000, "num_predict": 5, "temperature": 0.0, "stop": ["\n", "END"], "seed": 3},
    }
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.finish_reason) == ("WHO?", 7, 2, "stop")
    assert (reply.error, reply.thinking, reply.served) == (None, "", {"models": ("served-model",)})


def test_without_a_window_num_ctx_fits_the_longest_prompt_so_far_up_to_the_model_s_length(server):
    reader = make_reader(server)
    sizes = [
        (100, 4096),
        (4 * 3000, 4096),  # 3,000 tokens, a quarter more as they are estimated, 128 for the template, 5 to write
        (4 * 3200, 8192),
        (100, 8192),  # a smaller window would make the server load the model again
        (4 * 90_000, 32768),
    ]
    for length, _ in sizes:
        reader.reply([Generate("a" * length, 5)])
    assert [request.body["options"]["num_ctx"] for request in server.received] == [size for _, size in sizes]


@pytest.mark.parametrize("page", [failure(404, "no such path"), json_answer(["list"]), Answer(b"<html>"), None])
def test_a_server_that_does_not_say_the_model_s_length_sets_no_bound(server, page):
    server.pages = {SHOW: page} if page else {}
    server.answer = lambda request, times: ollama("x") if request.path == "/api/chat" else failure(500, "broken")
    (reply,) = ask(server, "a" * 400_000)
    assert reply.value == "x"
    assert server.received[-1].body["options"]["num_ctx"] == 131072


def test_a_prompt_is_cut_to_the_window_by_the_reader(server):
    prompt = Prompt((Part("query", "who? "), Part("document", "abc " * 1000, 0, 4000)))
    (reply,) = make_reader(server, window=300).reply([Generate(prompt, 5)])
    assert len(server.prompts[0]) < 4 * 300
    assert reply.truncated_tokens > 800
    assert server.received[0].body["options"]["num_ctx"] == 300


def test_a_window_over_the_model_s_length_is_reported(server, capsys):
    ask(server, "who?", window=40_000)
    assert "window=40000 is more than the server's context window of 32,768 tokens" in capsys.readouterr().err
    ask(server, "who?", window=32_768)
    assert capsys.readouterr().err == ""
    ask(server, "who?")
    notice = "longdoc: The server's context window is 32,768 tokens; longer prompts are shortened to fit.\n"
    assert capsys.readouterr().err == notice


@pytest.mark.parametrize(
    ("fields", "think"), [({"thinking": 100}, True), ({"thinking": "off"}, False), ({"effort": "low"}, "low")]
)
def test_thinking_is_sent_in_a_field_of_its_own(server, fields, think):
    server.answer = lambda request, times: ollama("Anna END", thinking=" The mill. END ")
    (reply,) = make_reader(server, **fields).reply([Generate("who?", 5, stop=("END",))])
    body = server.received[0].body
    assert body["think"] is think or body["think"] == think
    assert body["options"]["num_predict"] == (105 if fields.get("thinking") == 100 else 5)
    assert ("stop" in body["options"]) is (fields.get("thinking") != 100)
    assert (reply.value, reply.thinking) == ("Anna ", "The mill. END")


def test_a_model_that_cannot_think_ends_the_run_with_what_to_type(server):
    server.answer = lambda request, times: json_answer({"error": '"qwen3:8b" does not support thinking'}, status=400)
    with pytest.raises(UserError, match=r"does not take thinking=100 .*does not support thinking.*leave it out"):
        ask(server, "who?", thinking=100)


@pytest.mark.parametrize(
    ("answer", "value", "reason"),
    [
        (ollama("par", done="length"), "par", "length"),
        (ollama("", done="length", thinking="hm"), "", "length"),
        (ollama(None, thinking="hm"), "", "stop"),
        (ollama("", done="stop"), "", "stop"),
        (ollama("yes", done=None), "yes", "stop"),
        (ollama("yes", done="spent"), "yes", "unknown"),
    ],
)
def test_every_done_reason_gives_an_output(server, answer, value, reason):
    server.answer = lambda request, times: answer
    (reply,) = ask(server, "who?")
    assert (reply.value, reply.finish_reason, reply.error) == (value, reason, None)
    assert reply.served.get("finish_reasons", ()) == (("spent",) if reason == "unknown" else ())


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (ollama("", done="load"), "its server only loaded the model (it ended with 'load')"),
        (ollama("", done="unload"), "its server only unloaded the model (it ended with 'unload')"),
        (ollama(None), "the reply holds no text"),
        (
            ollama("", tool_calls=[{"function": {"name": "search"}}]),
            "the reply calls a tool (search) instead of answering",
        ),
        (json_answer({"message": {"content": "Kyi"}, "done": False}), "the reply is not done"),
        (json_answer({"error": "model runner has stopped"}), "answered with an error: model runner has stopped"),
        (json_answer({"error": "out of memory", "message": {"content": "x"}}), "answered with an error: out of memory"),
        (json_answer({"response": "x"}), "instead of the API's JSON: is base_url right?"),
        (failure(500, "llama runner process has terminated"), "HTTP 500: llama runner process has terminated"),
        (json_answer({"error": "server busy"}, status=503), "HTTP 503: server busy"),
        (Answer(b"<html>Sign in</html>", kind="text/html"), "answered with HTML instead of the API's JSON"),
        (Answer(b"<html>Sign in</html>"), "sent no readable reply"),
        (Answer(b"", status=502), "HTTP 502: Bad Gateway"),
    ],
)
def test_a_failed_request_has_its_own_error_and_the_others_succeed(server, answer, problem):
    server.answer = lambda request, times: answer if request.prompt == "bad" else ollama("good")
    good, bad, last = ask(server, "a", "bad", "b", max_retries=1)
    assert (good.value, last.value) == ("good", "good")
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert problem in bad.error


def test_a_prompt_that_the_server_refuses_to_cut_is_an_error_that_names_the_window(server):
    server.answer = lambda request, times: json_answer(
        {"error": "the input length exceeds the context length"}, status=400
    )
    (reply,) = ask(server, "who?")
    assert reply.error == (
        "HTTP 400: the input length exceeds the context length (give a smaller window=, or tokenizer=FOLDER of the "
        "served model)"
    )


def test_a_server_that_refuses_num_ctx_is_asked_without_it_and_this_is_reported_once(server, capsys):
    def answer(request, times):
        is_accepted = "num_ctx" not in request.body["options"]
        return ollama("x") if is_accepted else json_answer({"error": "invalid option: num_ctx"}, status=400)

    server.answer = answer
    replies = ask(server, *(f"p{i}" for i in range(5)), concurrency=1)
    assert [reply.value for reply in replies] == ["x"] * 5
    assert len(server.received) == 6
    notice = (
        f"longdoc: {server.url} does not accept num_ctx: its own context window applies; give it as window=TOKENS\n"
    )
    assert capsys.readouterr().err.endswith(notice)
    (reply,) = ask(server, "p", extra={"options": {"num_ctx": 99}})  # the user's own is never left out
    assert "HTTP 400: invalid option: num_ctx" in reply.error


def test_a_busy_server_is_asked_again(server):
    server.answer = lambda request, times: failure(503, "loading") if times < 2 else ollama("done")
    assert ask(server, "who?")[0].value == "done"
    assert len(server.received) == 3


def test_a_missing_model_ends_the_run(server):
    server.answer = lambda request, times: json_answer({"error": "model 'qwen3:8b' not found"}, status=404)
    with pytest.raises(UserError, match=r"no model 'qwen3:8b' .HTTP 404: model 'qwen3:8b' not found"):
        ask(server, "who?")


def test_several_outputs_are_asked_for_one_by_one(server):
    server.answer = lambda request, times: ollama(f"text {times}")
    (reply,) = make_reader(server).reply([Generate("who?", 5, n=2)])
    assert (reply.value, reply.tokens_in, reply.tokens_out) == (("text 0", "text 1"), 14, 4)


def test_choices_are_sent_as_a_schema_unless_structured_is_off(server):
    choices = Generate("who?", 40, choices=("Anna", "Tom"))
    make_reader(server).reply([choices])
    make_reader(server, structured=False).reply([choices])
    first, second = (request.body for request in server.received)
    assert first["format"]["properties"] == {"label": {"type": "string", "enum": ["Anna", "Tom"]}}
    assert "format" not in second


def test_several_servers_share_the_requests_and_prices_count(server):
    reader = make_reader(
        server, base_url=[server.url], prices={"input": 1.0, "output": 10.0}, max_cost=50e-6, concurrency=1
    )
    server.pages["/api/version"] = json_answer({"version": "0.13.1"})
    replies = reader.reply([Generate(f"p{i}", 5) for i in range(3)])
    assert [reply.finish_reason for reply in replies] == ["stop", "stop", "unasked"]
    assert replies[0].served == {"models": ("served-model",), "servers": (server.url,), "versions": ("0.13.1",)}
    assert reader.spent == pytest.approx(54e-6)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        (None, "http://127.0.0.1:11434"),
        ("gpu1", "http://gpu1:11434"),
        ("gpu1:8000", "http://gpu1:8000"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104
        (":8000", "http://127.0.0.1:8000"),
        ("[::]:8000", "http://[::1]:8000"),
        ("https://gpu1/ollama", "https://gpu1/ollama"),
    ],
)
def test_the_address_may_come_from_the_environment_in_ollama_s_notation(monkeypatch, host, url):
    if host is not None:
        monkeypatch.setenv("OLLAMA_HOST", host)
    assert models.get("ollama:m").urls == (url,)
    models.get("ollama:m").resolve()  # no key is needed


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/api"])
def test_an_address_of_another_api_is_refused_with_the_right_one(end):
    with pytest.raises(UserError, match=r": base_url=http://127\.0\.0\.1:11434$"):
        models.get("ollama:m", base_url=f"http://127.0.0.1:11434{end}")


def test_options_that_are_not_a_mapping_are_refused():
    with pytest.raises(UserError, match="options in extra are a mapping"):
        models.get("ollama:m", extra={"options": 5})


def test_a_key_in_the_environment_is_sent_and_never_shown(server, monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    reader = make_reader(server)
    reader.reply([Generate("a", 5)])
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert reader.sent_key == "OLLAMA_API_KEY"
    assert KEY not in repr(reader) + str(describe(reader)) + str(reader.resolve())


def test_the_reader_keeps_the_contract_and_can_be_rebuilt_from_its_description(server):
    reader = make_reader(server, window=2000)
    assert isinstance(reader, Reader)
    assert reader.is_chat
    assert describe(models.get(describe(reader))) == describe(reader)
    assert reader.resolve()["base_url"] == server.url
