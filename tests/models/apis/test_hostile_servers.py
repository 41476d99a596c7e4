"""A hostile server's answer fails its own request, and neither other requests nor the run; nothing waits for ever."""

import gzip
import json
import zlib

import pytest

import models
from models import Generate
from models.apis.sending import addresses, bounded, health
from models.apis.sending.serving import Serving
from pipelines.plugins.providers.readers import ollama
from tests.api_server import base_of
from tests.hostile_server import HostileServer, dribble, response

KEY = "sk-secret-0123456789"
TEXT = "café" * 3
REPLIES = {
    "openai": {
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
    },
    "anthropic": {
        "model": "m",
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": TEXT}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 2},
    },
    "responses": {
        "model": "m",
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]}],
        "usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9},
    },
    "ollama": {
        "model": "m",
        "message": {"role": "assistant", "content": TEXT},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 7,
        "eval_count": 2,
    },
}
DIGITS = b"9" * 5000
DEEP = b"[" * 200_000 + b"]" * 200_000
UNREADABLE = {"digits": b'{"n": ' + DIGITS + b"}", "deep": b'{"n": ' + DEEP + b"}", "a deep list": DEEP}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    # a server of an earlier test had this port perhaps, and what it said would be remembered: one request more
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(bounded, "GRACE_SECONDS", 0.2)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(Serving, "_look", lambda reader: None)  # its requests would be counted
    monkeypatch.setattr(ollama, "_served_length", lambda client, model, seconds: None)  # likewise


@pytest.fixture(params=sorted(REPLIES))
def api(request):
    """The name of a reader behind an API."""
    return request.param


@pytest.fixture
def start():
    """A function that starts a server, which answers a prompt with "bad" in it by `bad`, and others properly."""
    started = []

    def serve(api, bad):
        good = response(json.dumps(REPLIES[api]).encode())
        server = HostileServer(lambda body, send: bad(server, send) if b"bad" in body else send(good))
        started.append(server)
        return server

    yield serve
    for server in started:
        server.close()


def ask(api, server, several=False, **fields):
    """The replies to a good, a bad and a good request."""
    base = base_of(api, server.url)
    reader = models.get(
        f"{api}:m", **{"base_url": [base] if several else base, "max_retries": 0, "timeout": 30.0} | fields
    )
    return reader.reply([Generate(prompt, 5) for prompt in ("good", "bad", "good again")])


def check(replies, problem):
    """Check that the good requests are answered, and that the bad one has an error of its own."""
    first, bad, last = replies
    assert (first.value, last.value) == (TEXT, TEXT)
    assert (bad.value, bad.finish_reason) == (None, "error")
    assert problem in bad.error and KEY not in bad.error


def with_fields(api, **fields):
    return json.dumps(REPLIES[api] | fields).encode()


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_a_reply_that_cannot_be_read_is_the_failure_of_its_request(api, start, body, several):
    server = start(api, lambda server, send: send(response(body)))
    check(ask(api, server, several), "sent no readable reply")


@pytest.mark.parametrize("status", ["400 Bad", "429 Busy", "500 Broken", "200 OK"])
@pytest.mark.parametrize(
    "error",
    [
        b'{"message": "maximum context length is ' + DIGITS + b" tokens; " + DIGITS + b' in the messages"}',
        b'{"message": "over", "n_prompt_tokens": 1' + b"0" * 4000 + b', "n_ctx": "none"}',
        b'{"message": ' + DEEP + b"}",
        b'{"message": ' + DIGITS + b"}",
    ],
    ids=["digits in words", "more tokens than there are numbers", "deep", "digits"],
)
def test_an_error_reply_fails_its_request_whatever_it_contains(api, start, status, error):
    server = start(api, lambda server, send: send(response(b'{"error": ' + error + b"}", status)))
    check(ask(api, server, window=1000), "")


@pytest.mark.parametrize("wait", ["nan", "inf", "-1", "Wed, 21 Oct 99999999999999999999 07:28:00 GMT", "9" * 5000])
def test_a_senseless_retry_after_is_ignored(api, start, wait, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    server = start(api, lambda server, send: send(response(b"{}", "429 Busy", Retry_After=wait)))
    check(ask(api, server, max_retries=1), "")


@pytest.mark.parametrize("name", [["m"], {"m": 1}, 5, None])
def test_model_names_that_are_not_text_are_left_out_and_long_ones_cut(api, start, name):
    server = start(api, lambda server, send: send(response(with_fields(api, model=name, system_fingerprint=name))))
    assert [dict(reply.served) for reply in ask(api, server)] == [{"models": ("m",)}, {}, {"models": ("m",)}]
    server = start(api, lambda server, send: send(response(with_fields(api, model="n" * 10_000))))
    assert ask(api, server)[1].served["models"] == ("n" * 500,)


@pytest.mark.parametrize("count", [int("9" * 4000), -1, 1e300, "many", True])
def test_senseless_token_counts_are_replaced_by_estimates(api, start, count):
    names = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
    fields = {"usage": dict.fromkeys(names, count), "prompt_eval_count": count, "eval_count": count}
    server = start(api, lambda server, send: send(response(with_fields(api, **fields))))
    first, bad, _ = ask(api, server, prices={"input": 1.0, "output": 1.0})
    assert bad.value == first.value and (bad.tokens_in, bad.tokens_out) != (first.tokens_in, first.tokens_out)
    assert 0 < bad.tokens_in < 10 and 0 < bad.tokens_out < 20


@pytest.mark.parametrize("end", [["stop"], {"stop": 1}], ids=str)
def test_a_finish_reason_that_is_not_text_fails_its_request(api, start, end):
    fields = {
        "openai": lambda: {"choices": [REPLIES[api]["choices"][0] | {"finish_reason": end}]},
        "anthropic": lambda: {"stop_reason": end},
        "responses": lambda: {"status": "incomplete", "incomplete_details": {"reason": end}},
        "ollama": lambda: {"done_reason": end},
    }[api]()
    server = start(api, lambda server, send: send(response(with_fields(api, **fields))))
    check(ask(api, server), "sent no readable reply")


BOMB = b" " * 3_000_000
TOO_LONG = {
    "plain": response(BOMB),
    "gzip": response(gzip.compress(BOMB), Content_Encoding="gzip"),
    "deflate": response(zlib.compress(BOMB), Content_Encoding="deflate"),
    "without a length": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + BOMB,
}


@pytest.mark.parametrize("reply", TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad"])
def test_a_reply_over_the_limit_fails_also_where_it_is_compressed_and_is_not_asked_for_again(
    api, start, reply, status, monkeypatch
):
    monkeypatch.setattr(bounded, "MOST_BYTES", 2**20)
    server = start(api, lambda server, send: send(reply.replace(b"200 OK", status)))
    check(ask(api, server, max_retries=2), "sent a reply of over 1 MiB" if status == b"200 OK" else "HTTP 400")
    assert len(server.received) == 3


def test_the_limit_is_64_mebibytes_and_a_compressed_reply_is_read(api, start):
    assert bounded.MOST_BYTES == 64 * 2**20
    body = gzip.compress(json.dumps(REPLIES[api]).encode())
    server = start(api, lambda server, send: send(response(body, Content_Encoding="gzip")))
    assert [reply.value for reply in ask(api, server)] == [TEXT] * 3


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "x" * 5000])
def test_a_compression_that_was_not_asked_for_is_refused(api, start, coding):
    server = start(api, lambda server, send: send(response(gzip.compress(b"{}"), Content_Encoding=coding)))
    check(ask(api, server), "sent a reply compressed as")
    assert all(b"accept-encoding: gzip, deflate\r\n" in request.lower() for request in server.received)


OPENING = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIBBLES = {
    "body": (OPENING + b"\r\n", b" "),
    "chunks": (OPENING + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "headers": (OPENING, b"X-A: b\r\n"),
    "a header": (OPENING + b"X-A: ", b"b"),
    "the first line": (b"HTTP/1.1 200 ", b"O"),
    "before the reply": (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "nothing": (b"", b""),
}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", DRIBBLES)
def test_a_reply_that_never_ends_is_given_up_after_the_timeout(api, start, kind, several):
    opening, piece = DRIBBLES[kind]

    def bad(server, send):
        send(opening)
        dribble(server, send, piece, 0.05)

    (reply,) = ask_alone(api, start(api, bad), several, timeout=0.6)
    assert reply.error.endswith("gave no answer in 0.6 s (timeout=)")


def ask_alone(api, server, several=False, length=5, **fields):
    base = base_of(api, server.url)
    reader = models.get(f"{api}:m", base_url=[base] if several else base, max_retries=0, **fields)
    return reader.reply([Generate("bad", length)])


def test_the_timeout_grows_with_the_length_of_the_output(api, start):
    server = start(api, lambda server, send: dribble(server, send, b"", 0.05))
    (reply,) = ask_alone(api, server, length=8192, timeout=0.4)
    assert reply.error.endswith("gave no answer in 0.8 s (timeout=)")


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 Other", "307 Moved", "308 Moved"])
def test_a_redirect_to_another_server_gets_no_text_and_no_key(api, start, status):
    other = start(api, lambda server, send: None)
    place = f"{other.url}/v1/chat/completions"
    server = start(api, lambda server, send: send(response(b"{}", status, Location=place)))
    check(ask(api, server, max_retries=2), f"redirects to {place}, another server, which gets no texts and no keys")
    assert other.received == [] and len(server.received) == 3


@pytest.mark.parametrize("place", ["//[", "http://", "", "file:///etc/passwd", "\t", "http://x:99999/"])
def test_a_redirect_to_nowhere_is_an_error_of_its_request(api, start, place):
    server = start(api, lambda server, send: send(response(b"{}", "307 Moved", Location=place)))
    check(ask(api, server), "")


def test_a_redirect_on_the_same_server_is_followed_and_a_circle_of_them_ends(api, start):
    def bad(server, send):
        if b"POST /elsewhere " in server.received[-1]:
            send(response(json.dumps(REPLIES[api]).encode()))
        else:
            send(response(b"{}", "307 Moved", Location="/elsewhere"))

    assert [reply.value for reply in ask(api, start(api, bad), concurrency=1)] == [TEXT] * 3
    circle = start(api, lambda server, send: send(response(b"{}", "307 Moved", Location="/again")))
    check(ask(api, circle), "redirects to /again, and that redirects again: give another base_url")
    assert len(circle.received) == 2 + bounded.REDIRECTS


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("http://a.org/v1", "https://a.org/v2", True),
        ("http://a.org/v1", "http://a.org:80/v2", True),
        ("https://a.org/v1", "https://A.ORG:443/v2", True),
        ("http://a.org:8000/v1", "http://a.org:8000/v2", True),
        ("https://a.org/v1", "http://a.org/v1", False),
        ("http://a.org/v1", "https://b.org/v1", False),
        ("http://a.org/v1", "http://b.a.org/v1", False),
        ("http://a.org:8000/v1", "http://a.org:9000/v1", False),
        ("http://a.org:8000/v1", "https://a.org/v1", False),
        ("http://a.org/v1", "https://a.org:8443/v1", False),
        ("http://127.0.0.1/v1", "http://localhost/v1", False),
    ],
)
def test_addresses_are_of_the_same_server_by_host_and_port_and_from_http_to_https(first, second, same):
    http = pytest.importorskip("httpx2")
    assert bounded.same_server(http.URL(first), http.URL(second)) is same


ASIDE = {
    "deep": response(b'{"version": ' + DEEP + b', "data": ' + DEEP + b"}"),
    "digits": response(b'{"version": "1", "data": [{"id": "m", "max_model_len": ' + DIGITS + b"}]}"),
    "long": response(BOMB),
    "elsewhere": response(b"{}", "307 Moved", Location="http://other.example/"),
    "slow": b"",
}


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(bounded, "MOST_BYTES", 2**20)
    monkeypatch.setattr(health, "SECONDS", 0.3)
    monkeypatch.setattr(addresses, "SECONDS", 0.3)


@pytest.mark.parametrize("kind", ASIDE)
def test_a_server_whose_models_and_version_cannot_be_read_is_still_used(kind, impatient):
    def answer(body, send):
        if body or b"GET /health " in server.received[-1]:
            send(response(json.dumps(REPLIES["openai"]).encode()))
        elif ASIDE[kind]:
            send(ASIDE[kind])
        else:
            dribble(server, send, b" ", 0.05)

    server = HostileServer(answer)
    replies = models.get("openai:m", base_url=[f"{server.url}/v1"], max_retries=0).reply([Generate("good", 5)])
    assert [reply.value for reply in replies] == [TEXT]
    server.close()


def test_a_server_whose_health_reply_is_too_long_or_too_slow_is_not_healthy(impatient):
    server = HostileServer(lambda body, send: send(ASIDE["long"]))
    assert addresses.problem_of(f"{server.url}/v1") == "GET /health failed: a reply of over 1 MiB"
    server.answer = lambda body, send: dribble(server, send, b"HTTP/1.1 102 Processing\r\n\r\n", 0.05)
    assert addresses.problem_of(f"{server.url}/v1").startswith("GET /health failed: ")
    server.close()
