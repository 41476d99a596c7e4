"""Several servers of one model: one dies, one is slow, one is broken, one comes back; no request is lost."""

import json
import socket
import threading

import pytest

import models
import pipelines
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Generate
from models.apis.sending import servers as servers_module
from models.apis.sending.servers import Server, Servers, Unavailable
from tests import patience
from tests.api_server import Answer, ApiServer, chat, failure, json_answer

PROMPTS = [f"p{i}" for i in range(24)]


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def start():
    """A function that starts a server, which answers with the prompt in capitals by default."""
    started = []

    def start_one(answer=lambda request, times: chat(request.prompt.upper()), **options):
        started.append(ApiServer(answer, **options))
        return started[-1]

    yield start_one
    for server in started:
        server.close()


def make_reader(*servers, **fields):
    urls = [server if isinstance(server, str) else f"{server.url}/v1" for server in servers]
    return models.get("openai:gpt-x", base_url=urls, **{"max_retries": 2, "timeout": 20.0} | fields)


def ask(*servers, prompts=PROMPTS, **fields):
    return make_reader(*servers, **fields).reply([Generate(prompt, 5) for prompt in prompts])


def outputs(replies):
    return [reply.value for reply in replies]


ALL = [prompt.upper() for prompt in PROMPTS]


def dead_address():
    """The address of a port where no server listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def test_addresses_are_typed_as_a_list():
    reader = models.get("openai:m,base_url=[http://a:8000/v1,http://b:8000/v1],concurrency=3")
    assert reader.urls == ("http://a:8000/v1", "http://b:8000/v1")
    assert (reader.concurrency, reader.in_flight) == (3, 6)
    assert describe(models.get(describe(reader))) == describe(reader)
    assert models.get("anthropic:m,base_url=[http://a:8000]").several


@pytest.mark.parametrize(
    ("urls", "problem"),
    [
        ([], "is a list of different addresses"),
        (["http://a/v1", "http://a/v1"], "is a list of different addresses"),
        (["http://a/v1", "b:8000"], "base_url must be like"),
    ],
)
def test_lists_without_addresses_or_with_equal_or_wrong_ones_are_refused(urls, problem):
    with pytest.raises(UserError, match=problem):
        models.get("openai:m", base_url=urls)


def test_requests_go_to_all_servers_and_replies_name_theirs(start):
    servers = [start(lambda request, times: chat(request.prompt.upper(), wait=0.02)) for _ in range(3)]
    replies = ask(*servers, concurrency=2)
    assert outputs(replies) == ALL
    assert [server.max_in_flight for server in servers] == [2, 2, 2]
    assert {url for reply in replies for url in reply.served["servers"]} == {f"{server.url}/v1" for server in servers}
    assert min(len(server.received) for server in servers) >= 4


def test_a_slow_server_gets_few_requests(start):
    release = threading.Event()
    slow = start(lambda request, times: chat(request.prompt.upper(), wait=release))
    fast = start()
    replies = make_reader(slow, fast, concurrency=1).stream([Generate(prompt, 5) for prompt in PROMPTS])
    first = [next(replies) for _ in PROMPTS[1:]]
    release.set()
    assert outputs([reply for _, reply in sorted([*first, *replies], key=lambda one: one[0])]) == ALL
    assert (len(slow.received), len(fast.received)) == (1, len(PROMPTS) - 1)


def test_requests_under_way_at_a_server_that_dies_are_answered_by_another(start):
    lost = chat("lost", missing_bytes=20)
    dying = start(lambda request, times: lost)
    good = start()
    replies = ask(dying, good, max_retries=0, concurrency=4)
    assert outputs(replies) == ALL
    assert {reply.served["servers"] for reply in replies} == {(f"{good.url}/v1",)}


def test_a_server_that_answers_5xx_is_set_aside_after_three_in_a_row(start):
    broken = start(lambda request, times: failure(500, "CUDA error"), pages={"/health": Answer(b"", 503)})
    good = start()
    reader = make_reader(broken, good, concurrency=1)
    reader._servers().checked = True
    assert outputs(reader.reply([Generate(prompt, 5) for prompt in PROMPTS])) == ALL
    assert len(broken.received) == 3


def test_a_server_that_comes_back_is_asked_again(start, capsys):
    first, second = start(), start()
    port = int(first.url.rpartition(":")[2])
    reader = make_reader(first, second, concurrency=1)
    assert outputs(reader.reply([Generate("a", 5), Generate("b", 5)])) == ["A", "B"]
    first.close()
    gone = reader._servers().all[0]
    reader._servers().set_aside(gone, "closed")
    gone.until = 0.0
    assert outputs(reader.reply([Generate("c", 5), Generate("d", 5)])) == ["C", "D"]
    assert gone.aside
    restarted = start(port=port)
    gone.until = 0.0
    assert outputs(reader.reply([Generate(prompt, 5) for prompt in "efgh"])) == ["E", "F", "G", "H"]
    assert not gone.aside
    assert len(first.received) + len(restarted.received) > 1  # a connection that was kept open belongs to the first
    assert f"longdoc: {gone.url} answers again" in capsys.readouterr().err


def test_a_prompt_that_every_server_fails_on_is_its_own_error_and_the_others_go_on(start, monkeypatch):
    monkeypatch.setattr(servers_module.time, "sleep", lambda seconds: None)
    servers = [
        start(lambda request, times: failure(500, "oh") if request.prompt == "bad" else chat("good")) for _ in range(2)
    ]
    good, bad, last = ask(*servers, prompts=["a", "bad", "b"], max_retries=2)
    assert (good.value, last.value, bad.error) == ("good", "good", "HTTP 500: oh")
    assert sum(server.prompts.count("bad") for server in servers) == 3


def test_a_server_that_is_busy_is_left_alone_as_long_as_it_says(start):
    busy = start(lambda request, times: failure(429, "busy", headers={"Retry-After": "30"}))
    good = start()
    assert outputs(ask(busy, good, concurrency=1)) == ALL
    assert len(busy.received) == 1


def test_a_wrong_path_or_model_ends_the_run_and_names_the_server(start):
    wrong = start(lambda request, times: failure(404, "the model gpt-x does not exist"))
    with pytest.raises(UserError, match=f"{wrong.url}/v1 has no such path or no model 'gpt-x'"):
        ask(wrong, prompts=["a"])


def test_servers_that_are_not_there_at_the_start_are_named_and_the_others_used(start, capsys):
    gone, good = dead_address(), start()
    assert outputs(ask(gone, good)) == ALL
    messages = capsys.readouterr().err
    assert f"longdoc: {gone} does not answer and is checked again later: GET /health failed: " in messages
    assert good.url not in messages


def test_without_any_server_the_run_ends_before_the_first_request():
    urls = dead_address(), dead_address()
    with pytest.raises(UserError, match=r"none of the 2 servers answers .*start them, or give others with base_url="):
        ask(*urls)


def test_servers_that_are_all_lost_end_the_run_with_what_was_answered_kept(start, monkeypatch):
    monkeypatch.setattr(servers_module, "PATIENCE", 0.2)  # and the usual timeout: a busy machine answers late
    server = start()
    reader = make_reader(server, concurrency=1)

    def answer(request, times):
        if len(server.received) < 4:
            return chat(request.prompt.upper())
        server.pages["/health"] = Answer(b"", 503)
        return chat("lost", missing_bytes=10)

    server.answer = answer
    replies = reader.stream([Generate(prompt, 5) for prompt in PROMPTS])
    assert [next(replies)[1].value for _ in range(3)] == ["P0", "P1", "P2"]
    with pytest.raises(UserError, match=r"none of the 1 servers answers .*GET /health gave HTTP 503"):
        next(replies)


def listed(name, window=None):
    return json_answer({"object": "list", "data": [{"id": name, "object": "model", "max_model_len": window}]})


def test_servers_that_differ_are_named_at_the_start(start, capsys):
    one = start(pages={"/v1/models": listed("gpt-x", 8192), "/version": json_answer({"version": "0.11.0"})})
    two = start(pages={"/v1/models": listed("gpt-x", 4096), "/server_info": json_answer({"version": "0.5.4"})})
    three = start(pages={"/v1/models": listed("other")})
    replies = ask(one, two, three, window=8000)
    assert [line.removeprefix("longdoc: ") for line in capsys.readouterr().err.splitlines()] == [
        f"{three.url}/v1 does not list the model gpt-x; it has other",
        f"the servers differ in models: {one.url}/v1 gpt-x; {two.url}/v1 gpt-x; {three.url}/v1 other",
        f"the servers differ in the context window of gpt-x: {one.url}/v1 8192; {two.url}/v1 4096",
        f"the servers differ in version: {one.url}/v1 0.11.0; {two.url}/v1 0.5.4",
        f"The server at {one.url}/v1 does not count tokens (/tokenize); longdoc estimates them.",
        "window=8000 is more than the server's context window of 4,096 tokens; longer prompts are shortened to fit "
        "the server's.",
    ]
    assert {reply.served.get("versions") for reply in replies} == {("0.11.0",), ("0.5.4",), None}


def test_checks_are_made_less_and_less_often(monkeypatch):
    now, checked = [0.0], []
    monkeypatch.setattr(servers_module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(servers_module, "problem_of", lambda url, seconds: checked.append((url, now[0])) or "gone")
    monkeypatch.setattr(servers_module, "note", lambda line: None)
    gone, good = Server("gone", None), Server("good", None)
    servers = Servers([gone, good], 1, 600.0)

    def send(server):
        if server is gone:
            raise Unavailable("broken off", is_counted=False, is_gone=True)
        return models.apis.sending.response.ApiResponse(("x",), "stop", 1, 1)

    for second in range(200):
        now[0] = float(second)
        assert servers.ask(send, 0).server == "good"
    assert [when for _, when in checked] == [0, 1, 3, 7, 15, 31, 63, 123, 183]


def test_requests_that_fail_together_set_a_server_aside_once():
    gone = Server("gone", None)
    servers = Servers([gone, Server("good", None)], 8, 600.0)
    for _ in range(8):
        servers._fails(gone, Unavailable("broken off", is_counted=False, is_gone=True))
    assert (gone.aside, gone.strikes) == (True, 1)


def test_a_reader_whose_servers_were_all_gone_asks_them_again(start, monkeypatch):
    monkeypatch.setattr(servers_module, "PATIENCE", 0.2)
    server = start(lambda request, times: chat("lost", missing_bytes=9))
    reader = make_reader(server, concurrency=1)
    reader._servers().checked = True
    server.pages["/health"] = Answer(b"", 503)
    with pytest.raises(UserError, match="none of the 1 servers answers"):
        reader.reply([Generate("a", 5)])
    server.pages, server.answer = {}, lambda request, times: chat("A")
    assert outputs(reader.reply([Generate("a", 5)])) == ["A"]


def rows_file(folder):
    path = folder / "rows.jsonl"
    lines = [
        {"id": f"q{i}", "document": f"Room{i} holds {i}.", "question": f"Room{i}?", "answer": f"{i}"} for i in range(6)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_run_goes_on_at_other_addresses_and_asks_nothing_again(start, tmp_path, monkeypatch):
    monkeypatch.setattr(servers_module, "PATIENCE", 0.2)
    log = tmp_path / "run" / "requests.jsonl"

    def run(*servers):
        model = {"name": "openai", "model": "gpt-x", "base_url": [f"{server.url}/v1" for server in servers]}
        options = {"model": model, "k": 1, "metrics": ["f1"], "report": False}
        return pipelines.run("qa", data=data, out=tmp_path / "run", **options)

    data = rows_file(tmp_path)
    first, second, third = start(), start(), start()
    answers = threading.Lock()
    prompts = []

    def until_three(request, times):
        with answers:
            prompts.append(request.prompt)
            if len(prompts) <= 3:
                return chat("x")
        # the run ends at once, and a reply that is still on its way would be lost
        patience.until(lambda: len(log.read_bytes().splitlines()) == 3, "three replies are logged")
        for server in (first, second):
            server.pages["/health"] = Answer(b"", 503)
        return failure(503, "stopping")

    first.answer = second.answer = until_three
    with pytest.raises(UserError, match="none of the 2 servers answers"):
        run(first, second)
    result = run(third)
    assert (result.examples, result.new_requests, len(third.received)) == (6, 3, 3)
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert set(record["served"]["servers"]) >= {f"{third.url}/v1"}
    assert "base_url" not in record["spec"]["model"] | record["spec"]["resolved"]
    assert record["starts"][-1]["environment"]["base_url"] == [f"{third.url}/v1"]
