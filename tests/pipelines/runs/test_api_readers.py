"""Whole runs with a reader behind an API: killed, refused, out of money; nothing is lost and no request made twice."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter

import pytest

import pipelines
from longdoc import interrupts
from longdoc.errors import UserError
from pipelines.records import Document, Example
from tests import patience
from tests.api_server import ApiServer, chat, failure

KEY = "sk-secret-0123456789"
QUESTIONS = 8
FINAL = ("predictions.jsonl", "scores.json")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def server():
    """A server that answers with the number of the room that is asked about."""
    server = ApiServer(lambda request, times: chat(number(request)))
    yield server
    server.close()


def number(request):
    return request.prompt.split("Room", 1)[1].split()[0]


def examples(count=QUESTIONS):
    text = " ".join(f"Room{i} holds chest number {i}." for i in range(20))
    return [
        Example(f"q{i}", Document("house", text), f"What does Room{i} hold?", (f"{i}",)) for i in range(count)
    ]  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    lines = [
        {"id": e.id, "document": e.document.text, "question": e.query, "answers": list(e.references)}
        for e in examples()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(server, out, **fields):
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 1} | fields
    arguments = {"chunker": "tokens:10", "k": 1, "metrics": ["f1"], "prompt": "{query} {document}"}
    return pipelines.run("qa", data=examples(), model=model, out=out, **arguments)


def command(server, rows, out, *fields):
    model = ",".join([f"openai:gpt-x,base_url={server.url}/v1,max_retries=1", *fields])
    options = ["--data", rows, "--model", model, "--out", out, "--metric", "f1", "--chunker", "tokens:10", "--k", 1]
    return [sys.executable, "-m", "longdoc", "run", "qa", *map(str, options), "--prompt", "{query} {document}"]


@pytest.fixture
def run_command(monkeypatch, capsys):
    """Run the command in this process: exit code, stdout, stderr."""

    def type_command(*arguments):
        from pipelines.cli import main

        monkeypatch.setattr(sys, "argv", ["longdoc", *command(*arguments)[3:]])
        with pytest.raises(SystemExit) as exit_info:
            main.main()
        return exit_info.value.code, *capsys.readouterr()

    return type_command


def lines(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def final(folder):
    return {name: (folder / name).read_bytes() for name in FINAL}


def test_a_run_records_what_served_it_and_what_it_cost_and_never_the_key(server, tmp_path):
    result = run(server, tmp_path / "run", system="Be brief.", prices={"input": 1.0, "output": 10.0})
    assert (result.new_requests, result.tokens_in, result.tokens_out) == (8, 56, 16)
    assert result.cost == pytest.approx(216e-6)
    assert "cost: 0.000216 (56 tokens in, 16 out)" in str(result)
    assert result.scores["f1"] == 100.0
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert record["served"] == {"models": ["served-model"], "fingerprints": ["fp_1"]}
    assert record["spec"]["model"]["system"] == "Be brief."
    assert record["spec"]["resolved"] == {"base_url": server.url + "/v1"}
    assert record["starts"][0]["environment"]["prices"] == {"input": 1.0, "output": 10.0}
    contents = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(contents) >= 5
    assert not any(KEY.encode() in content for content in contents)


def test_results_do_not_depend_on_the_order_of_arrival(server, tmp_path):
    run(server, tmp_path / "one", concurrency=1)
    log = tmp_path / "many" / "requests.jsonl"

    def last_first(request, times):
        later = 7 - int(number(request))
        patience.until(lambda: len(lines(log)) >= later, f"the {later} replies are logged that are to come earlier")
        return chat(number(request))

    server.answer = last_first
    run(server, tmp_path / "many")
    assert final(tmp_path / "one") == final(tmp_path / "many")
    logged = [json.loads(line)["value"] for line in lines(tmp_path / "many" / "requests.jsonl")]
    assert logged == [str(i) for i in reversed(range(8))]


@pytest.mark.parametrize(
    "end", [signal.SIGKILL, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGINT, signal.SIGTERM))]
)
def test_requests_whose_replies_arrived_before_a_kill_are_not_made_again(server, rows, tmp_path, end, run_command):
    pytest.importorskip("openai", reason="openai is not installed (extra openai)")  # a process skips nothing
    all_arrived, rest_is_released = threading.Event(), threading.Event()
    early = {"1", "4", "6"}

    def answer(request, times):
        if len(server.received) == QUESTIONS:
            all_arrived.set()
        return chat(number(request), wait=all_arrived if number(request) in early else rest_is_released)

    server.answer = answer
    out = tmp_path / "run"
    process = subprocess.Popen(command(server, rows, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    patience.until(lambda: len(lines(out / "requests.jsonl")) >= len(early), "the early replies are logged")
    process.send_signal(end)
    if end != signal.SIGKILL:  # the first one waits for the replies that are held
        assert process.stderr.readline() == f"longdoc: {interrupts.STOPPING}\n".encode()
        process.send_signal(end)
    _, errors = process.communicate(timeout=patience.SECONDS)  # held replies would be in the log
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}.get(end, -end)
    if end != signal.SIGKILL:
        assert re.search(rf"kept: \d of 8 examples and 3 replies in {out}; to continue: longdoc run", errors.decode())
    assert (server.max_in_flight, len(server.received)) == (8, 8)
    assert {json.loads(line)["value"] for line in lines(out / "requests.jsonl")} == early
    rest_is_released.set()
    code, _, errors = run_command(server, rows, out)
    assert code == 0, errors
    times = Counter(map(number, server.received))
    assert {name for name, count in times.items() if count == 1} == early
    assert set(times.values()) == {1, 2}
    assert run_command(server, rows, tmp_path / "whole")[0] == 0
    assert final(out) == final(tmp_path / "whole")


def test_a_run_over_its_cost_bound_ends_cleanly_and_continues_with_a_higher_one(server, rows, tmp_path, run_command):
    prices, out = 'prices={"input": 1.0, "output": 10.0},concurrency=1', tmp_path / "run"
    code, printed, _ = run_command(server, rows, out, prices, "max_cost=0.0001")
    assert (code, len(server.received)) == (1, 4)
    assert (
        "not asked: 0.000108 is spent, max_cost is 0.0001; to continue, start the same command with a larger max_cost"
        in printed
    )
    assert "cost: 0.000108 (28 tokens in, 8 out)" in printed
    assert len(lines(out / "predictions.jsonl")) == 4
    code, *_ = run_command(server, rows, out, prices, "max_cost=0.0001")
    assert (code, len(server.received)) == (1, 4)
    code, printed, _ = run_command(server, rows, out, prices, "max_cost=1")
    assert code == 0
    assert sorted(map(number, server.received)) == [str(i) for i in range(8)]
    assert "cost: 0.000216 (56 tokens in, 16 out)" in printed


def test_a_wrong_key_is_one_line_and_shows_no_key(server, rows, tmp_path, run_command):
    server.answer = lambda request, times: failure(401, f"Incorrect API key provided: {KEY}")
    out = tmp_path / "run"
    code, printed, errors = run_command(server, rows, out)
    assert code == 2
    assert "rejects the key in OPENAI_API_KEY (HTTP 401: Incorrect API key provided: …)" in errors
    first, *others = errors.strip().splitlines()
    assert first.endswith(
        f"texts for the model openai go to {server.url.split('/')[2]}, with the key in OPENAI_API_KEY"
    )
    assert len(others) == 1
    assert KEY not in printed + errors + "".join("\n".join(lines(path)) for path in out.iterdir())


def test_one_failed_request_fails_its_example_alone_and_is_made_again(server, tmp_path):
    def answer(request, times):
        if number(request) == "5" and times < 2:
            return failure(500, f"no luck with {KEY}")
        return chat(number(request))

    server.answer = answer
    first = run(server, tmp_path / "run")
    assert dict(first.failures) == {"q5": "HTTP 500: no luck with …"}
    assert first.examples == 7
    assert KEY not in (tmp_path / "run" / "scores.json").read_text(encoding="utf-8")
    second = run(server, tmp_path / "run")
    assert (second.examples, second.new_requests, dict(second.failures)) == (8, 1, {})
    assert Counter(map(number, server.received)) == Counter({str(i): 1 for i in range(8)}) + Counter({"5": 2})


def test_settings_that_decide_no_score_may_change_and_others_not(server, tmp_path):
    run(server, tmp_path / "run")
    again = run(
        server, tmp_path / "run", concurrency=2, timeout=90.0, max_retries=3, prices={"input": 1.0, "output": 1.0}
    )
    assert (again.new_requests, again.cost) == (0, pytest.approx(72e-6))
    with pytest.raises(UserError, match=r"another run \(system of model openai: none there, Be brief\. now\)"):
        run(server, tmp_path / "run", system="Be brief.")


def test_a_dry_run_needs_no_key_and_makes_no_request(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    dry = pipelines.dry_run("qa", data=examples(), model="openai:gpt-x", chunker="tokens:10", k=1)
    assert dry.requests == 8
    with pytest.raises(UserError, match="export OPENAI_API_KEY=KEY"):
        pipelines.run("qa", data=examples(), model="openai:gpt-x", out="never")


def test_whole_documents_leave_room_for_output_and_template_in_the_window(server, tmp_path):
    """A server whose window holds all of it, one token per word, and a template of 60."""
    window = 400

    def answer(request, times):
        prompt, output = 60 + len(request.prompt.split()), request.body["max_tokens"]
        if prompt + output > window:
            return failure(400, f"maximum context length is {window} tokens. You asked for {prompt + output}.")
        return chat("x", usage=(prompt, 1))

    server.answer = answer
    rows = [Example(f"q{i}", Document(f"d{i}", "gold " * (2_000 + i)), "Sum it up.", ("x",)) for i in range(9)]
    arguments = {"data": rows, "chunker": "whole", "metrics": ["f1"], "max_new_tokens": 100}

    def model(**bound):
        return {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0} | bound

    with pytest.raises(UserError, match=r"no example could be answered.*\(window=TOKENS cuts prompts"):
        pipelines.run("qa", out=tmp_path / "bare", model=model(max_input_tokens=window), **arguments)
    fitting = pipelines.run("qa", out=tmp_path / "kept", model=model(window=window), **arguments)
    assert (fitting.examples, dict(fitting.failures)) == (9, {})
    spec = json.loads((tmp_path / "kept" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert spec["max_input_tokens"] == int((window - 100 - 128) * 0.8)
    assert spec["resolved"]["template_tokens"] == 128
    with pytest.raises(UserError, match="an output of 300 tokens and 128 for the chat template fill the window of 400"):
        pipelines.run("qa", out=tmp_path / "none", model=model(window=window), **(arguments | {"max_new_tokens": 300}))
