"""A run stops sending once most of its first outputs are empty; what came is kept, and `go_on` sends the rest."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models import Reader, StreamingReader
from models.requests import Generate, Reply
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat
from tests.command_line import longdoc

COUNT = 30


@dataclass(frozen=True, eq=False)
class Writer(Reader):
    """Answers the first `good` questions; its replies to the others have `output` and `thinking`."""

    good: int = 0
    output: str = ""
    thinking: str = ""
    finish_reason: str = "stop"
    stops: bool = True
    received: list[str] = field(default_factory=list, repr=False)

    supports = frozenset({Generate})
    batch_requests = 4

    @property
    def stops_when_empty(self) -> bool:  # type: ignore[override]
        return self.stops

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Any]) -> list[Reply]:
        return [self._reply(request) for request in requests]

    def _reply(self, request: Any) -> Reply:
        self.received.append(request.prompt.query)
        if int(request.prompt.query.split()[-1]) < self.good:
            return Reply("Anna", 5, 1)
        return Reply(self.output, 5, 1, finish_reason=self.finish_reason, thinking=self.thinking)


@dataclass(frozen=True, eq=False)
class StreamingWriter(Writer, StreamingReader):
    """The same, one request after the other."""

    def stream(self, requests: Any, arrived: Any) -> Any:
        for index, request in enumerate(requests):
            reply = self._reply(request)
            arrived(index, reply)
            yield index, reply

    reply = StreamingReader.reply


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    lines = [
        {"id": f"q{n:02}", "document": "Anna came.", "question": f"Who is {n}", "answer": "Anna"} for n in range(COUNT)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def run(rows: Path, out: Path, model: Reader | str, **arguments: Any) -> Any:
    return pipelines.run("qa", data=rows, model=model, metrics=["f1"], out=out, report=False, **arguments)


@pytest.mark.parametrize("kind", [Writer, StreamingWriter])
def test_eleven_empty_outputs_of_the_first_twenty_stop_a_run(kind: type[Writer], rows: Path, tmp_path: Path) -> None:
    model = kind(good=3)
    with pytest.raises(
        UserError, match=r"^stopped: 1[1-3] of the first 1[4-6] outputs are empty, so no more requests are sent"
    ):
        run(rows, tmp_path / "out", model)
    assert 14 <= len(model.received) <= 16  # a batch of four ends
    assert len((tmp_path / "out" / "requests.jsonl").read_text().splitlines()) == len(model.received)


def test_a_stopped_run_asks_nothing_when_it_is_started_again(rows: Path, tmp_path: Path) -> None:
    for _ in range(2):
        model = StreamingWriter()
        with pytest.raises(UserError, match="stopped: 11 of the first 11 outputs"):
            run(rows, tmp_path / "out", model)
    assert model.received == []


def test_a_stopped_run_ends_with_go_on_as_an_undisturbed_run(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="stopped"):
        run(rows, tmp_path / "a", StreamingWriter(good=3))
    model = StreamingWriter(good=3)
    result = run(rows, tmp_path / "a", model, go_on=True)
    assert result.examples == COUNT and len(model.received) == COUNT - 14
    run(rows, tmp_path / "b", StreamingWriter(good=3), go_on=True)
    stopped, undisturbed = ((tmp_path / name / "predictions.jsonl").read_bytes() for name in "ab")
    assert stopped == undisturbed
    assert '"go_on"' not in (tmp_path / "a" / "run.json").read_text()
    again = run(rows, tmp_path / "a", StreamingWriter(good=3))  # a finished log needs no word
    assert (again.examples, again.new_requests) == (COUNT, 0)


@pytest.mark.parametrize(
    "model",
    [
        StreamingWriter(good=10),  # ten of the first twenty, and all that follow
        StreamingWriter(output="I cannot help with that.", finish_reason="refusal"),
        StreamingWriter(output="", finish_reason="refusal"),
        StreamingWriter(stops=False),
    ],
)
def test_half_are_not_most_refusals_are_not_empty_and_readers_without_weights_go_on(
    model: Writer, rows: Path, tmp_path: Path
) -> None:
    streaming_model = StreamingWriter(model.good, model.output, model.thinking, model.finish_reason, model.stops)
    assert run(rows, tmp_path / "out", streaming_model).examples == COUNT


def test_the_error_says_what_to_type(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"thought until its output was full.* thinking=2048 .*; --go-on \(go_on=True\)"
    ):
        run(rows, tmp_path / "out", StreamingWriter(thinking="the mill"))
    with pytest.raises(UserError, match=r"longdoc prompt.*--max-new-tokens"):
        run(rows, tmp_path / "other", StreamingWriter())


def test_the_note_on_a_stopped_run_goes_on_with_go_on(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError) as error:
        run(rows, tmp_path / "out", StreamingWriter())
    (note,) = error.value.__notes__
    assert note.startswith("kept: 10 of 30 examples and 11 replies in ")
    assert note.endswith(f"; to continue: longdoc.run('qa', …, out={str(tmp_path / 'out')!r}, go_on=True)")


def test_one_stopped_cell_of_an_ablation_stops_no_other(rows: Path, tmp_path: Path) -> None:
    bad, good = StreamingWriter(), StreamingWriter(good=COUNT)
    table = pipelines.ablate(
        "qa", data=rows, model=[bad, good], metrics=["f1"], out=tmp_path / "grid", report=False, yes=True
    )
    errors = [cell.error for cell in table.cells]
    assert errors[1] is None and str(errors[0]).startswith("stopped: 11 of the first 11 outputs are empty")
    assert len(good.received) == COUNT


def window_of(tokens: int) -> Any:
    """A server like Ollama's: it reads so many tokens of a prompt, counts these, and says nothing."""

    def answer(request: ReceivedRequest, times: int) -> Answer:
        return chat("Anna", usage=(min(len(request.prompt) // 4, tokens), 1))

    return answer


@pytest.fixture
def long_rows(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    lines = [
        {"id": f"q{n:02}", "document": f"Anna {n} came. " * (2_000 + 100 * n), "question": "Who?", "answer": "Anna"}
        for n in range(8)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_prompts_that_a_server_cuts_unseen_stop_a_run_and_are_reported(
    long_rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(window_of(2_048))
    whole = {"chunker": "whole", "retriever": "all"}
    try:
        model = f"openai:m,base_url={server.url}/v1,concurrency=1,key_variable=STUB_KEY"
        monkeypatch.setenv("STUB_KEY", "sk-secret")
        with pytest.raises(
            UserError, match=r"stopped: the server read 6,144 of about [\d,]+ tokens in 3 prompts"
        ) as error:
            run(long_rows, tmp_path / "out", model, **whole)
        assert "window=4096" in str(error.value) and len(server.received) == 3
        assert "longdoc: the server read 2,048 of about" in capsys.readouterr().err  # at the first one
        result = run(long_rows, tmp_path / "out", model, **whole, go_on=True)
        assert (result.examples, len(server.received)) == (8, 8)
        usage = json.loads((tmp_path / "out" / "scores.json").read_text())["usage"]
        assert (usage["unread_requests"], usage["unread_tokens_read"]) == (8, 8 * 2_048)
        assert any(line.startswith("the server read 16,384 of about") for line in result.warnings)
        again = run(long_rows, tmp_path / "out", model, **whole)  # finished: nothing to send
        assert (again.examples, again.new_requests) == (8, 0)
        page = pipelines.report(tmp_path / "out")
        assert "and cut the rest unseen" in page.read_text(encoding="utf-8")
    finally:
        server.close()


def test_a_server_that_reads_all_of_them_is_not_accused(
    long_rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("STUB_KEY", "sk-secret")
    server = ApiServer(window_of(1_000_000))
    try:
        model = f"openai:m,base_url={server.url}/v1,key_variable=STUB_KEY"
        result = run(long_rows, tmp_path / "out", model, chunker="whole", retriever="all")
        assert "unread_requests" not in json.loads((tmp_path / "out" / "scores.json").read_text())["usage"]
        assert not [line for line in result.warnings if "unseen" in line]
    finally:
        server.close()


@pytest.mark.parametrize("command", ["run", "ablate"])
def test_the_command_that_goes_on_after_a_stop_has_go_on(
    command: str, rows: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two tasks, or cells, stops, and the other ends."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "few.jsonl").write_text("".join(rows.read_text().splitlines(True)[:5]))
    server = ApiServer(lambda request, times: chat("Anna" if request.body["model"] == "good" else ""))
    bad, good = (f"openai:{name},base_url={server.url}/v1" for name in ("bad", "good"))
    words = {
        "run": ("qa,narrativeqa", "--data", f"qa={rows}", "--data", f"narrativeqa={tmp_path / 'few.jsonl'}"),
        "ablate": ("qa", "--data", rows, "--model", good, "--metric", "f1"),
    }[command]
    code, _, errors = longdoc(
        capfd, command, *words, "--model", bad, "--retriever", "all", "--strategy", "stuff", "--no-report",
        "--out", tmp_path / "out",
    )  # fmt: skip
    server.close()
    assert code == 1
    parts = {"run": "tasks", "ablate": "cells"}[command]
    assert errors.splitlines()[-1].startswith(f"longdoc: some {parts} are unfinished; to continue: longdoc {command} ")
    assert errors.splitlines()[-1].endswith(" --go-on")


def test_a_run_whose_outputs_are_all_empty_has_no_scores_however_few_they_are(rows: Path, tmp_path: Path) -> None:
    for count in (1, 3, 10, 30):
        out, kind = tmp_path / str(count), StreamingWriter if count < 30 else BatchWriter
        with pytest.raises(UserError, match="all outputs are empty, so nothing is scored and all replies") as error:
            run(rows, out, kind(), limit=count)
        assert error.value.__notes__[0].endswith(f"out={str(out)!r}, go_on=True)")
        assert not (out / "scores.json").exists()
        for options in ({"go_on": True}, {}):  # once it is finished, it needs no word
            model = kind()
            assert run(rows, out, model, limit=count, **options).scores["f1"] == 0
            assert not model.received


class BatchWriter(Writer):
    """The same, all requests at once."""

    batch_requests = COUNT
