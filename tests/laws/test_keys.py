"""Keys of readers behind an API are never written or shown, even if the server sends them back."""

import io
import json
import logging
import pickle
import traceback
from contextlib import redirect_stderr, redirect_stdout

import pytest

import models
import pipelines
from longdoc.errors import UserError
from longdoc.registry import describe
from models.apis._endpoint import Endpoint
from pipelines.records import Document, Example
from tests.api_server import (
    Answer,
    ApiServer,
    base_of,
    chat,
    failure,
    json_answer,
    message,
    message_item,
    ollama,
    response,
)
from tests.turns import for_each

KEY = "canary-0123456789-abcdef"
VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "responses": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "ollama": "OLLAMA_API_KEY",
}
REPLIES = {
    "openai": chat,
    "responses": lambda text: response(message_item(text)),
    "anthropic": lambda text: message({"type": "text", "text": text}),
    "ollama": ollama,
}
TEXT = f"The key is {KEY}, is it not?"


def reply_with_key(name, **more):
    """A good reply, in which every text has the key."""
    record = json.loads(REPLIES[name](TEXT).body)
    return json_answer(record | {"model": KEY, "system_fingerprint": KEY, "id": KEY}, **more)


FAULTS = {
    "a reply": reply_with_key,
    "a refused key": lambda name: failure(401, TEXT),
    "no rights": lambda name: failure(403, TEXT),
    "no such model": lambda name: failure(404, TEXT),
    "a refused request": lambda name: failure(400, f"{'x' * 290}{KEY}", param=KEY),
    "too many requests": lambda name: failure(429, TEXT, headers={"retry-after": "0"}),
    "a broken server": lambda name: failure(500, TEXT),
    "a page": lambda name: Answer(f"<html>{TEXT}</html>".encode(), kind="text/html"),
    "broken JSON": lambda name: Answer(f'{{"error": "{KEY}'.encode()),
    "an error as a success": lambda name: json_answer({"error": TEXT}),
    "a reply that is cut": lambda name: reply_with_key(name, missing_bytes=20),
    "a reply without output": lambda name: json_answer(
        {"choices": [], "content": [], "output": [], "message": {}, "model": KEY, "usage": None}
    ),
}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))


def test_the_law_holds_for_every_reader_behind_an_api():
    components = {name: models.registry.component(name) for name in set(models.names()) - set(models.PRESETS)}
    assert set(VARIABLES) == {name for name, component in components.items() if issubclass(component, Endpoint)}


OTHER_READERS = ("anthropic", "responses", "ollama")
FEW = ("a reply", "a refused key", "a broken server", "broken JSON")  # for readers that share most of their code
CASES = [
    *(("openai", fault, False) for fault in FAULTS),
    *((name, fault, False) for name in OTHER_READERS for fault in FEW),
    *(
        pytest.param(name, fault, False, marks=pytest.mark.slow)
        for name in OTHER_READERS
        for fault in FAULTS
        if fault not in FEW
    ),
    *(("openai", fault, True) for fault in ("a reply", "a refused key", "a broken server", "a page")),
    *((name, "a reply", True) for name in OTHER_READERS),
]


@pytest.mark.parametrize(("name", "fault", "several"), CASES)
def test_a_key_is_in_no_file_message_log_or_error(name, fault, several, tmp_path, log, capfd):
    pages = {
        f"/{path}": json_answer({"version": KEY, "data": [{"id": KEY, "object": "model"}]})
        for path in ("version", "v1/models", "api/show")
    }
    server = ApiServer(lambda request, times: FAULTS[fault](name), pages)
    url = base_of(name, server.url)
    reader = models.get(name, model="m", base_url=[url] if several else url, max_retries=0, timeout=60.0)
    examples = [Example(f"q{i}", Document("d", "Anna lives in Kyiv."), f"Where is {i}?", ("Kyiv",)) for i in range(2)]
    log.set_level(logging.DEBUG)
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            result = pipelines.run("qa", data=examples, model=reader, out=tmp_path / "run", metrics=["f1"])
            print(result, result._repr_html_(), result.to_dict())
    except UserError as error:
        print("".join(traceback.format_exception(error)), file=printed)
    finally:
        server.close()
    assert server.received
    assert any(KEY in value for value in server.received[0].headers.values())
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert [path.name for path, content in written.items() if KEY.encode() in content] == []
    captured = capfd.readouterr()
    assert KEY not in printed.getvalue() + captured.out + captured.err
    assert KEY not in log.text
    assert KEY not in repr(reader) + json.dumps(describe(reader), default=str)


@pytest.mark.parametrize("name", VARIABLES)
def test_a_reader_that_sent_requests_takes_no_key_to_other_processes(name):
    server = ApiServer(lambda request, times: reply_with_key(name))
    reader = models.get(name, model="m", base_url=base_of(name, server.url))
    reader.reply([models.Generate("a", 5)])
    server.close()
    try:
        pickled = pickle.dumps(reader)
    except TypeError:  # a reader with locks cannot be pickled
        return
    assert KEY.encode() not in pickled


@for_each(
    "fields",
    [
        {"system": f"Use {KEY}."}, {"extra": {"user": KEY}}, {"extra": {"a": [{"b": KEY}]}}, {"model": KEY},
        {"base_url": f"http://127.0.0.1/{KEY}/v1"}, {"base_url": f"http://me:{KEY}@127.0.0.1/v1"},
        {"base_url": f"http://me:{KEY}@127.0.0.1:port/v1"}, {"base_url": f"http://127.0.0.1/v1?key={KEY}"},
        {"base_url": f"http://127.0.0.1/v1#{KEY}"}, {"base_url": [f"http://a/{KEY}", f"http://a/{KEY}"]},
        {"key_variable": KEY}, {"extra": {"api_key": "another-key"}}, {"extra": {"h": {"Authorization": "Bearer x"}}},
    ],
)  # fmt: skip
@for_each("name", VARIABLES)
def test_a_key_that_would_be_written_down_is_refused_and_not_repeated(name, fields):
    with pytest.raises(UserError) as refused:
        models.get(name, **{"model": "m", **fields})
    text = str(refused.value)
    assert KEY not in text
    assert "another-key" not in text
    assert "\n" not in text


def test_placeholder_keys_of_local_servers_stay_in_replies(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    server = ApiServer(lambda request, times: chat("An EMPTY house."))
    (reply,) = models.get("openai:m", base_url=server.url + "/v1").reply([models.Generate("a", 5)])
    server.close()
    assert reply.value == "An EMPTY house."
