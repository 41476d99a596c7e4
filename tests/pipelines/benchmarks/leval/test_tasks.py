"""L-Eval's instructions asked of a chat model, from the files to the scores."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines import tasks
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

pytest.importorskip("openai", reason="the client of chat models is not installed (extra openai)")
LECTURE = "The river feeds the mill. Gulls nest on its roof, and owls in its loft."
REPLIES = {
    "nests": "B. in the loft\nA. on the roof",
    "feeds": "As a model, I cannot say.",
    "Sum up": "A river, a mill.",
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """A server that replies with the entry of REPLIES whose word is in the question."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def answer(request: ReceivedRequest, times: int) -> Answer:
        question = request.prompt.partition(LECTURE)[2]
        text = next(reply for word, reply in REPLIES.items() if word in question)
        return chat(text, usage=(len(request.prompt) // 4, 4))

    server = ApiServer(answer)
    yield server
    server.close()


def run(folder: Path, task: str, server: ApiServer, **row: Any) -> Any:
    (folder / f"{task}.jsonl").write_text(json.dumps({"input": LECTURE, **row}))
    model = {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}
    return pipelines.run(f"leval/{task}", data=folder, model=model, out=folder / "run")


def test_a_refusal_is_the_first_choice_and_several_letters_are_read_by_line(tmp_path: Path, server: ApiServer) -> None:
    instructions = [
        "Where is it that anything nests?\nA. roof\nB. loft\nC. river",
        "What feeds the mill?\nA. river\nB. owls",
    ]
    result = run(tmp_path, "coursera", server, instructions=instructions, outputs=["AB", "A"], evaluation="exam")
    assert [prediction.prediction for prediction in result.predictions] == [REPLIES["nests"], REPLIES["feeds"]]
    assert dict(result.scores) == {"choices_leval": 100.0}
    assert len(server.prompts) == 2
    answer_format = "Write the letters of all right answers, without anything between them, and nothing else."
    assert all(LECTURE in prompt and answer_format in prompt for prompt in server.prompts)


def test_a_summary_is_asked_for_with_its_length(tmp_path: Path, server: ApiServer) -> None:
    references = ["A river feeds a mill."]
    result = run(tmp_path, "news_summ", server, instructions=["Sum up."], outputs=references, evaluation="rouge")
    assert "Sum up. Write about 5 words." in server.prompts[0]
    assert result.scores["rouge1"] == pytest.approx(200 * 4 / 9)


def test_the_twenty_tasks_are_those_of_the_benchmark() -> None:
    assert " ".join(task.name.partition("/")[2] for task in tasks.group("leval")) == (
        "coursera gsm100 quality topic_retrieval_longchat tpo codeU sci_fi financial_qa gov_report_summ "
        "legal_contract_qa meeting_summ multidoc_qa narrative_qa natural_question news_summ paper_assistant "
        "patent_summ review_summ scientific_qa tv_show_summ"
    )
