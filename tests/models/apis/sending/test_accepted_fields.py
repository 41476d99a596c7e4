"""A field that a server refuses by name is replaced or left out from then on, with one note for each reader."""

import threading

import pytest

import models
from longdoc.errors import UserError
from models import Generate
from models.apis.openai import Openai
from tests.api_server import ApiServer, chat, failure, json_answer

NEWER, OLDER = "max_completion_tokens", "max_tokens"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: chat("x"))
    yield server
    server.close()


def refusing(*names, words="Unsupported parameter: '{}' is not supported with this model.", param=True, status=400):
    """Answers that refuse, in these words, the first of the named fields that a request has."""

    def answer(request, times):
        name = next((name for name in names if name in request.body), None)
        return failure(status, words.format(name), param=name if param else None) if name else chat("x")

    return answer


def ask(server, count=1, request=None, **fields):
    reader = models.get("openai:m", **{"base_url": server.url + "/v1", "max_retries": 0, "concurrency": 1} | fields)
    return reader.reply([request or Generate(f"p{i}", 5, stop=("END",)) for i in range(count)])


AZURE = "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead."


@pytest.mark.parametrize(
    ("words", "param", "status"),
    [
        (AZURE, True, 400),
        (AZURE, False, 400),
        ("Unrecognized request argument supplied: {}", False, 400),
        ("body.{}: Extra inputs are not permitted", False, 422),
        ("Unknown parameter: '{}'.", True, 400),
    ],
)
def test_the_name_of_the_length_is_learned_and_noted_once(server, capsys, words, param, status):
    server.answer = refusing(OLDER, words=words, param=param, status=status)
    assert [reply.value for reply in ask(server, 4)] == ["x"] * 4
    assert [OLDER in request.body for request in server.received] == [True, False, False, False, False]
    assert [request.body.get(NEWER) for request in server.received] == [None, 5, 5, 5, 5]
    message = f"longdoc: {server.url}/v1 does not accept max_tokens: max_completion_tokens is sent instead\n"
    assert capsys.readouterr().err == message


def test_the_host_gives_only_the_first_guess(server, monkeypatch):
    assert Openai("m", base_url="https://me.openai.azure.com/openai/v1")._length == NEWER
    assert Openai("m", base_url="https://notopenai.com/v1")._length == OLDER
    monkeypatch.setattr(Openai, "_length", NEWER)  # as at OpenAI
    server.answer = refusing(NEWER)
    assert [reply.value for reply in ask(server, 2)] == ["x", "x"]
    assert [OLDER in request.body for request in server.received] == [False, True, True]


def test_a_server_that_refuses_both_names_is_not_asked_for_ever(server):
    server.answer = refusing(OLDER, NEWER)
    for reply in ask(server, 3):
        assert "HTTP 400: Unsupported parameter: 'max_completion_tokens'" in reply.error
    assert len(server.received) == 4


def test_stop_strings_that_a_server_refuses_are_applied_by_longdoc(server, capsys):
    server.answer = lambda request, times: (
        failure(400, "Unsupported parameter: 'stop' is not supported with this model.", param="stop")
        if "stop" in request.body
        else chat("Anna END Tom")
    )
    assert [reply.value for reply in ask(server, 2)] == ["Anna ", "Anna "]
    assert len(server.received) == 3
    assert "does not accept stop: longdoc ends outputs at stop strings itself" in capsys.readouterr().err


TEMPERATURE = "Unsupported value: '{}' does not support 0.0 with this model. Only the default (1) value is supported."


def test_a_temperature_that_nobody_chose_is_left_out_where_it_is_refused(server, capsys):
    server.answer = refusing("temperature", words=TEMPERATURE)
    assert [reply.value for reply in ask(server, 2)] == ["x", "x"]
    assert ["temperature" in request.body for request in server.received] == [True, False, False]
    assert "does not accept temperature: it uses its own (temperature=null sends none" in capsys.readouterr().err


def test_a_temperature_that_the_user_chose_is_not_left_out(server):
    server.answer = refusing("temperature", words=TEMPERATURE)
    with pytest.raises(UserError, match="give temperature=null or another one"):
        ask(server, temperature=0.7)


def test_an_extra_field_of_the_user_is_not_left_out(server):
    server.answer = refusing(OLDER)
    (reply,) = ask(server, extra={OLDER: 99})
    assert "HTTP 400" in reply.error
    assert len(server.received) == 1


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
        "This model's maximum context length is 10 tokens. However, your messages resulted in 20 tokens: unsupported",
        "Invalid 'max_tokens': integer above maximum value",
        "We do not support what stop words are here",
        "The model is unknown",
    ],
)
def test_other_refusals_change_no_field(server, message):
    server.answer = lambda request, times: failure(400, message)
    (reply,) = ask(server)
    assert f"HTTP 400: {message[:40]}" in reply.error
    assert len(server.received) == 1


def test_a_field_that_a_refusal_mentions_beside_its_own_is_not_changed(server):
    server.answer = lambda request, times: failure(
        400, "Unsupported parameter: 'top_k' is not supported beside 'max_tokens'.", param="top_k"
    )
    assert "top_k" in ask(server)[0].error
    assert len(server.received) == 1


def test_requests_under_way_together_learn_the_name_once_and_are_all_answered(server, capsys):
    together = threading.Barrier(4)

    def answer(request, times):
        if OLDER in request.body:
            together.wait(60)
            return failure(400, AZURE.format(OLDER), param=OLDER)
        return chat("x")

    server.answer = answer
    assert [reply.value for reply in ask(server, 4, concurrency=4)] == ["x"] * 4
    assert len(server.received) == 8
    assert capsys.readouterr().err.count("does not accept max_tokens") == 1


def test_after_an_unclear_refusal_both_names_are_tried(server):
    server.answer = lambda request, times: json_answer({"error": "max_tokens is unknown"}, status=400)
    (reply,) = ask(server, request=Generate("a", 5))
    assert "max_tokens is unknown" in reply.error  # both names are tried
    assert len(server.received) == 2
