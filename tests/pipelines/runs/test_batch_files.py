"""Runs by batch files write the files of a live run, whatever happens to the replies on their way."""

import json
import shutil
import sys
import zlib

import pytest

import pipelines
from longdoc.errors import RepliesAwaited, UserError
from pipelines.plugins.batch import formats
from pipelines.records import Document, Example
from tests.api_server import ApiServer, chat, failure, json_answer, message, text_block
from tests.batch_server import BatchServer, read_requests, write_lines

FINAL = ("predictions.jsonl", "scores.json")
ROUNDS = 12


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def digest(request):
    return zlib.crc32(json.dumps(request.body["messages"]).encode())


def rule(request, times):
    """Some of the prompt's words, which decide how the answer ends; as many answers as are asked for."""
    words = [word for word in request.prompt.split() if word[0].isalnum()]
    finish = {0: "length", 1: "content_filter"}.get(digest(request) % 9, "stop")
    texts = [" ".join(words[digest(request) % len(words) :][: i + 2]) for i in range(request.body.get("n", 1))]
    return chat(*[f"<think>hm</think>{text} END more" for text in texts], finish=finish, usage=(len(words), 3))


@pytest.fixture
def live():
    server = ApiServer(rule)
    yield server
    server.close()


def examples(count=6):
    text = " ".join(f"Room{i} holds chest number {i} below the green hill." for i in range(12))
    return [
        Example(f"q{i}", Document(f"house{i % 2}", text), f"What does Room{i} hold?", (f"chest number {i}",))
        for i in range(count)
    ]


def run(url, out, folder=None, *, count=6, engine="", model=None, **arguments):
    reader = {"name": "openai", "model": "gpt-x", "base_url": url + "/v1", "max_retries": 2} | (model or {})
    engine_argument = {"engine": f"batch:{folder}{engine}"} if folder else {}
    recipe = {"chunker": "tokens:20", "retriever": "bm25", "k": 2, "metrics": ["f1"], "prompt": "{query} {document}"}
    recipe |= {"data": examples(count), "report": False}
    return pipelines.run("qa", model=reader, out=out, **{**recipe, **engine_argument, **arguments})


def newest(folder):
    return max(folder.glob("requests-*"))


def to_the_end(server, start, folder, errors=False):
    """Start, let the server answer the files that wait, and start again until the run has ended."""
    batches = []
    for _ in range(ROUNDS):
        try:
            return start(), batches
        except RepliesAwaited as error:
            for path in map(folder.parent.joinpath, error.files):
                errors_file = path.with_name(path.name.replace("requests", "errors"))
                batches.append(server.answer(path, errors=errors_file if errors else None))
    raise AssertionError("the run never ends")


def final(folder):
    return {name: (folder / name).read_bytes() for name in FINAL}


def logged(folder):
    """The logged replies without what tells starts apart."""
    with (folder / "requests.jsonl").open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return sorted(json.dumps({n: v for n, v in record.items() if n not in ("start", "crc32")}) for record in records)


@pytest.mark.parametrize("strategy", ["stuff", "map_reduce", "vote", "refine"])
def test_the_files_are_those_of_a_run_that_asked_live(live, tmp_path, strategy):
    """However many rounds the strategy has, and though lines are lost, doubled and reordered."""
    run(live.url, tmp_path / "live", strategy=strategy)
    folder = tmp_path / "files"
    server = BatchServer(rule, drop=0.2, double=0.3)
    _, batches = to_the_end(server, lambda: run(live.url, tmp_path / "run", folder, strategy=strategy), folder)
    assert final(tmp_path / "run") == final(tmp_path / "live")
    assert logged(tmp_path / "run") == logged(tmp_path / "live")
    bodies = [json.dumps(record["body"], sort_keys=True) for records in batches for record in records]
    assert set(bodies) == {json.dumps(request.body, sort_keys=True) for request in live.received}


def test_while_replies_are_awaited_nothing_is_scored_and_nothing_is_asked_twice(live, tmp_path):
    folder = tmp_path / "files"
    for _ in range(2):
        with pytest.raises(RepliesAwaited) as error:
            run(live.url, tmp_path / "run", folder)
        assert error.value.files == (str(folder / "requests-001.jsonl"),)
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "batch.json", "requests-001.jsonl"]
    assert not any((tmp_path / "run" / name).exists() for name in FINAL)
    first = read_requests(folder / "requests-001.jsonl")[0]
    assert list(first) == ["custom_id", "method", "url", "body"]
    assert (first["method"], first["url"], len(first["custom_id"])) == ("POST", "/v1/chat/completions", 64)
    assert first["body"].keys() == {"model", "messages", "max_tokens", "temperature"}
    assert live.received == []


def test_the_command_says_what_to_type_and_ends_with_status_3(live, tmp_path, monkeypatch, capsys):
    from pipelines.cli import main

    monkeypatch.chdir(tmp_path)
    rows = [{"id": e.id, "document": e.document.text, "question": e.query, "answers": ["x"]} for e in examples()]
    write_lines(tmp_path / "rows.jsonl", rows)
    model = f"openai:gpt-x,base_url={live.url}/v1"
    command = [
        "longdoc",
        "run",
        "qa",
        "--data",
        "rows.jsonl",
        "--model",
        model,
        "--out",
        "run",
        "--engine",
        "batch:files",
    ]
    monkeypatch.setattr(sys, "argv", [*command, "--no-report"])

    def status():
        with pytest.raises(SystemExit) as exit_info:
            main.main()
        return exit_info.value.code

    assert status() == 3
    printed, errors = capsys.readouterr()
    assert printed.startswith(
        "6 requests wait for replies; nothing is scored yet:\n  files/requests-001.jsonl: 6 requests"
    )
    assert "vllm run-batch -i files/requests-001.jsonl -o files/replies-001.jsonl --model gpt-x\n" in printed
    assert "-F purpose=batch -F file=@files/requests-001.jsonl" in printed
    assert printed.endswith(f"# then go on:\n{' '.join(command)} --no-report\n")
    host = live.url.split("/")[2]
    assert (
        errors == f"longdoc: requests to the model openai are written to files for {host}: nothing is sent from here\n"
    )
    BatchServer(rule).answer(tmp_path / "files" / "requests-001.jsonl")
    assert status() == 0


def test_errors_that_may_pass_are_named_and_asked_again_and_others_fail_as_live(live, tmp_path, capsys):
    """Each error that stays fails its own example, with the message that it has live."""

    def answer(request, times):
        if "Room1 hold?" in request.prompt:
            return failure(400, "it has a bad word")
        return failure(500, "overloaded") if "Room2 hold?" in request.prompt else rule(request, times)

    live.answer = answer
    live_result = run(live.url, tmp_path / "live", model={"max_retries": 0})
    for vllm, name in ((False, "own"), (True, "vllm")):
        folder = tmp_path / name / "files"
        server = BatchServer(answer, vllm=vllm)
        result, batches = to_the_end(
            server, lambda out=tmp_path / name / "run", folder=folder: run(live.url, out, folder), folder, errors=True
        )
        assert dict(result.failures) == dict(live_result.failures)
        assert dict(result.failures) == {"q1": "HTTP 400: it has a bad word", "q2": "HTTP 500: overloaded"}
        assert final(tmp_path / name / "run") == final(tmp_path / "live")
        assert [len(records) for records in batches] == [6, 1, 1]
        errors = capsys.readouterr().err
        assert "1 request asked again in the next file: HTTP 500: overloaded (custom_id " in errors
        assert "1 request failed for good: HTTP 400: it has a bad word (custom_id " in errors


def test_a_wrong_key_or_model_ends_the_run_as_live(live, tmp_path):
    folder = tmp_path / "files"
    with pytest.raises(UserError, match=r"no model 'gpt-x' \(HTTP 404: not here\)"):
        to_the_end(
            BatchServer(lambda *_: failure(404, "not here")), lambda: run(live.url, tmp_path / "run", folder), folder
        )


def waiting_run(live, tmp_path):
    """A run that waits, and the lines of replies to its requests."""
    folder = tmp_path / "files"
    with pytest.raises(RepliesAwaited):
        run(live.url, tmp_path / "run", folder)
    BatchServer(rule, reorder=False).answer(folder / "requests-001.jsonl", tmp_path / "replies.jsonl")
    return folder, (tmp_path / "replies.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def go_on(live, tmp_path):
    """Start again; the number of requests in the next file, None where the run has ended."""
    try:
        run(live.url, tmp_path / "run", tmp_path / "files")
    except RepliesAwaited as error:
        return len(read_requests(max(map(tmp_path.joinpath, error.files))))
    return None


def test_a_file_that_was_cut_off_is_named_and_lost_requests_are_asked_again(live, tmp_path, capsys):
    folder, lines = waiting_run(live, tmp_path)
    (folder / "replies-001.jsonl").write_text("".join(lines)[: -len(lines[-1]) // 2], encoding="utf-8")
    assert go_on(live, tmp_path) == 1
    errors = capsys.readouterr().err
    assert f"{folder}/replies-001.jsonl: line 6 is cut off: left out" in errors
    assert "1 request asked again in the next file: the replies have no line for it (custom_id " in errors
    (folder / "replies-001.jsonl").write_text("".join(lines), encoding="utf-8")
    assert go_on(live, tmp_path) is None


def test_answers_that_differ_are_named_and_the_first_counts(live, tmp_path, capsys):
    folder, lines = waiting_run(live, tmp_path)
    other = json.loads(lines[0])
    other["response"]["body"]["choices"][0]["message"]["content"] = "something else"
    write_lines(folder / "b.jsonl", [other, json.loads(lines[1])])
    (folder / "a.jsonl").write_text("".join(lines), encoding="utf-8")
    assert go_on(live, tmp_path) is None
    assert "1 request has several answers that differ" in capsys.readouterr().err
    assert "something else" not in (tmp_path / "run" / "requests.jsonl").read_text(encoding="utf-8")


def test_replies_to_other_requests_are_refused_before_any_is_used(live, tmp_path):
    folder, lines = waiting_run(live, tmp_path)
    (folder / "replies-001.jsonl").write_text("".join(lines), encoding="utf-8")
    foreign = [json.loads(line) | {"custom_id": f"{number:064}"} for number, line in enumerate(lines)]
    write_lines(folder / "other.jsonl", foreign)
    with pytest.raises(UserError, match=r"^none of the 6 replies in .*other.jsonl is to a request in .*move it out"):
        go_on(live, tmp_path)
    assert (tmp_path / "run" / "requests.jsonl").read_bytes() == b""
    write_lines(folder / "other.jsonl", [*foreign, json.loads(lines[0])])
    assert go_on(live, tmp_path) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not JSON at all\n", r"replies.jsonl is not a file of replies \(line 1: Expecting value"),
        ('{"id": 7}\n', r"replies.jsonl is not a file of replies \(line 1: it has no custom_id\)"),
        ('{"custom_id": "a", "method": "POST"}\n', r"replies.jsonl holds requests, not replies"),
    ],
)
def test_files_of_something_else_are_refused_by_name(live, tmp_path, content, message):
    folder, _ = waiting_run(live, tmp_path)
    (folder / "replies.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        go_on(live, tmp_path)


def test_an_empty_file_is_named_and_the_requests_go_on_waiting(live, tmp_path, capsys):
    folder, _ = waiting_run(live, tmp_path)
    (folder / "replies-001.jsonl").touch()
    assert go_on(live, tmp_path) == 6
    assert capsys.readouterr().err.endswith(f"\nlongdoc: {folder}/replies-001.jsonl is empty\n")


def test_replies_of_a_model_with_another_name_are_remarked_on(live, tmp_path, capsys):
    folder, lines = waiting_run(live, tmp_path)
    (folder / "replies-001.jsonl").write_text("".join(lines), encoding="utf-8")
    assert go_on(live, tmp_path) is None
    assert "the model names itself served-model in " in capsys.readouterr().err


def test_replies_are_found_again_when_the_folder_of_the_run_is_gone(live, tmp_path):
    folder, lines = waiting_run(live, tmp_path)
    (folder / "replies-001.jsonl").write_text("".join(lines), encoding="utf-8")
    assert go_on(live, tmp_path) is None
    before = final(tmp_path / "run")
    shutil.rmtree(tmp_path / "run")
    assert go_on(live, tmp_path) is None
    assert final(tmp_path / "run") == before


def test_a_run_that_waits_can_be_finished_live(live, tmp_path):
    waiting_run(live, tmp_path)
    run(live.url, tmp_path / "run")
    run(live.url, tmp_path / "live")
    assert final(tmp_path / "run") == final(tmp_path / "live")


def test_files_are_split_at_the_limits_of_the_provider(live, tmp_path, monkeypatch):
    monkeypatch.setattr(formats.OpenaiFormat, "most_requests", 4)
    with pytest.raises(RepliesAwaited) as error:
        run(live.url, tmp_path / "run", tmp_path / "files")
    assert [len(read_requests(tmp_path / name)) for name in error.value.files] == [4, 2]
    monkeypatch.setattr(formats.OpenaiFormat, "most_bytes", 1_200)
    with pytest.raises(RepliesAwaited) as error:
        run(live.url, tmp_path / "again", tmp_path / "small")
    sizes = [(tmp_path / name).stat().st_size for name in error.value.files]
    assert len(sizes) == 3
    assert max(sizes) <= 1_200


PRICES = {"prices": {"input": 1.0, "output": 10.0}}


def test_batches_cost_the_share_that_is_given(live, tmp_path):
    folder = tmp_path / "files"
    whole = run(live.url, tmp_path / "live", model=PRICES)
    half, _ = to_the_end(
        BatchServer(rule), lambda: run(live.url, tmp_path / "run", folder, engine=",price=0.5", model=PRICES), folder
    )
    assert half.cost == pytest.approx(whole.cost / 2)
    start = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["starts"][0]
    assert start["environment"]["prices"] == {"input": 0.5, "output": 5.0}
    assert start["environment"]["batch_price"] == 0.5
    scores = json.loads((tmp_path / "run" / "scores.json").read_text(encoding="utf-8"))
    assert scores["usage"]["cost"] == pytest.approx(whole.cost / 2)


def test_no_file_may_cost_more_than_max_cost(live, tmp_path, capsys):
    """What each request costs at most is counted, with what was spent before."""
    folder = tmp_path / "files"

    def start(max_cost):
        model = PRICES | {"max_cost": max_cost}
        return run(live.url, tmp_path / "run", folder, model=model, max_new_tokens=100)

    with pytest.raises(RepliesAwaited, match=r"price at most 0\.00") as error:
        start(0.004)
    (path,) = map(tmp_path.joinpath, error.value.files)
    assert len(read_requests(path)) == 3
    assert "3 requests left out of the next file by max_cost" in capsys.readouterr().err
    with pytest.raises(UserError, match=r"^max_cost is reached: 6 requests that could cost more are not asked"):
        run(live.url, tmp_path / "dear", tmp_path / "empty", model=PRICES | {"max_cost": 0.0005}, max_new_tokens=100)
    result, batches = to_the_end(BatchServer(rule), lambda: start(1.0), folder)
    assert (result.examples, len({record["custom_id"] for records in batches for record in records})) == (6, 6)


def test_prompts_over_the_window_are_cut_again_as_live(live, tmp_path):
    def answer(request, times):
        words = len(request.prompt.split())
        if words > 20:
            return failure(400, f"maximum context length is 30 tokens. However, your prompt contains {words} tokens")
        return rule(request, times)

    live.answer = answer
    arguments = {"model": {"window": 200}, "max_new_tokens": 10}
    run(live.url, tmp_path / "live", **arguments)
    folder = tmp_path / "files"
    _, batches = to_the_end(BatchServer(answer), lambda: run(live.url, tmp_path / "run", folder, **arguments), folder)
    assert final(tmp_path / "run") == final(tmp_path / "live")
    ids = [record["custom_id"] for records in batches for record in records]
    assert len(batches) > 1
    assert len(set(ids)) == len(ids)
    assert len({id[:40] for id in ids}) == 6


def test_anthropic_has_batch_files_of_its_own_form(tmp_path):
    server = ApiServer(lambda request, times: message(text_block(request.prompt.split()[-1])))
    try:
        model = {"name": "anthropic", "model": "claude-x", "base_url": server.url}
        run(server.url, tmp_path / "live", strategy="map_reduce", model=model)
        folder = tmp_path / "files"
        _, batches = to_the_end(
            BatchServer(server.answer, drop=0.1, double=0.2),
            lambda: run(server.url, tmp_path / "run", folder, strategy="map_reduce", model=model),
            folder,
        )
    finally:
        server.close()
    assert final(tmp_path / "run") == final(tmp_path / "live")
    assert json.loads((folder / "requests-001.json").read_text(encoding="utf-8")) == {"requests": batches[0]}
    assert list(batches[0][0]) == ["custom_id", "params"]


def test_the_runs_of_an_ablation_ask_in_one_file(live, tmp_path):
    def ablate(**arguments):
        reader = {"name": "openai", "model": "gpt-x", "base_url": live.url + "/v1"}
        return pipelines.ablate(
            "qa", data=examples(), model=reader, prompt="{query} {document}", metrics=["f1"], chunker="tokens:20",
            k=[1, 2], strategy=["stuff", "map_reduce"], report=False, **arguments,
        )  # fmt: skip

    folder = tmp_path / "files"
    ablate(out=tmp_path / "live")
    _, batches = to_the_end(
        BatchServer(rule, drop=0.1), lambda: ablate(out=tmp_path / "run", engine=f"batch:{folder}"), folder
    )
    assert len(list(folder.glob("requests-*"))) == len(batches)
    live_runs = sorted(path.parent for path in (tmp_path / "live").rglob("scores.json"))
    assert len(live_runs) == 4
    for live_run in live_runs:
        assert final(tmp_path / "run" / live_run.relative_to(tmp_path / "live")) == final(live_run)


def test_several_tasks_ask_in_one_file(live, tmp_path):
    reader = {"name": "openai", "model": "gpt-x", "base_url": live.url + "/v1"}
    arguments = {"data": "sample", "model": reader, "limit": 2, "retriever": "bm25", "k": 1, "report": False}
    folder = tmp_path / "files"
    with pytest.raises(RepliesAwaited) as error:
        pipelines.run_tasks(["narrativeqa", "hotpotqa"], out=tmp_path / "run", engine=f"batch:{folder}", **arguments)
    (path,) = map(tmp_path.joinpath, error.value.files)
    assert len(read_requests(path)) == 4


@pytest.mark.parametrize("call", [pipelines.run, pipelines.dry_run])
@pytest.mark.parametrize("model", ["extractive", "ollama:m", "responses:m"])
def test_readers_without_batch_files_are_refused(tmp_path, call, model):
    out = {"out": tmp_path / "run"} if call is pipelines.run else {}
    name = model.partition(":")[0]
    with pytest.raises(UserError, match=rf"^batch files are for readers behind an API: .*, not {name}$"):
        call("qa", data=examples(), model=model, engine=f"batch:{tmp_path}/files", **out)
    assert not (tmp_path / "files").exists()


def test_folders_of_something_else_are_refused(live, tmp_path):
    with pytest.raises(RepliesAwaited):
        run(live.url, tmp_path / "run", tmp_path / "files")
    with pytest.raises(UserError, match=r"is a run's folder: name another one for the batch files$"):
        run(live.url, tmp_path / "run", tmp_path / "run")
    (tmp_path / "files" / "batch.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match=r"batch.json is damaged: name another folder"):
        run(live.url, tmp_path / "run", tmp_path / "files")
    (tmp_path / "files" / "batch.json").unlink()
    with pytest.raises(UserError, match=r"requests-001.jsonl is in no batch.json beside it"):
        run(live.url, tmp_path / "run", tmp_path / "files")


def test_replies_that_are_not_json_of_the_api_fail_as_live(live, tmp_path):
    live.answer = lambda request, times: json_answer({"hello": 1})
    with pytest.raises(UserError, match=r"no example could be answered; .* instead of the API's JSON"):
        run(live.url, tmp_path / "live")
    with pytest.raises(UserError, match=r"no example could be answered; .* instead of the API's JSON"):
        to_the_end(
            BatchServer(live.answer), lambda: run(live.url, tmp_path / "run", tmp_path / "files"), tmp_path / "files"
        )
