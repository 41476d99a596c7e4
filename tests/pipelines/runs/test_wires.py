"""MuLD's tasks from file to score over each wire, with a server that knows the gold and writes as its prompts ask."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import metrics, sources
from pipelines.records import Example
from pipelines.tasks import get
from tests.api_server import (
    Answer,
    ApiServer,
    ReceivedRequest,
    base_of,
    chat,
    failure,
    json_answer,
    message,
    message_item,
    ollama,
    response,
    text_block,
)
from tests.turns import for_each

WINDOW = 4096  # tokens that Ollama reads where nothing tells it more
FAR = 20_000  # characters in front of what answers, more than it reads then
FILLER = "The mill stood by the river, and nobody came. "
WORDS = {"Anna": "Kyiv", "Tom": "Lviv", "Zelda": "Odesa"}
LABELS = {"Anna": "Hero/Protagonist", "Tom": "Villain/Antagonist", "Zelda": "Hero/Protagonist"}
KINDS = {"Hero/Protagonist": "Hero", "Villain/Antagonist": "Villain/Antagonist"}
VOICES = ("the mill", "HELLO!!!", "Furthermore")  # the words by which the server knows who wrote a paragraph
AUTHORS = (1, 1, 2, 2, 1, 3, 3, 1, 2)
SECTIONS = {
    "Introduction": "We count the ships of the northern harbours",
    "Methods": "by their masts and by the logs of their captains",
    "Results": "and find that most of them were built of oak.",
}
GERMAN = {"Good morning": "Guten Morgen", "Who is there": "Wer ist da", "I waited so long": "Ich wartete so lange"}
LINES = 150  # of the film, more than one output has room for


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def narrativeqa(folder: Path) -> Path:
    story = FILLER * (FAR // len(FILLER)) + " ".join(f"{name} went to {place}." for name, place in WORDS.items())
    rows = [{"document": story, "question": f"Where did {name} go?", "answer": place} for name, place in WORDS.items()]
    return write_rows(folder / "stories.jsonl", rows)


def hotpotqa(folder: Path) -> Path:
    passages = [[name, [f"{name} went to {place}. {FILLER}"]] for name, place in WORDS.items()]
    rows = [
        {
            "_id": name, "question": f"Where did {name} go?", "answer": place, "type": "bridge", "level": "easy",
            "supporting_facts": [[name, 0]], "context": passages,
        }
        for name, place in WORDS.items()
    ]  # fmt: skip
    return write_rows(folder / "hotpot.jsonl", rows)


def style_change(folder: Path) -> Path:
    paragraphs = [f"{VOICES[author - 1]} and so on, {number} times." for number, author in enumerate(AUTHORS)]
    return write_rows(
        folder / "styles.jsonl", [{"input": "\n".join(paragraphs), "output": ",".join(map(str, AUTHORS))}]
    )


def character_types(folder: Path) -> Path:
    scenes = "\n\n".join(f"EXT. TOWN - DAY {i}\n\nANNA\nLook.\n\nTOM\nNo.\n\nZELDA\nWhy?" for i in range(30))
    rows = [{"document": scenes, "character": name, "label": KINDS[label]} for name, label in LABELS.items()]
    return write_rows(folder / "films.jsonl", rows)


def vlsp(folder: Path) -> Path:
    papers = folder / "papers"
    papers.mkdir()
    text = "".join(f"# {title}\n\nAbout the {title.lower()}. {FILLER * 3}\n\n" for title in SECTIONS)
    (papers / "a.main.txt").write_text(text, encoding="utf-8")
    (papers / "a.abstract.txt").write_text(" ".join(SECTIONS.values()), encoding="utf-8")
    return papers


def opensubtitles(folder: Path) -> Path:
    film = folder / "films" / "mill"
    film.mkdir(parents=True)
    pairs = [(f"{english}, {n}.", f"{german}, {n}.") for n, (english, german) in enumerate(GERMAN.items())]
    for name, side in (("en", 0), ("de", 1)):
        lines = [pairs[number % len(pairs)][side] if number % 10 else "" for number in range(1, LINES + 1)]
        (film / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return film.parent


TASKS: dict[str, Callable[[Path], Path]] = {
    one.__name__: one for one in (narrativeqa, hotpotqa, opensubtitles, style_change, character_types, vlsp)
}


def reply_to(prompt: str) -> str:
    """The gold answer in the form that the prompt asks for, from what stands in it; else a sentence that is wrong."""
    if range_match := re.search(r"from (\d+) to (\d+) write one line", prompt):
        lines = dict(re.findall(r"^\[(\d+)\] (.*)$", prompt, re.MULTILINE))
        numbers = [str(number) for number in range(int(range_match[1]), int(range_match[2]) + 1)]
        voices = {n: next(i for i, voice in enumerate(VOICES, 1) if voice in lines[n]) for n in numbers}
        return "\n".join(f"{number}: {author}" for number, author in voices.items())
    if "For each of them write one line: the same number" in prompt:
        lines = re.findall(r"^(\d+): (.*), (\d+)\.$", prompt, re.MULTILINE)
        return "\n".join(f"{number}: {GERMAN[english]}, {count}." for number, english, count in lines)
    if "Write one of these labels" in prompt:
        return next(label for name, label in LABELS.items() if f"Character: {name}\n\nWrite one" in prompt)
    if place := next((p for name, p in WORDS.items() if f"Where did {name} go?" in prompt and p in prompt), None):
        return place
    shown = [part for title, part in SECTIONS.items() if f"About the {title.lower()}." in prompt or part in prompt]
    return " ".join(shown) or "That would need many remarks."


@dataclass(frozen=True)
class Wire:
    """The path of an API, its answer with a text and counts of tokens, and what its server reads of a prompt."""

    path: str
    answer: Callable[[str, tuple[int, int]], Answer]
    read: Callable[[ReceivedRequest], str] = lambda request: request.prompt

    def reply(self, request: ReceivedRequest) -> Answer:
        """The answer to a request."""
        read = self.read(request)
        text = reply_to(read)
        return self.answer(text, (len(read) // 4 + 20, len(text) // 4 + 1))


def cut_by_ollama(request: ReceivedRequest) -> str:
    """What Ollama reads: the end of a prompt, so long as it is told by `num_ctx`, four characters a token."""
    return request.prompt[-4 * int(request.body.get("options", {}).get("num_ctx", WINDOW)) :]


WIRES = {
    "openai": Wire("/v1/chat/completions", lambda text, usage: chat(text, usage=usage)),
    "responses": Wire("/v1/responses", lambda text, usage: response(message_item(text), usage=usage)),
    "anthropic": Wire("/v1/messages", lambda text, usage: message(text_block(text), usage=usage)),
    "ollama": Wire("/api/chat", lambda text, usage: ollama(text, usage=usage), cut_by_ollama),
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "OLLAMA"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(params=sorted(WIRES))
def model(request: Any) -> Iterator[dict[str, Any]]:
    """A reader of each wire, whose server follows the prompts' words."""
    wire = WIRES[request.param]

    def answer(received: ReceivedRequest, times: int) -> Answer:
        return wire.reply(received) if received.path == wire.path else failure(404, "no such path")

    server = ApiServer(answer)
    yield {"name": request.param, "model": "m", "base_url": base_of(request.param, server.url), "max_retries": 0}
    server.close()


def gold_score(examples: list[Example], metric: str) -> float:
    measure = metrics.get(metric)
    measure.prepare()
    scores = measure.aggregate([measure.statistics(example.references[0], example) for example in examples])
    return float(next(iter(scores.values())))


@for_each("task", TASKS)
def test_a_model_that_answers_as_its_prompts_ask_has_the_score_of_the_gold_answers(
    task: str, model: dict[str, Any], tmp_path: Path
) -> None:
    data = TASKS[task](tmp_path)
    metric = get(task).metrics[0]
    result = pipelines.run(task, data=data, model=model, metrics=[metric], out=tmp_path / "run", report=False)
    examples = list(sources.load(task, get(task).dataset, data, get(task).split).examples())
    assert len(result.predictions) == len(examples)
    assert next(iter(result.scores.values())) == pytest.approx(gold_score(examples, metric), abs=1)


def test_a_whole_book_is_read_by_ollama_and_cut_through_its_other_endpoint(tmp_path: Path) -> None:
    cut_openai = Wire("/v1/chat/completions", WIRES["openai"].answer, cut_by_ollama)
    wires = {wire.path: wire for wire in (WIRES["ollama"], cut_openai)}
    pages = {"/api/show": json_answer({"model_info": {"llama.context_length": 131072}})}
    server = ApiServer(lambda request, times: wires[request.path].reply(request), pages)
    start = " ".join(f"{name} went to {place}." for name, place in WORDS.items())
    rows = [
        {"document": start + FILLER * 2000, "question": f"Where did {name} go?", "answer": WORDS[name]}
        for name in WORDS
    ]
    arguments = {
        "data": write_rows(tmp_path / "books.jsonl", rows),
        "chunker": "whole",
        "retriever": "all",
        "report": False,
    }

    def run(name: str) -> Any:
        model = {"name": name, "model": "m", "base_url": base_of(name, server.url), "concurrency": 1}
        return pipelines.run("narrativeqa", model=model, metrics="f1", out=tmp_path / name, **arguments)

    assert run("ollama").scores["f1"] == 100
    assert {request.body["options"]["num_ctx"] for request in server.received} == {32768}
    with pytest.raises(UserError, match=r"cut the rest unseen.*give ollama:MODEL, not openai:MODEL"):
        run("openai")
    server.close()


def test_unknown_finish_reasons_are_counted_and_named(tmp_path: Path) -> None:
    def answer(request: ReceivedRequest, times: int) -> Answer:
        finish = "repetition" if "Did Anna go?" in request.prompt else "stop"
        return chat("Yes", finish=finish, usage=(30, 2))

    server = ApiServer(answer)
    rows = [{"document": FILLER, "question": f"Did {name} go?", "answer": "Yes"} for name in WORDS]
    model = {"name": "openai", "model": "m", "base_url": base_of("openai", server.url)}
    arguments = {"data": write_rows(tmp_path / "rows.jsonl", rows), "metrics": "f1", "out": tmp_path / "run"}
    result = pipelines.run("qa", model=model, **arguments)
    server.close()
    assert result.scores["f1"] == 100
    assert "1 of 3 outputs ended with an unknown finish reason" in str(result)
    record = json.loads((tmp_path / "run" / "run.json").read_text("utf-8"))
    assert record["served"]["finish_reasons"] == ["repetition"]
    scored = json.loads((tmp_path / "run" / "scores.json").read_text("utf-8"))
    assert scored["outputs"] == {"ended with an unknown reason": {"outputs": 1, "examples": 1}}
