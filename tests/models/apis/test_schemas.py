"""Choices as a JSON schema: the request, servers that refuse schemas, and the reply."""

import json

import pytest

import models
from longdoc.errors import UserError
from models import Generate
from models.apis._schemas import bare_label
from models.apis.sending.offline import Offline
from tests.api_server import ApiServer, base_of, chat, failure, message, message_item, ollama, response, text_block

NAMES = ("Anna", "Tom")
CHOICES = Generate("who?", 40, choices=NAMES)
ANSWERS = {
    "openai": chat,
    "responses": lambda text: response(message_item(text)),
    "ollama": ollama,
    "anthropic": lambda text: message(text_block(text)),
}
FIELDS = {"openai": "response_format", "responses": "text", "ollama": "format", "anthropic": "output_config"}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("OPENAI", "ANTHROPIC", "OLLAMA"):
        monkeypatch.setenv(f"{name}_API_KEY", "sk-secret-0123456789")
        monkeypatch.delenv(f"{name}_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: chat("Anna"))
    yield server
    server.close()


def make_reader(server, name="openai", **fields):
    spec = {"name": name, "model": "m", "base_url": base_of(name, server.url), "max_retries": 0, "concurrency": 1}
    return models.get(spec | fields)


def holding_to_schema(name, refusal=None):
    """Answers of a server that holds outputs to the schema, or refuses a request that has one."""

    def answer(request, times):
        if FIELDS[name] not in request.body:
            return ANSWERS[name]("It is Tom.")
        return refusal or ANSWERS[name](json.dumps({"label": "Tom"}))

    return answer


@pytest.mark.parametrize("name", FIELDS)
def test_an_output_that_was_held_to_the_schema_is_the_choice_itself(server, name):
    server.answer = holding_to_schema(name)
    free, constrained = make_reader(server, name).reply([Generate("who?", 40), CHOICES])
    assert (free.value, constrained.value) == ("It is Tom.", "Tom")
    assert ("choices" in free.served, constrained.served["choices"]) == (False, ("schema",))


REFUSALS = {
    "by name": failure(400, "Unsupported parameter: 'response_format'", param="response_format"),
    "by its type": failure(400, "This response_format type is unavailable now"),
    "in other words": failure(400, "json: cannot unmarshal object into Go struct field of type string"),
    "as a body that does not fit": failure(422, "Failed to deserialize the JSON body into the target type"),
}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_server_that_refuses_the_schema_is_sent_none_from_then_on(server, name, refusal, capsys):
    server.answer = holding_to_schema(name, REFUSALS[refusal])
    replies = make_reader(server, name).reply([CHOICES, Generate("and now?", 40, choices=NAMES)])
    assert [reply.value for reply in replies] == ["It is Tom.", "It is Tom."]
    assert [reply.served["choices"] for reply in replies] == [("words",), ("words",)]
    bodies = [request.body for request in server.received if "messages" in request.body or "input" in request.body]
    assert [FIELDS[name] in body for body in bodies] == [True, False, False]
    messages = capsys.readouterr().err
    assert messages.count("does not accept a JSON schema (HTTP 4") == 1
    assert messages.strip().endswith("only the prompt asks for labels and letters")


def test_after_an_error_that_the_schema_did_not_cause_it_is_still_sent(server, capsys):
    server.answer = lambda request, times: failure(400, "this prompt is against our rules")
    reader = make_reader(server)
    (reply,) = reader.reply([CHOICES])
    assert reply.error == "HTTP 400: this prompt is against our rules"
    server.answer = holding_to_schema("openai")
    assert [reply.value for reply in reader.reply([CHOICES])] == ["Tom"]
    assert "schema" not in capsys.readouterr().err


def test_with_structured_true_a_refused_schema_ends_the_run(server):
    server.answer = holding_to_schema("openai", REFUSALS["by its type"])
    with pytest.raises(UserError, match=r"does not accept a JSON schema \(HTTP 400: .*\): leave structured=true out$"):
        make_reader(server, structured=True).reply([CHOICES])


def test_where_the_output_has_no_room_for_the_object_no_schema_is_sent(server):
    server.answer = holding_to_schema("openai")
    short = Generate("who?", 8, choices=NAMES)
    replies = [make_reader(server, structured=value).reply([short])[0] for value in (None, True)]
    assert [(reply.value, reply.served["choices"]) for reply in replies] == [
        ("It is Tom.", ("words",)),
        ("Tom", ("schema",)),
    ]


def test_batch_files_try_the_schema_for_each_request_whatever_earlier_ones_were_answered(server):
    bodies = []

    def respond(body):
        bodies.append(body)
        if "response_format" in body:
            return 400, {"error": {"message": "no response_format"}}
        return 200, json.loads(chat("Tom").body)

    offline = Offline(make_reader(server), {}, respond)
    assert [offline.reply_to(CHOICES).value for _ in range(2)] == ["Tom", "Tom"]
    assert ["response_format" in body for body in bodies] == [True, False, True, False]


def test_anthropic_s_schema_stands_beside_the_effort(server):
    server.answer = holding_to_schema("anthropic")
    make_reader(server, "anthropic", effort="low").reply([CHOICES])
    config = server.received[0].body["output_config"]
    assert (config["effort"], config["format"]["type"]) == ("low", "json_schema")
    assert config["format"]["schema"]["properties"] == {"label": {"type": "string", "enum": list(NAMES)}}


def test_the_label_is_read_from_an_object_and_other_text_stays(server):
    labels = ("Hero/Protagonist", "Villain/Antagonist", "Very minor")
    label_of = {
        '{"label": "Hero/Protagonist"}': "Hero/Protagonist",
        ' {"label":"none of them"}\n': "none of them",
        '{"label": "Hero/Pro': "Hero/Protagonist",  # no other one begins so
        '{"label": "V': "V",
        '{"label": "': "",
        "{": "{",
        "Hero": "Hero",
        '{"label": 3}': '{"label": 3}',
        '{"label": "x", "why": "y"}': '{"label": "x", "why": "y"}',
        "[" * 100_000: "[" * 100_000,
    }
    assert {text: bare_label(text, labels) for text in label_of} == label_of
