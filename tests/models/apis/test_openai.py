"""The reader behind OpenAI-compatible APIs, against a server that answers, stumbles and fails."""

import hashlib
import re
import socket
import sys
import threading
from dataclasses import replace

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Generate, Part, Prompt, Reader
from models.apis.sending.offline import Offline
from tests import patience
from tests.api_server import Answer, ApiServer, chat, failure, json_answer
from tests.turns import for_each

KEY = "sk-secret-0123456789"
LATE = threading.Event()  # never set: the answer comes after any timeout
PRICES = {"input": 1.0, "output": 10.0}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server():
    """A server that answers with the prompt in capitals, unless a test sets another answer."""
    server = ApiServer(lambda request, times: chat(request.prompt.upper()))
    yield server
    server.close()


def make_reader(server, **fields):
    return models.get("openai:gpt-x", base_url=server.url + "/v1", **{"max_retries": 2} | fields)


def ask(server, *prompts, **fields):
    return make_reader(server, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def test_a_request_has_the_form_of_the_api(server):
    fields = {"system": "Be brief.", "extra": {"seed": 3, "chat_template_kwargs": {"enable_thinking": False}}}
    (reply,) = make_reader(server, **fields).reply([Generate("who?", 5, stop=("\n", "END"))])
    (request,) = server.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "gpt-x",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "who?"}],
        "max_tokens": 5,
        "temperature": 0.0,
        "stop": ["\n", "END"],
        "seed": 3,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert (reply.value, reply.tokens_in, reply.tokens_out, reply.truncated_tokens) == ("WHO?", 7, 2, 0)
    assert (reply.finish_reason, reply.error, reply.thinking) == ("stop", None, "")


def test_temperature_is_left_out_where_it_is_none(server):
    ask(server, "who?", temperature=None)
    assert "temperature" not in server.received[0].body


PREFILLED = Prompt((Part("document", "A mill."), Part("query", "\n\nWhose?"), Part("prefill", "\n\nAnswer: <answer>")))
USER, ASSISTANT = {"role": "user", "content": "A mill.\n\nWhose?"}, {"role": "assistant", "content": "Answer: <answer>"}


@pytest.mark.parametrize(
    ("prefill", "messages", "extra_fields"),
    [
        (None, [{"role": "user", "content": "A mill.\n\nWhose?\n\nAnswer: <answer>"}], {}),
        ("message", [USER, ASSISTANT], {}),
        ("prefix", [USER, ASSISTANT | {"prefix": True}], {}),
        ("continue", [USER, ASSISTANT], {"add_generation_prompt": False, "continue_final_message": True}),
    ],
)
def test_the_assistant_s_turn_is_begun_only_in_the_server_s_way(server, prefill, messages, extra_fields):
    ask(server, PREFILLED, prefill=prefill)
    (request,) = server.received
    assert request.body == {"model": "gpt-x", "max_tokens": 5, "temperature": 0.0, "messages": messages} | extra_fields
    ask(server, "who?", prefill=prefill)
    assert set(server.received[1].body) == {"model", "max_tokens", "temperature", "messages"}
    assert server.received[1].body["messages"] == [{"role": "user", "content": "who?"}]


def test_choices_are_sent_as_a_schema_unless_the_reader_says_no(server):
    choices = Generate("who?", 40, choices=("Anna", "Tom"))
    make_reader(server).reply([choices, Generate("who?", 40)])
    make_reader(server, structured=False).reply([choices])
    schema = {
        "type": "object",
        "properties": {"label": {"type": "string", "enum": ["Anna", "Tom"]}},
        "required": ["label"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "label", "strict": True, "schema": schema}}
    forms = [request.body.get("response_format") for request in server.received]
    assert sorted(forms, key=str) == sorted([form, None, None], key=str)
    described = [describe(make_reader(server, structured=value))["structured"] for value in (None, True, False)]
    assert described == [None, True, False]  # a run whose labels were asked for in words alone is another run


def test_an_unknown_way_to_begin_an_answer_is_refused(server):
    with pytest.raises(UserError, match="prefill"):
        make_reader(server, prefill="prefixed")


def test_it_keeps_the_contract_of_readers_and_can_be_made_from_its_description(server):
    reader = make_reader(server, max_input_tokens=50, prices=PRICES, max_cost=1.5)
    assert isinstance(reader, Reader)
    assert (reader.supports, reader.labels, reader.max_input_tokens) == (frozenset({Generate}), None, 50)
    assert reader.is_chat
    assert describe(models.get(describe(reader))) == describe(reader)
    assert KEY not in repr(reader) + str(describe(reader)) + str(reader.resolve())
    assert reader.reply([]) == []
    with pytest.raises(UserError, match="answers Generate requests only"):
        reader.reply([Classify("x")])


def test_replies_stand_in_the_order_of_requests_whatever_the_order_of_arrival(server):
    server.answer = lambda request, times: chat(request.prompt.upper(), wait=0.02 * (6 - int(request.prompt[1:])))
    prompts = [f"p{i}" for i in range(6)]
    arrived = list(make_reader(server).stream([Generate(prompt, 5) for prompt in prompts]))
    assert [place for place, _ in arrived] != sorted(place for place, _ in arrived)
    assert sorted((place, reply.value) for place, reply in arrived) == [(i, f"P{i}") for i in range(6)]
    assert [reply.value for reply in ask(server, *prompts)] == [prompt.upper() for prompt in prompts]


def test_no_more_requests_are_under_way_than_allowed_and_a_reply_is_handed_on_at_once(server):
    release = threading.Event()
    server.answer = lambda request, times: chat("x", wait=release if request.prompt == "p0" else 0.05)
    replies = make_reader(server, concurrency=3).stream([Generate(f"p{i}", 5) for i in range(9)])
    first = [next(replies)[0] for _ in range(8)]
    assert 0 not in first
    release.set()
    assert [place for place, _ in replies] == [0]
    assert server.max_in_flight == 3


def test_a_retry_waits_as_long_as_the_server_asks(server):
    busy = failure(429, "slow down", headers={"Retry-After": "1"})
    server.answer = lambda request, times: busy if times == 0 else chat("done")
    (reply,) = ask(server, "who?")
    first, second = server.received
    assert reply.value == "done"
    assert second.time - first.time >= 1.0


@pytest.mark.parametrize(
    "stumble",
    [failure(500, "oh"), Answer(b"x", 503, kind="text/html"), chat("lost", missing_bytes=20)],
    ids=["500", "503", "cut"],
)
def test_a_server_that_stumbles_is_asked_again_and_nothing_is_lost(server, stumble):
    server.answer = lambda request, times: (
        stumble if request.prompt in ("p2", "p5") and times == 0 else chat(request.prompt.upper())
    )
    replies = ask(server, *(f"p{i}" for i in range(8)))
    assert [reply.value for reply in replies] == [f"P{i}" for i in range(8)]
    assert sorted(server.prompts) == sorted([*(f"p{i}" for i in range(8)), "p2", "p5"])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(b"<html>Sign in</html>", kind="text/html"), "answered with HTML instead of the API's JSON"),
        (Answer(b'{"choices": [', kind="application/json"), "sent no readable reply"),
        (Answer(b"\xff\xfe{}", kind="application/json"), "sent no readable reply"),
        (json_answer(["a", "list"]), "answered with something else instead of the API's JSON"),
        (json_answer({"error": {"message": "no capacity"}}), "answered with an error: no capacity"),
        (chat(), "the reply holds no choice"),
        (chat(None), "a choice of the reply holds no text"),
        (json_answer({"choices": ["text"]}), "a choice of the reply holds no text"),
        (failure(400, "maximum context length is 8192 tokens"), "HTTP 400: maximum context length is 8192 tokens"),
        (failure(500, "broken"), "HTTP 500: broken"),
        (chat("lost", missing_bytes=9), "the connection to http://127.0.0.1:.* failed"),
        (chat("late", wait=LATE), r"gave no answer in 4 s \(timeout=\)"),
    ],
)  # fmt: skip
def test_a_request_that_fails_has_an_error_of_its_own(server, answer, problem):
    server.answer = lambda request, times: answer if request.prompt == "bad" else chat("good")
    timeout = 4.0 if answer.wait else 60.0  # a busy machine may be slow with what is right
    good, bad, last = ask(server, "a", "bad", "b", max_retries=0, timeout=timeout)
    assert (good.value, last.value) == ("good", "good")
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert re.search(problem, bad.error)


def test_an_address_where_nobody_listens_is_an_error_of_each_request():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    (reply,) = models.get("openai:x", base_url=url, max_retries=0).reply([Generate("a", 5)])
    assert f"the connection to {url} failed" in reply.error


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_ends_the_requests_at_once_and_is_never_shown(server, status):
    server.answer = lambda request, times: failure(status, f"bad key {KEY}")
    with pytest.raises(UserError, match=f"rejects the key in OPENAI_API_KEY .HTTP {status}: bad key …") as caught:
        ask(server, *(f"p{i}" for i in range(20)), concurrency=2)
    assert KEY not in str(caught.value)
    assert len(server.received) <= 2


def test_a_long_message_is_cut_after_the_key_is_taken_out(server):
    server.answer = lambda request, times: failure(400, "x" * 280 + KEY + "y" * 100)
    (reply,) = ask(server, "a")
    assert reply.error == f"HTTP 400: {'x' * 280}…{'y' * 8}…"


def test_replies_under_way_are_handed_on_before_the_end(server):
    server.answer = lambda request, times: failure(401, "no") if request.prompt == "bad" else chat("paid", wait=0.2)
    replies = make_reader(server, concurrency=3).stream([Generate(prompt, 5) for prompt in ("a", "b", "bad", "never")])
    places = [next(replies)[0], next(replies)[0]]
    with pytest.raises(UserError, match="rejects the key"):
        next(replies)
    assert sorted(places) == [0, 1]
    assert sorted(server.prompts) == ["a", "b", "bad"]


def test_a_missing_model_and_a_refused_temperature_end_the_requests_with_advice(server):
    server.answer = lambda request, times: failure(404, "model gpt-x does not exist")
    with pytest.raises(UserError, match=r"no model 'gpt-x' .*does not exist.* check base_url and model"):
        ask(server, "a")
    server.answer = lambda request, times: failure(
        400, "Unsupported value: 'temperature' is 1 here", param="temperature"
    )
    with pytest.raises(UserError, match="give temperature=null"):
        ask(server, "a")
    (reply,) = ask(server, "a", temperature=None)
    assert "HTTP 400" in reply.error


def test_the_refusal_of_a_model_is_its_output(server):
    refusal = {"role": "assistant", "content": None, "refusal": "I can't help."}
    choice = {"index": 0, "finish_reason": "stop", "message": refusal}
    answers = {"a": json_answer({"choices": [choice]}), "b": chat("par", finish="content_filter"),
               "c": chat(None, finish="content_filter"), "d": chat(None, finish="length"),
               "e": chat("par", finish="length")}  # fmt: skip
    server.answer = lambda request, times: answers[request.prompt]
    replies = ask(server, *answers)
    assert [reply.value for reply in replies] == ["I can't help.", "par", "", "", "par"]
    assert [reply.finish_reason for reply in replies] == ["refusal", "refusal", "refusal", "length", "length"]
    assert [reply.error for reply in replies] == [None] * 5


def test_thinking_is_taken_out_of_the_answer_and_kept_apart(server):
    raw = "<think>The mill. END?</think>\n\nAnna END Tom"
    server.answer = lambda request, times: chat(raw)
    (reply,) = make_reader(server).reply([Generate("who?", 50, stop=("END",))])
    assert (reply.value, reply.thinking) == ("Anna ", "The mill. END?")


def test_a_server_that_knows_no_n_is_asked_for_the_rest(server):
    server.answer = lambda request, times: chat(f"text {len(server.received)}")
    (reply,) = make_reader(server).reply([Generate("who?", 5, n=3)])
    assert reply.value == ("text 1", "text 2", "text 3")
    assert [request.body.get("n") for request in server.received] == [3, 2, None]
    assert (reply.tokens_in, reply.tokens_out) == (21, 6)


def test_several_outputs_come_in_one_reply(server):
    server.answer = lambda request, times: chat("a", "b", "c")
    (reply,) = make_reader(server).reply([Generate("who?", 5, n=3)])
    assert (reply.value, len(server.received)) == (("a", "b", "c"), 1)


def test_a_prompt_over_the_window_is_cut_and_the_reply_says_so(server):
    prompt = Prompt((Part("query", "who? "), Part("document", "abc " * 100, 0, 400)))
    fitting, long = make_reader(server, max_input_tokens=30).reply(
        [Generate(prompt, 5), Generate(Prompt((Part("query", "word " * 40),)), 5)]
    )
    assert server.prompts == ["who? " + ("abc " * 29).strip()]
    assert fitting.truncated_tokens == 100 - 29
    assert long.error == "question and instructions alone take 50 tokens, the limit is 30"


def test_tokens_are_estimated_or_counted_by_a_tokenizer(server, tiny_t5):
    assert make_reader(server).count(["", "a", "abcd", "abcde"]) == [0, 1, 1, 2]
    exact = make_reader(server, tokenizer=str(tiny_t5))
    assert exact.count(["Anna kept a lamp"]) == models.get(str(tiny_t5)).count(["Anna kept a lamp"])
    server.answer = lambda request, times: chat("abcdefghi", usage=None)
    (reply,) = ask(server, "who?")
    assert (reply.tokens_in, reply.tokens_out) == (1, 3)


def test_lone_surrogates_do_not_stop_a_request(server):
    (reply,) = ask(server, "a\ud800b")
    assert reply.value == "A\ufffdB"


def test_costs_are_counted_and_nothing_is_asked_once_max_cost_is_spent(server):
    reader = make_reader(server, prices=PRICES, max_cost=50e-6, concurrency=1)
    replies = reader.reply([Generate(f"p{i}", 5) for i in range(5)])  # 7 × 1 + 2 × 10 = 27 millionths each
    assert [reply.finish_reason for reply in replies] == ["stop", "stop", "unasked", "unasked", "unasked"]
    assert reader.spent == pytest.approx(54e-6)
    assert "5.4e-05 is spent, max_cost is 5e-05" in replies[2].error
    assert len(server.received) == 2
    reader.begin(7, 2)
    assert reader.spent == pytest.approx(27e-6)


def test_a_reply_without_an_output_is_paid_for_too(server):
    server.answer = lambda request, times: chat(None)
    reader = make_reader(server, prices=PRICES)
    assert reader.reply([Generate("a", 5)])[0].error
    assert reader.spent == pytest.approx(27e-6)


def test_the_names_that_a_server_gives_itself_are_kept(server):
    served = {"models": ("served-model",), "fingerprints": ("fp_1",)}
    assert [reply.served for reply in ask(server, "a", "b")] == [served, served]
    server.answer = lambda request, times: chat(None)
    (failed,) = ask(server, "a")
    assert failed.error
    assert failed.served == served


def test_a_server_of_ones_own_needs_no_key_and_the_provider_does(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert ask(server, "a")[0].value == "A"
    assert server.received[0].headers["authorization"] == "Bearer none"
    with pytest.raises(UserError, match="needs a key: export OPENAI_API_KEY=KEY"):
        models.get("openai:gpt-x").resolve()
    with pytest.raises(UserError, match="export MY_KEY=KEY"):
        ask(server, "a", key_variable="MY_KEY")
    monkeypatch.setenv("MY_KEY", " sk-mine \n")
    ask(server, "a", key_variable="MY_KEY")
    assert server.received[1].headers["authorization"] == "Bearer sk-mine"


def test_the_key_of_an_administrator_is_not_sent(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-0123456789")
    ask(server, "a")
    monkeypatch.delenv("OPENAI_API_KEY")
    ask(server, "a")
    assert [request.headers["authorization"] for request in server.received] == [f"Bearer {KEY}", "Bearer none"]


def test_json_is_read_whatever_its_content_type(server):
    server.answer = lambda request, times: replace(chat("Amherst"), kind="text/plain")
    assert ask(server, "where?")[0].value == "Amherst"


def test_the_address_may_come_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
    reader = models.get("openai:gpt-x")
    assert reader.reply([Generate("a", 5)])[0].value == "A"
    assert reader.resolve()["base_url"] == server.url + "/v1"


def test_openai_itself_gets_the_length_under_its_newer_name():
    from models.apis.openai import Openai

    assert Openai("x")._length == "max_completion_tokens"
    assert Openai("x", base_url="https://eu.api.openai.com/v1")._length == "max_completion_tokens"
    assert Openai("x", base_url="https://notopenai.com/v1")._length == "max_tokens"


@for_each(
    ("fields", "problem"),
    [
        ({"concurrency": 0}, "concurrency must be at least 1"),
        ({"max_retries": -1}, "max_retries must be at least 0"),
        ({"timeout": 0.0}, "timeout must be at least"),
        ({"prices": {"in": 1.0}}, 'prices={"input"'),
        ({"prices": {"input": 1.0, "output": -1.0}}, 'prices={"input"'),
        ({"prices": PRICES | {"cache": 1.0}}, "unknown kind 'cache'; did you mean cached"),
        ({"prices": PRICES | {"cached": float("nan")}}, "cached must be a number of at least 0"),
        ({"prices": PRICES | {"cache_write": -0.5}}, "cache_write must be a number of at least 0"),
        ({"prices": {"input": 1.0}}, "prices must have output"),
        ({"max_cost": 1.0}, "max_cost needs prices"),
        ({"max_cost": 0.0, "prices": PRICES}, "max_cost must be over 0"),
        ({"key_variable": KEY}, "never write a key down"),
        ({"base_url": f"http://me:{KEY}@host/v1"}, "must hold no user, password or query"),
        ({"base_url": f"http://host/v1?key={KEY}"}, "must hold no user, password or query"),
        ({"base_url": "127.0.0.1:8000/v1"}, "base_url must be like http://127.0.0.1:8000/v1"),
        ({"base_url": "http://host:port/v1"}, "base_url is not an address"),
        ({"max_input_tokens": 0}, "max_input_tokens must be at least 1"),
    ],
)
def test_fields_that_cannot_work_are_refused(fields, problem):
    with pytest.raises(UserError, match=problem) as caught:
        models.get("openai:gpt-x", **fields)
    assert KEY not in str(caught.value)


def test_a_missing_client_is_named_with_the_pip_line(server, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(UserError) as caught:
        models.get("openai:gpt-x", base_url=server.url).resolve()
    assert "pip install 'longdoc[openai]'" in str(caught.value)


def test_requests_that_have_not_begun_are_dropped_when_the_caller_closes_the_stream(server):
    release = threading.Event()
    server.answer = lambda request, times: chat("x", wait=0.0 if request.prompt == "p0" else release)
    replies = make_reader(server, concurrency=2).stream([Generate(f"p{i}", 5) for i in range(20)])
    next(replies)
    replies.close()
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("ask-")]
    release.set()
    patience.until(lambda: not any(thread.is_alive() for thread in threads), "the reader's threads have ended")
    assert set(server.prompts) <= {"p0", "p1", "p2"}


BOOK = "A word. " * 600  # 1,200 tokens as they are estimated


def bodies(base_url, *prompts, **fields):
    """The request bodies that a reader with this address would send."""
    sent = []

    def respond(body):
        sent.append(body)
        return 200, {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}]}

    offline = Offline(models.get("openai:m", base_url=base_url, **fields), {}, respond)
    for prompt in prompts:
        assert offline.reply_to(Generate(prompt, 5)).value == "x"
    return sent


def about(document, question):
    return Prompt((Part("document", document, 0, len(document)), Part("query", f"\n{question}")))


def test_openai_is_told_which_requests_show_the_same_document():
    prompts = [about(BOOK, "who?"), about(BOOK, "when?"), about(BOOK + "More.", "who?"), about("Short.", "who?"), BOOK]
    keys = [body.get("prompt_cache_key") for body in bodies("https://api.openai.com/v1", *prompts)]
    assert keys[0] == keys[1] == hashlib.sha256(BOOK.encode()).hexdigest()[:32]
    assert len({keys[0], keys[2]}) == 2
    assert keys[3:] == [None, None]
    (body,) = bodies("https://api.openai.com/v1", prompts[0], extra={"prompt_cache_key": "mine"})
    assert body["prompt_cache_key"] == "mine"


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "https://api.openai.com.example.com/v1"])
def test_other_servers_are_not_sent_the_prompt_cache_key(url):
    (body,) = bodies(url, about(BOOK, "who?"))
    assert set(body) == {"messages", "model", "max_tokens", "temperature"}


def test_each_kind_of_prompt_tokens_has_its_price(server):
    usage = {"prompt_tokens": 100, "completion_tokens": 10,
             "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30}}  # fmt: skip
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    server.answer = lambda request, times: json_answer({"choices": [choice], "usage": usage})
    reader = make_reader(server, prices=PRICES | {"cached": 0.1, "cache_write": 1.25})
    reader.reply([Generate("a", 5)])
    assert reader.spent == pytest.approx((10 * 1 + 10 * 10 + 60 * 0.1 + 30 * 1.25) / 1e6)
    reader.begin(100, 10, cached_tokens=100)
    assert reader.spent == pytest.approx((10 * 10 + 100 * 0.1) / 1e6)
    plain = make_reader(server, prices=PRICES)
    plain.reply([Generate("a", 5)])
    assert plain.spent == pytest.approx((100 * 1 + 10 * 10) / 1e6)
