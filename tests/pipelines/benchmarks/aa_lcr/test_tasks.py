"""AA-LCR's questions asked of a chat model and judged, in words of our own and in those of files with named places."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines.plugins.judging.prompts import judge_prompt
from pipelines.tasks import Judging
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

pytest.importorskip("openai", reason="the client of chat models is not installed (extra openai)")
JUDGE = "Q {question}\nKEY {official_answer}\nGIVEN {candidate_answer}\nThis is CORRECT or INCORRECT."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """A server that answers "Bees", and as a judge compares both answers, at first in more than one word."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def answer(request: ReceivedRequest, times: int) -> Answer:
        if "\nKEY " not in request.prompt:
            return chat("Bees", usage=(len(request.prompt) // 4, 1))
        key, candidate = (request.prompt.partition(name)[2].partition("\n")[0] for name in ("KEY ", "GIVEN "))
        word = "CORRECT" if key == candidate else "INCORRECT"
        return chat(word if "one word: CORRECT or INCORRECT." in request.prompt else f"It is {word}", usage=(9, 1))

    server = ApiServer(answer)
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = ("document_category", "document_set_id", "question_id", "question", "answer", "data_source_filenames")
    with (tmp_path / "AA-LCR_Dataset.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", *names])
        writer.writerow([0, "Nature", "n", "1", "Which of them fly?", "Bees", "b.txt;a.txt"])
        writer.writerow([1, "Nature", "n", "2", "Which of them walk?", "Ants", "b.txt;a.txt"])
    target = tmp_path / "lcr" / "Nature" / "n"
    target.mkdir(parents=True)
    (target / "a.txt").write_text("Ants walk.")
    (target / "b.txt").write_text("Bees fly.")
    return tmp_path


def test_a_chat_model_reads_the_set_and_a_judge_says_correct_or_incorrect(folder: Path, server: ApiServer) -> None:
    (folder / "question.txt").write_text("INPUT\n{documents}\nASKED {question}\n")
    (folder / "judge.txt").write_text(JUDGE)
    model: dict[str, Any] = {"name": "openai", "model": "m", "base_url": server.url + "/v1", "max_retries": 0}
    result = pipelines.run(
        "aa_lcr", data=folder, model=model, prompts_from=folder / "question.txt", judge=model,
        judge_prompts_from=folder / "judge.txt", out=folder / "run", report=False,
    )  # fmt: skip
    assert (
        "INPUT\n# Document 1: b.txt\n\nBees fly.\n\n# Document 2: a.txt\n\nAnts walk.\nASKED Which of them fly?\n"
    ) in server.prompts
    assert (result.scores["judged"], result.scores["f1"], result.scores["document_coverage"]) == (50.0, 50.0, 100.0)
    assert result.judging["asked_again"] == 2


def test_the_words_of_the_second_request_are_those_of_the_prompt(tmp_path: Path) -> None:
    file = tmp_path / "judge.txt"
    words = {}
    for text in (JUDGE, "{reference} {prediction}: true or not?", "{reference} {prediction}: correct?"):
        file.write_text(text)
        words[text[-12:]] = judge_prompt(Judging(), file)._words
    assert list(words.values()) == ["CORRECT or INCORRECT", "True or False", "yes or no"]
