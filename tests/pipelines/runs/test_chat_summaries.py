"""Long papers summed up by chat models: sections share the abstract's words, and a last request makes one of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

SECTIONS = 5
PAPER = "".join(f"# Chapter {n}\n\nMill {n} stands by the river.\n\n" for n in range(1, SECTIONS + 1))
ABSTRACT = "Five mills stand by the river."
ONE_OF = "In place of the paper, what was written about its parts is shown: make one answer of it."


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.main.txt").write_text(PAPER, encoding="utf-8")
    (folder / "a.abstract.txt").write_text(ABSTRACT, encoding="utf-8")
    return folder


@pytest.fixture
def server() -> Iterator[ApiServer]:
    """Writes as many words as a prompt allows for a part, and the abstract where the parts are to be joined."""

    def answer(request: ReceivedRequest, times: int) -> Answer:
        if ONE_OF in request.prompt:
            return chat(ABSTRACT, usage=(len(request.prompt) // 4, 8))
        (words,) = re.findall(r"at most (\d+) words", request.prompt)
        return chat(" ".join(["mill"] * int(words)), usage=(len(request.prompt) // 4, int(words)))

    api_server = ApiServer(answer)
    yield api_server
    api_server.close()


def run(data: Path, server: ApiServer, out: Path, task: str = "vlsp", **arguments: Any) -> Any:
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}
    return pipelines.run(task, data=data, model=model, out=out, metrics=["rouge-l"], **arguments)


def part_prompts(server: ApiServer) -> list[str]:
    return [prompt for prompt in server.prompts if ONE_OF not in prompt]


def test_sections_share_the_abstract_s_words_and_one_request_makes_an_abstract(
    papers: Path, server: ApiServer, tmp_path: Path
) -> None:
    result = run(papers, server, tmp_path / "run")
    (prediction,) = result.predictions
    assert prediction.prediction == ABSTRACT
    assert result.scores["rouge-l"] == 100
    assert prediction.notes["tree"] == f"{SECTIONS}, 1"
    assert len(part_prompts(server)) == SECTIONS
    for prompt in part_prompts(server):
        assert prompt.startswith("Sum up a scientific paper or thesis. Only one part of the paper is shown.")
        assert prompt.endswith("Sum up this part in at most 44 words, and write nothing else.")
    (last,) = [prompt for prompt in server.prompts if ONE_OF in prompt]
    assert last.endswith("Write its abstract, of at most 220 words, and nothing else.")
    assert last.count("mill") == SECTIONS * 44 == 220
    assert {request.body["max_tokens"] for request in server.received} == {440}
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert (spec["strategy"], spec["max_new_tokens"]) == ({"name": "map_reduce"}, 440)


def test_a_part_has_a_sentence_at_least(papers: Path, server: ApiServer, tmp_path: Path) -> None:
    long_paper = "".join(f"# Chapter {n}\n\nMill {n} stands by the river.\n\n" for n in range(1, 31))
    (papers / "a.main.txt").write_text(long_paper, encoding="utf-8")
    run(papers, server, tmp_path / "run")
    assert len(part_prompts(server)) == 30
    assert all("in at most 20 words" in prompt for prompt in part_prompts(server))


def test_summaries_that_are_joined_share_the_length_too(papers: Path, server: ApiServer, tmp_path: Path) -> None:
    (prediction,) = run(papers, server, tmp_path / "run", strategy="map").predictions
    assert len(prediction.prediction.split()) == 220
    assert len(server.prompts) == SECTIONS


def test_a_summary_that_is_carried_from_part_to_part_has_all_the_words(
    papers: Path, server: ApiServer, tmp_path: Path
) -> None:
    run(papers, server, tmp_path / "run", strategy="refine")
    assert len(server.prompts) == SECTIONS
    assert all("Sum up this part in at most 220 words" in prompt for prompt in server.prompts)


def test_other_tasks_share_the_length_of_their_summaries(server: ApiServer, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        json.dumps({"document": " ".join(f"Mill {n} stands." for n in range(40)), "summary": "A mill."}) + "\n",
        encoding="utf-8",
    )
    arguments = {"strategy": "map", "chunker": "sentences:size=30"}
    run(rows, server, tmp_path / "run", "scrolls/gov_report", **arguments)
    assert len(server.prompts) == 4
    assert all(prompt.endswith("in at most 125 words, and write nothing else.") for prompt in server.prompts)
    assert {request.body["max_tokens"] for request in server.received} == {1_024}


def test_readers_that_are_not_chat_models_join_the_summaries(papers: Path, tmp_path: Path) -> None:
    result = pipelines.run("vlsp", data=papers, model="lead", out=tmp_path / "run", metrics=["rouge-l"])
    spec = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert (spec["strategy"]["name"], spec["max_new_tokens"]) == ("map", 32)
    assert result.predictions[0].requests == SECTIONS


def test_real_theses_score_as_their_abstracts_scored_against_themselves(realdata: Path, tmp_path: Path) -> None:
    folder = realdata / "vlsp"
    golds = {  # by the beginning of the last request, which shows the parts in the server's own words
        name: (folder / f"{name}.abstract.txt").read_text(encoding="utf-8").strip()
        for name in sorted(path.name.removesuffix(".main.txt") for path in folder.glob("*.main.txt"))[:2]
    }
    papers = tmp_path / "papers"
    papers.mkdir()
    for name, gold in golds.items():
        (papers / f"{name}.main.txt").write_bytes((folder / f"{name}.main.txt").read_bytes())
        (papers / f"{name}.abstract.txt").write_text(gold, encoding="utf-8")
    texts = {name: " ".join((papers / f"{name}.main.txt").read_text(encoding="utf-8").split()) for name in golds}

    def answer(request: ReceivedRequest, times: int) -> Answer:
        usage = (len(request.prompt) // 4, 60)
        shown = request.prompt.partition(":\n")[2].rpartition("\n\n")[0]
        if ONE_OF in request.prompt:
            return chat(golds[next(name for name in golds if f"part of {name}" in shown)], usage=usage)
        part = " ".join(shown.split())[:200]
        return chat(f"part of {next(name for name, text in texts.items() if part in text)}", usage=usage)

    server = ApiServer(answer)
    result = run(papers, server, tmp_path / "run")
    server.close()
    assert {prediction.id: prediction.prediction for prediction in result.predictions} == golds
    assert result.scores["rouge-l"] == pytest.approx(100)
    assert result.outputs == {}
