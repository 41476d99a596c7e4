"""LiteraryQA's questions asked of a chat model, from the files to the scores."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import pipelines
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

pytest.importorskip("openai", reason="the client of chat models is not installed (extra openai)")
START, END = (
    "*** START OF THIS PROJECT GUTENBERG EBOOK THE MILL ***",
    "*** END OF THIS PROJECT GUTENBERG EBOOK THE MILL ***",
)
BOOK = {"document_id": "m", "gutenberg_id": "7", "split": "test", "title": "The Mill"}
PAIRS = [
    {"question": "When did Anna leave?", "answers": ["At noon", "noon"]},
    {"question": "Did Ben sleep?", "answers": ["yes"]},
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """A server that replies "At noon." to the question with "When did", else a sentence that begins with yes."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def answer(request: ReceivedRequest, times: int) -> Answer:
        text = "At noon." if "When did" in request.prompt else "Yes, he did."
        return chat(text, usage=(len(request.prompt) // 4, 4))

    server = ApiServer(answer)
    yield server
    server.close()


def test_a_chat_model_reads_the_work_and_is_scored_by_the_rules_of_hotpotqa(tmp_path: Path, server: ApiServer) -> None:
    (tmp_path / "test.jsonl").write_text(json.dumps({**BOOK, "qas": PAIRS}))
    (tmp_path / "books_raw").mkdir()
    (tmp_path / "books_raw" / "m.txt").write_text(f"Licence\n{START}\nAnna left at noon. Ben slept.\n{END}\nLicence")
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}
    metrics = ["exact_match", "f1_hotpotqa", "rouge"]
    result = pipelines.run("literaryqa", data=tmp_path, model=model, out=tmp_path / "run", metrics=metrics)
    assert [prediction.prediction for prediction in result.predictions] == ["At noon.", "Yes, he did."]
    assert (result.scores["exact_match"], result.scores["f1_hotpotqa"]) == (50.0, 50.0)
    assert len(server.prompts) == 2
    assert all("Anna left at noon. Ben slept." in prompt and "Licence" not in prompt for prompt in server.prompts)
