"""Servers and keys that a settings file names: the user decides which server gets the texts, and which key."""

import json
from pathlib import Path

import pytest
import yaml

import models
import pipelines
from longdoc import allowed_hosts
from longdoc.allowed_code import SettingsFile, marked_with_file
from longdoc.errors import UserError
from models.apis.sending.keys import KEY_HOSTS
from pipelines.engine import engines
from tests.api_server import ApiServer, chat, failure
from tests.command_line import longdoc

KEY = "canary-0123456789-abcdef"
QA = {"task": "qa", "data": "rows.jsonl", "retriever": "bm25", "k": 1}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_API_KEY"):
        monkeypatch.setenv(name, f"{KEY}-{name}")
    for name in (allowed_hosts.VARIABLE, "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    row = {"id": "a", "document": "Anna lives in Kyiv.", "question": "Where does Anna live?", "answers": ["Kyiv"]}
    Path("rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    Path("book.txt").write_text("Anna lives in Kyiv.", encoding="utf-8")


@pytest.fixture
def server():
    server = ApiServer(lambda request, times: chat("Kyiv"))
    yield server
    server.close()


def from_file(spec):
    return marked_with_file(spec, SettingsFile("settings.yaml"))


def reader(**fields):
    return models.get(from_file({"name": "openai", "model": "m", **fields}))


def settings(content):
    Path("settings.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return "settings.yaml"


def keys(server):
    return {request.headers["authorization"] for request in server.received}


@pytest.mark.parametrize("variable", ["AWS_SECRET_ACCESS_KEY", "HOME", "PATH", "GITHUB_TOKEN", "_API_KEY", "x_API_KEY"])
def test_a_file_names_variables_for_keys_of_apis_only(variable):
    problem = f"^settings.yaml takes the key of the reader openai from the variable '{variable}'. A file may only"
    for fields in (
        {},
        {"base_url": "http://127.0.0.1:9/v1"},
        {"base_url": ["http://127.0.0.1:9", "http://127.0.0.1:8"]},
    ):
        with pytest.raises(UserError, match=problem):
            reader(key_variable=variable, **fields)
    assert models.get({"name": "openai", "model": "m", "key_variable": variable}).key_variable == variable


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.example/v1", "https://EVIL.example./v1", "http://127.0.0.1.evil.example", "http://localhost.evil.example",
        "http://api.openai.com.evil.example", "https://evil.example/api.openai.com", "http://api.openai.com/v1",
        "https://xapi.openai.com", "http://0.0.0.0:8000", "http://10.0.0.1:8000", "http://[2001:db8::1]:8000",
        ["http://127.0.0.1:8000/v1", "http://evil.example/v1"],
    ],
    ids=str,
)  # fmt: skip
def test_a_host_that_is_neither_the_providers_nor_this_machine_must_be_allowed(url):
    host = allowed_hosts.host_of(url if isinstance(url, str) else url[1])
    with pytest.raises(
        UserError, match=r"^settings.yaml \(base_url of the reader openai\) sends the texts to"
    ) as error:
        reader(base_url=url)
    assert f"to {host}, which is neither" in str(error.value) and f"add --allow-host {host} (in" in str(error.value)
    with pipelines.allow_hosts(host):
        assert reader(base_url=url).sent_key is None
    assert models.get({"name": "openai", "model": "m", "base_url": url}).sent_key == "OPENAI_API_KEY"
    mixed = {"name": from_file("openai"), "model": "m", "base_url": url}
    assert models.get(mixed).sent_key == "OPENAI_API_KEY", "the address was passed in Python"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/v1", "http://localhost:9/v1", "http://[::1]:9", "http://127.8.8.8"]
)
def test_this_machine_needs_no_permission_and_gets_only_keys_of_named_variables(url):
    assert (reader(base_url=url).sent_key, reader(base_url=url)._key()) == (None, "none")
    assert reader(base_url=url, key_variable="MY_API_KEY").sent_key == "MY_API_KEY"


def test_the_providers_own_host_needs_no_permission_and_gets_its_key():
    assert reader().sends_to == ("api.openai.com",) and reader().sent_key == "OPENAI_API_KEY"
    for url in ("https://api.openai.com/v1", "https://eu.api.openai.com/v1"):
        assert reader(base_url=url).sent_key == "OPENAI_API_KEY"
    google = "https://generativelanguage.googleapis.com/v1beta/openai/"
    assert reader(base_url=google, key_variable="GEMINI_API_KEY").key_variable == "GEMINI_API_KEY"


@pytest.mark.parametrize("variable", sorted(KEY_HOSTS))
def test_a_providers_key_goes_from_a_file_to_that_provider_alone(variable):
    assert reader(base_url=f"https://{KEY_HOSTS[variable][0]}/v1", key_variable=variable).key_variable == variable
    elsewhere = [{"base_url": "http://127.0.0.1:9/v1"}, {"base_url": "https://evil.example"}]
    elsewhere += [{}] if variable != "OPENAI_API_KEY" else [{"base_url": "https://api.anthropic.com"}]
    with pipelines.allow_hosts("evil.example"):
        for fields in elsewhere:
            with pytest.raises(UserError, match=rf"^settings.yaml sends the key in {variable} to .*not its provider's"):
                reader(key_variable=variable, **fields)
    mixed = {**from_file({"name": "openai", "model": "m", "base_url": "http://127.0.0.1:9"}), "key_variable": variable}
    assert models.get(mixed).key_variable == variable, "the variable was passed in Python"


def test_headers_and_account_of_the_environment_go_to_no_server_that_a_file_names(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    client = reader(base_url="http://127.0.0.1:9/v1")._servers().all[0].client
    assert (client.organization, client.api_key) == (None, "none")
    anthropic = from_file({"name": "anthropic", "model": "m", "base_url": "http://127.0.0.1:9"})
    client = models.get(anthropic)._servers().all[0].client
    assert (client.auth_token, client.api_key) == (None, "none")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"Authorization: Bearer {KEY}")
    with pytest.raises(UserError, match="which would get the headers in OPENAI_CUSTOM_HEADERS: unset it, or type"):
        reader(base_url="http://127.0.0.1:9/v1")
    assert reader().sent_key == "OPENAI_API_KEY"


@pytest.mark.parametrize(("name", "variable"), [("ollama", "OLLAMA_API_KEY"), ("responses", "OPENAI_API_KEY")])
def test_the_same_rules_hold_for_the_other_wires(monkeypatch, name, variable):
    monkeypatch.setenv(variable, KEY)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)

    def reader_with(**fields):
        return models.get(from_file({"name": name, "model": "m", **fields}))

    with pytest.raises(UserError, match=rf"base_url of the reader {name}\) sends the texts to evil\.example"):
        reader_with(base_url="http://evil.example")
    with pytest.raises(
        UserError, match=rf"sends the key in {variable} to http://127.0.0.1:9, which is not its provider"
    ):
        reader_with(base_url="http://127.0.0.1:9", key_variable=variable)
    local_reader = reader_with(base_url="http://127.0.0.1:9")
    assert (local_reader.sent_key, local_reader._key()) == (None, "none")
    assert reader_with(base_url=f"https://{KEY_HOSTS[variable][0]}").sent_key == variable
    assert reader_with().sends_to == (("127.0.0.1:11434",) if name == "ollama" else ("api.openai.com",))


def test_a_model_folder_still_names_no_model_behind_an_api_in_a_settings_file():
    Path("folder").mkdir()
    Path("folder/reader.json").write_text(json.dumps({"name": "openai"}), encoding="utf-8")
    with pytest.raises(UserError, match="sets model of the reader openai, which counts only where you type it"):
        models.get(from_file("folder"))


@pytest.mark.parametrize("command", ["run", "run --dry-run", "prompt qa a", "ask book.txt Who?", "ablate -k 1,2"])
def test_every_command_refuses_a_hostile_server_in_one_line_before_anything_is_sent(capfd, command):
    model = {"name": "openai", "model": "m", "base_url": "http://evil.example/v1"}
    content = {"model": model} if command.startswith("ask") else {**QA, "model": model}
    code, _, err = longdoc(capfd, *command.split(), "--config", settings(content))
    assert (code, len(err.splitlines())) == (2, 1), err
    assert "settings.yaml (base_url of the reader openai) sends the texts to evil.example" in err


def test_a_judge_and_a_cluster_that_a_file_names_must_be_allowed_too(capfd):
    judge = {"name": "anthropic", "model": "m", "base_url": "http://evil.example"}
    for component in ({"judge": judge}, {"engine": {"name": "ray", "address": "ray://evil.example:10001"}}):
        code, _, err = longdoc(capfd, "run", "--config", settings({**QA, "model": "extractive", **component}))
        assert (code, "sends the texts to evil.example, which is neither" in err) == (2, True), err
    with pytest.raises(UserError, match=r"sends the texts to evil\.example"):
        engines.get(from_file("ray:address=evil.example:6379"))
    assert engines.get(from_file("ray:address=auto")).sends_to == ()
    assert engines.get("ray:address=ray://gpu1:10001").sends_to == ("gpu1",)


def test_each_run_says_which_host_gets_the_texts_and_a_file_sends_no_key_there(capfd, server):
    local = {"name": "openai", "model": "m", "base_url": server.url}
    host = server.url.split("/")[2]
    code, _, err = longdoc(capfd, "run", "--config", settings({**QA, "model": local, "judge": local}), "--out", "r")
    assert code in (0, 1), err
    assert err.index(f"longdoc: texts for the model openai go to {host}, without a key\n") < err.index("the judge")
    assert f"longdoc: texts for the judge openai go to {host}, without a key\n" in err
    assert keys(server) == {"Bearer none"}
    code, _, err = longdoc(capfd, "ask", "book.txt", "Who lives in Kyiv?", "-m", f"openai:m,base_url={server.url}")
    assert code == 0 and f"texts for the model openai go to {host}, with the key in OPENAI_API_KEY\n" in err
    assert keys(server) == {"Bearer none", f"Bearer {KEY}-OPENAI_API_KEY"}
    code, _, err = longdoc(capfd, "ablate", "--grid", settings({**QA, "model": local, "k": [1, 2]}))
    assert err.count(f"texts for the model openai go to {host}, without a key\n") == 1, err
    code, _, err = longdoc(
        capfd, "run", "--config", settings({**QA, "model": local, "engine": "batch:files", "max_new_tokens": 9})
    )
    assert (
        code,
        f"requests to the model openai are written to files for {host}: nothing is sent from here\n" in err,
    ) == (3, True), err


def test_a_server_that_wants_a_key_is_answered_with_what_to_write(server):
    server.answer = lambda request, times: failure(401, "who are you?")
    with pytest.raises(UserError, match=r"needs a key .* add key_variable=MY_API_KEY to that file$"):
        pipelines.ask(
            "book.txt", "Who lives in Kyiv?", model=from_file({"name": "openai", "model": "m", "base_url": server.url})
        )


def test_a_host_is_allowed_by_option_and_by_variable(capfd, monkeypatch):
    words = ("prompt", "qa", "a", "--config", settings({**QA, "model": "openai:m,base_url=http://gpu1:8000/v1"}))
    assert longdoc(capfd, *words)[0] == 2
    assert longdoc(capfd, *words, "--allow-host", "gpu2")[0] == 2
    assert longdoc(capfd, *words, "--allow-host", "GPU1")[0] == 0
    assert longdoc(capfd, *words)[0] == 2
    monkeypatch.setenv("LONGDOC_ALLOW_HOSTS", "gpu0, gpu1")
    assert longdoc(capfd, *words)[0] == 0


@pytest.mark.parametrize("host", ["http://gpu1:8000/v1", "gpu1:8000", "", "a b", "*", "gpu1/x", "x@gpu1"])
def test_an_invalid_host_is_refused(host):
    with (
        pytest.raises(UserError, match=r"^--allow-host takes the name of a host, got .*: give it alone"),
        pipelines.allow_hosts(host),
    ):
        pass
