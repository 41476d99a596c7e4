"""Judging from end to end, with a server that says yes, no, neither, or fails: nothing is lost or asked twice."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Generate, Reply, Request
from pipelines.records import Document, Example
from pipelines.results.final_files import read_predictions, read_scores
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat, failure

REFERENCES = ("a gull", "a ship", "dawn", "the harbour", "Anna")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def reference_and_answer(request: ReceivedRequest) -> tuple[str, str]:
    """The reference and the answer in a request of our wording."""
    match = re.search(r"Reference answer: (.*)\n\nAnswer to be graded: (.*)\n", request.prompt)
    assert match is not None
    return match[1], match[2]


def judge_honestly(request: ReceivedRequest, times: int) -> Answer:
    reference, answer = reference_and_answer(request)
    return chat("Yes." if reference in answer else "no")


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(judge_honestly)
    yield server
    server.close()


def judge_spec(server: ApiServer, **fields: Any) -> dict[str, Any]:
    return {"name": "openai", "model": "j", "base_url": f"{server.url}/v1", "max_retries": 0, **fields}


def examples() -> list[Example]:
    """Five questions on five documents; the reader `copy` answers with the document, which has two references."""
    texts = [f"It says {one}." if number < 2 else "It says nothing." for number, one in enumerate(REFERENCES)]
    return [
        Example(f"q{number}", Document(f"d{number}", text), f"What is {number}?", (reference,))
        for number, (text, reference) in enumerate(zip(texts, REFERENCES, strict=True))
    ]


def run(out: Path, **arguments: Any) -> Any:
    defaults = {"model": "copy", "chunker": "whole", "retriever": "all", "prompt": "{document}", "metrics": ["f1"]}
    return pipelines.run("qa", out=out, **{"data": examples(), **defaults, "report": False, **arguments})


@dataclass
class EchoReader(Reader):
    """Repeats the prompt, but replies with white space to prompts that contain a certain word."""

    word: str = "nothing"

    supports = frozenset({Generate})

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        texts = [request.prompt.text for request in requests if isinstance(request, Generate)]
        return [Reply(" \n" if self.word in text else text, 1, 1) for text in texts]


def test_a_run_is_judged_when_it_is_finished(server: ApiServer, tmp_path: Path) -> None:
    result = run(tmp_path, judge=judge_spec(server), report=True)
    assert {name: result.scores[name] for name in result.scores if name != "f1"} == {
        "judged": 40.0, "judged_of_all": 40.0, "judged_coverage": 100.0,
    }  # fmt: skip
    assert (result.judging["right"], result.judging["wrong"], result.judging["requests"]) == (2, 3, 5)
    assert (result.judging["tokens_in"], result.judging["tokens_out"]) == (35, 10)
    assert result.tokens_in != 35  # the reader's tokens are counted separately
    assert result.scores.signatures["judged"].startswith("judged|judge:openai:j ")
    assert result.scores.intervals["judged"].level == result.scores.intervals["f1"].level
    rows = {one.id: one.statistics["judged"]["right"] for one in read_predictions(tmp_path, read_scores(tmp_path))}
    assert rows == {"q0": 1.0, "q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0}
    judgements = [json.loads(line) for line in (tmp_path / "judgements.jsonl").read_text().splitlines()]
    assert judgements[0] == {"id": "q0", "verdict": "right", "replies": ["Yes."]}
    assert "2 of 5 judged right" in result.plain()
    assert "2 of 5 judged right" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("judge", 'right: "Yes."') in pipelines.show(tmp_path, "q0", data=examples()).facts()


def test_a_judge_that_never_stops_thinking_is_reported_with_the_field_to_set(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda request, times: chat("<think>Let me see", finish="length")
    result = run(tmp_path, judge=judge_spec(server))
    assert (result.judging["unjudged"], result.judging["silent"]) == (5, 5)
    assert "5 with empty replies: a judge that thinks needs room, thinking=2048 among its fields" in result.plain()


def test_after_an_unclear_reply_the_judge_is_asked_once_more_and_no_more(server: ApiServer, tmp_path: Path) -> None:
    def unclear(request: ReceivedRequest, times: int) -> Answer:
        again = "has to be one word" in request.prompt
        reference, _ = reference_and_answer(request)
        if reference == "a gull":
            return chat("True" if again else "I think so")
        return chat("It is not true, or is it?") if reference == "dawn" else judge_honestly(request, times)

    server.answer = unclear
    result = run(tmp_path, judge=judge_spec(server))
    assert len(server.received) == 7
    assert (result.judging["asked_again"], result.judging["unjudged"]) == (2, 1)
    assert result.scores["judged"] == 50.0
    assert result.scores["judged_of_all"] == 40.0
    assert result.scores["judged_coverage"] == 80.0


def test_an_empty_prediction_is_wrong_and_the_judge_is_not_asked(server: ApiServer, tmp_path: Path) -> None:
    def strict(request: ReceivedRequest, times: int) -> Answer:
        _, answer = reference_and_answer(request)
        return judge_honestly(request, times) if answer.strip() else failure(401, "never ask of nothing")

    server.answer = strict
    result = run(tmp_path, model=EchoReader(), judge=judge_spec(server))
    assert len(server.received) == 2
    assert (result.judging["right"], result.judging["wrong"], result.judging["empty"]) == (2, 3, 3)
    assert (result.scores["judged"], result.scores["judged_coverage"]) == (40.0, 100.0)
    assert "2 of 5 judged right, 3 empty, not judged: wrong" in result.plain()
    facts = pipelines.show(tmp_path, "q4", data=examples()).facts()
    assert ("judge", "wrong: the output is empty, so the judge was not asked") in facts
    (check,) = [one for one in pipelines.verify(tmp_path).checks if one.name == "judgements.jsonl"]
    assert check.outcome == "agrees"


def test_nothing_is_asked_where_all_predictions_are_empty(server: ApiServer, tmp_path: Path) -> None:
    result = run(tmp_path, model=EchoReader("It"), judge=judge_spec(server))
    assert (len(server.received), result.scores["judged"], result.judging["empty"]) == (0, 0.0, 5)


def test_judging_again_sends_no_request_and_gives_the_same_scores(server: ApiServer, tmp_path: Path) -> None:
    first = run(tmp_path, judge=judge_spec(server))
    scores = (tmp_path / "scores.json").read_bytes()
    files = {name: (tmp_path / name).read_bytes() for name in ("predictions.jsonl", "judgements.jsonl")}
    again = run(tmp_path, judge=judge_spec(server))
    rescored = pipelines.rescore(tmp_path, judge=judge_spec(server), data=examples(), report=False)
    assert len(server.received) == 5
    assert again.scores == rescored["scores"] == first.scores
    assert (first.judging["new_requests"], again.judging["new_requests"]) == (5, 0)
    assert (tmp_path / "scores.json").read_bytes() == scores
    assert {name: (tmp_path / name).read_bytes() for name in files} == files


def test_a_failed_judgement_is_named_not_scored_and_asked_again_alone(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda request, times: (
        failure(400, "no") if "dawn" in request.prompt and not times else judge_honestly(request, times)
    )
    result = run(tmp_path, judge=judge_spec(server))
    assert "judged" not in result.scores
    assert result.scores.not_computed["judged"] == "1 of 5 examples were finished without it"
    assert list(result.judging["failures"]) == ["q2"]
    assert result.judging["requests"] == 4
    assert "run the same command again to ask for these alone" in result.plain()
    before = len(server.received)
    assert run(tmp_path, judge=judge_spec(server)).scores["judged"] == 40.0
    assert len(server.received) == before + 1


def test_equal_questions_are_asked_once(server: ApiServer, tmp_path: Path) -> None:
    twice = [Example(f"q{i}", Document(f"d{i}", "It says dawn."), "When?", ("dawn",)) for i in range(6)]
    result = pipelines.run(
        "qa", data=twice, model="copy", chunker="whole", retriever="all", prompt="{document}", metrics=["f1"],
        out=tmp_path, report=False, judge=judge_spec(server),
    )  # fmt: skip
    assert len(server.received) == 1
    assert result.scores["judged"] == 100.0


def test_another_judge_replaces_the_first(server: ApiServer, tmp_path: Path) -> None:
    first = run(tmp_path, judge=judge_spec(server))
    server.answer = lambda request, times: chat("no")
    scored = pipelines.rescore(tmp_path, judge=judge_spec(server, model="strict"), data=examples(), report=False)
    assert scored["scores"]["judged"] == 0.0
    assert scored["signatures"]["judged"] != first.scores.signatures["judged"]
    assert len(list(tmp_path.glob("judge-*.jsonl"))) == 2
    rescored = pipelines.rescore(tmp_path, metrics=["exact_match"], data=examples(), report=False)
    assert rescored["scores"]["judged"] == 0.0
    assert rescored["judging"]["judge"].startswith("openai:strict ")
    assert json.loads((tmp_path / "run.json").read_text())["arguments"]["metrics"] == ["f1", "exact_match"]


def test_the_judge_s_prompt_may_come_from_a_file(server: ApiServer, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("{question} / {reference} / {prediction} / True or False?")
    server.answer = lambda request, times: chat("True" if request.prompt.startswith("What is 0? / a gull /") else "no")
    result = run(tmp_path / "run", judge=judge_spec(server), judge_prompts_from=tmp_path / "words.txt")
    assert result.scores["judged"] == 20.0
    assert "|judge_prompt:published " in result.scores.signatures["judged"]


def test_an_invalid_judge_is_refused_before_anything_runs(server: ApiServer, tmp_path: Path) -> None:
    for arguments, message in (
        ({"judge": "linear"}, "writes no text, so it cannot judge"),
        ({"judge": "nobody-knows"}, "nobody-knows"),
        ({"judge_prompts_from": "x.txt"}, "give judge=MODEL too"),
        ({"judge": judge_spec(server), "judge_prompts_from": tmp_path / "x.txt"}, "x.txt"),
    ):
        with pytest.raises(UserError, match=message):
            run(tmp_path / "run", **arguments)
    assert not (tmp_path / "run").exists()
    with pytest.raises(UserError, match="an ablation takes no judge"):
        pipelines.ablate("qa", data=examples(), model="copy", judge="copy")
    with pytest.raises(UserError, match="out= is the folder for a judge's verdicts"):
        pipelines.score_predictions("lara/location", tmp_path / "x.jsonl", out=tmp_path)


def test_a_refused_key_ends_the_judging_and_earlier_replies_are_kept(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda request, times: (
        failure(401, "bad key") if len(server.received) > 3 else judge_honestly(request, times)
    )
    with pytest.raises(UserError) as caught:
        run(tmp_path, judge=judge_spec(server, concurrency=1))
    assert any("kept: 3 replies of the judge in" in note for note in caught.value.__notes__)
    assert "judged" not in read_scores(tmp_path)["scores"]
    server.answer = judge_honestly
    before = len(server.received)
    assert run(tmp_path, judge=judge_spec(server, concurrency=1)).scores["judged"] == 40.0
    assert len(server.received) == before + 2


def predictions_file(folder: Path, count: int = 12) -> Path:
    """A file of LaRA's predictions, every second one of them right."""
    file = folder / "m-1" / "full_32k_book_location.jsonl"
    file.parent.mkdir(parents=True)
    lines = [
        {"type": "book", "level": "location", "file": f"{i % 4}.txt", "context_order": i // 4, "question": f"Q{i}?",
         "prediction": f"it is {i if i % 2 else 'nothing'}", "ground_truth": str(i)} for i in range(count)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return file


def test_files_of_predictions_are_judged_into_a_folder_beside_them(server: ApiServer, tmp_path: Path) -> None:
    file = predictions_file(tmp_path)
    scores = pipelines.score_predictions("lara/location", file, judge=judge_spec(server))
    assert scores.scores["judged"] == 50.0
    assert scores.judging["agreement"]["f1"]["examples"] == 12
    folder = file.with_name(f"{file.name}.judged")
    assert read_scores(folder)["judging"] == scores.judging
    assert {one.name for one in folder.iterdir()} >= {"judgements.jsonl", "scores.json", scores.judging["log"]}
    pipelines.score_predictions("lara/location", file, judge=judge_spec(server))
    assert len(server.received) == 12
    elsewhere = pipelines.score_predictions("lara/location", file, judge=judge_spec(server), out=tmp_path / "elsewhere")
    assert elsewhere.scores == scores.scores
    assert (tmp_path / "elsewhere" / "judgements.jsonl").is_file()


def test_a_missing_answer_is_wrong_in_all_scores_and_not_sent_to_the_judge(server: ApiServer, tmp_path: Path) -> None:
    file = predictions_file(tmp_path, 4)
    missing = {"type": "book", "level": "location", "file": "5.txt", "context_order": 0, "question": "Q?"}
    with file.open("a") as lines:
        lines.write(json.dumps({**missing, "prediction": False, "ground_truth": "5"}) + "\n")
    scores = pipelines.score_predictions("lara/location", file, judge=judge_spec(server))
    assert (scores.scores["judged"], scores.all_scores["judged"]) == (50.0, 40.0)
    assert len(server.received) == 4


@pytest.mark.slow
def test_a_killed_judging_continues_and_asks_nothing_again(server: ApiServer, tmp_path: Path) -> None:
    def slowly(request: ReceivedRequest, times: int) -> Answer:
        reference, answer = reference_and_answer(request)
        return chat("Yes" if reference in answer else "no", wait=0.2)

    server.answer = slowly
    file, out = predictions_file(tmp_path), tmp_path / "judged"
    model = f"openai:j,base_url={server.url}/v1,concurrency=1"
    command = [
        sys.executable,
        "-m",
        "longdoc",
        "score",
        "lara/location",
        str(file),
        "--judge",
        model,
        "--out",
        str(out),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(server.received) < 4 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (log,) = out.glob("judge-*.jsonl")
    kept_replies = sum(line.endswith(b"}\n") for line in log.read_bytes().splitlines(keepends=True))
    request_count = len(server.received)
    assert 3 <= kept_replies < 12
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(server.received) == request_count + 12 - kept_replies
    assert re.search(r"^ *judged +50\.00$", finished.stdout, re.MULTILINE)
    assert "6 of 12 judged right" in finished.stdout


def test_runs_of_several_tasks_and_runs_made_again_are_judged_too(server: ApiServer, tmp_path: Path) -> None:
    server.answer = lambda request, times: chat("yes")
    arguments: dict[str, Any] = {
        "data": "sample",
        "model": "extractive",
        "limit": 2,
        "metrics": ["f1"],
        "report": False,
    }
    several = pipelines.run_tasks("narrativeqa,hotpotqa", out=tmp_path, judge=judge_spec(server), **arguments)
    assert [one.scores["judged"] for one in several.results.values()] == [100.0, 100.0]
    folder = tmp_path / "narrativeqa"
    request_count = len(server.received)
    again = pipelines.rerun(folder, judge=f"openai:j,base_url={server.url}/v1,max_retries=0")
    assert (again.scores["judged"], len(server.received)) == (100.0, request_count)
    with pytest.raises(UserError, match="counts only where you type it yourself"):
        pipelines.rerun(folder)  # the judge of a record, which another may have written, is sent nothing
    without = pipelines.run("narrativeqa", out=folder, **arguments)
    assert "judged" not in without.scores
    assert "judging" not in read_scores(folder)


def test_a_prompt_that_the_judges_server_cuts_is_reported(
    server: ApiServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "It says a gull. " * 1000
    server.answer = lambda request, times: chat("Yes.", usage=(600, 1))
    data = [Example("q", Document("d", text), "What?", ("a gull",))]
    result = run(tmp_path, data=data, max_new_tokens=5000, judge=judge_spec(server))
    assert result.scores["judged"] == 100.0
    assert re.search(
        r"longdoc: the server read 600 of about \d,?\d* tokens in 1 prompt, and cut the rest unseen",
        capsys.readouterr().err,
    )
