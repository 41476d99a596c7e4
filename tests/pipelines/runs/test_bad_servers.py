"""Servers whose model gives useless answers: what a run and an answer say about it, in plain lines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import longdoc
import pipelines
from longdoc.errors import UserError
from tests.api_server import Answer, ApiServer, chat, json_answer

NAMES = ["Anna", "Tom", "Vera", "Otto", "Ida", "Karl", "Lena", "Max", "Nora", "Paul", "Rosa", "Sven"]
TEXT = "\n\n".join(f"{name} keeps mill {place} and sells {place}{place}0 sacks." for place, name in enumerate(NAMES, 1))
WINDOW, SLOTS = 512, 2
PROPERTIES = {
    "default_generation_settings": {"n_ctx": WINDOW},
    "total_slots": SLOTS,
    "model_path": "/models/small.gguf",
}
PAGES = "\n\n".join(" ".join(f"word{number}" for number in range(400)) for _ in range(10))


def count_tokens(path: str, body: dict[str, Any]) -> Answer:
    """llama.cpp's answer about tokens, which are words here."""
    if path == "/tokenize":
        pieces = re.findall(r"\s*\S+|\s+", body["content"])
        return json_answer(
            {"tokens": [{"id": 1, "piece": piece} if body.get("with_pieces") else 1 for piece in pieces]}
        )
    return json_answer({"prompt": "".join(f"<user> {message['content']} <model>" for message in body["messages"])})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ApiServer(lambda request, times: chat("x"), {"/props": json_answer(PROPERTIES)})
    server.counted = count_tokens
    yield server
    server.close()


def answer_always(server: ApiServer, reply: str | None) -> None:
    """Have the model answer every request with this reply, or with the prompt where it is None."""

    def answer(request: Any, times: int) -> Answer:
        text = request.prompt if reply is None else reply
        return chat(text, finish="length" if reply == PAGES else "stop", usage=None)

    server.answer = answer


def model(server: ApiServer) -> dict[str, Any]:
    return {"name": "openai", "model": "small.gguf", "base_url": f"{server.url}/v1", "max_retries": 0}


def rows() -> list[dict[str, Any]]:
    return [
        {"document": f"{TEXT} {place}", "question": f"How many sacks does {name} sell?", "answer": f"{place}{place}0"}
        for place, name in enumerate(NAMES, 1)
    ]


CASES: dict[str, tuple[str | None, str, str]] = {  # what a run and an answer say
    "one word": (
        "yes",
        '12 of 12 outputs are "yes"; 0 of 12 references are',
        "the answer cites no passage: check it against the passages",
    ),
    "another language": (
        "Об этом в тексте ничего не сказано. 我不知道。",
        '12 of 12 outputs are the same text: "Об этом в тексте нич…о не сказано. 我不知道。"',
        "the answer cites no passage: check it against the passages",
    ),
    "the prompt": (
        None,
        "12 of 12 outputs repeat the prompt: check the model's chat template",
        "the answer repeats the prompt: check the model's chat template, or ask another model",
    ),
    "ten pages": (
        PAGES,
        "12 of 12 outputs stopped at max_new_tokens, unfinished",
        "the answer was cut at ",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_model_with_one_reply_to_everything_is_reported_by_the_run_and_by_the_answer(
    name: str, server: ApiServer, tmp_path: Path
) -> None:
    reply, of_run, of_answer = CASES[name]
    answer_always(server, reply)
    result = pipelines.run("qa", data=rows(), model=model(server), metrics=["f1"], out=tmp_path / "run")
    assert (len(result.predictions), result.failures) == (12, {})
    assert of_run in str(result)
    answer = longdoc.ask(question="How many sacks does Tom sell?", text=TEXT, model=model(server))
    assert any(line.startswith(of_answer) for line in answer.warnings)


def test_a_model_that_says_nothing_ends_the_run_and_is_reported_in_an_answer(server: ApiServer, tmp_path: Path) -> None:
    answer_always(server, "")
    with pytest.raises(UserError, match="stopped: 11 of the first 11 outputs are empty, so no more requests"):
        pipelines.run("qa", data=rows(), model=model(server), metrics=["f1"], out=tmp_path / "run")
    answer = longdoc.ask(question="How many sacks does Tom sell?", text=TEXT, model=model(server))
    assert "the answer is empty: the model wrote nothing" in answer.warnings


def test_prompts_fill_two_small_slots_and_no_more_requests_are_under_way_than_these(
    server: ApiServer, tmp_path: Path
) -> None:
    answer_always(server, "110")
    long = [row | {"document": row["document"] * 20} for row in rows()]
    result = pipelines.run("qa", data=long, model=model(server), metrics=["f1"], out=tmp_path / "run")
    sizes = [len(re.findall(r"\S+", prompt)) for prompt in server.prompts]
    assert (len(sizes), server.max_in_flight <= SLOTS, max(sizes) < WINDOW) == (12, True, True)
    assert {prediction.truncated_tokens for prediction in result.predictions} == {0}
