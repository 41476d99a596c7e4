"""FinanceBench's questions asked of a chat model, from the files to the scores, and judged beside people's labels."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pipelines
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat

pytest.importorskip("openai", reason="the client of chat models is not installed (extra openai)")
ROWS = [("What was revenue?", "$1200", 1, "Revenue: 1,200"), ("And what were the costs?", "$700", 2, "Costs")]
LABELS = ["Correct Answer", "Incorrect Answer", "Refusal", "Correct Answer"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:
    """A server that answers with the revenue, and as a judge says yes to answers with a digit."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def answer(request: ReceivedRequest, times: int) -> Answer:
        graded = request.prompt.partition("Answer to be graded: ")[2].partition("\n")[0]
        text = ("yes" if any(map(str.isdigit, graded)) else "no") if graded else "It was $1200."
        return chat(text, usage=(len(request.prompt) // 4, 4))

    server = ApiServer(answer)
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("data", "texts"):
        (tmp_path / name).mkdir()
    (tmp_path / "texts" / "MILL.txt").write_text("Mill Corp\fRevenue: 1,200\fCosts: 700")
    rows = [
        {"financebench_id": f"f{number}", "doc_name": "MILL", "question": question, "answer": answer,
         "evidence": [{"evidence_text": text, "doc_name": "MILL", "evidence_page_num": page}]}
        for number, (question, answer, page, text) in enumerate(ROWS)
    ]  # fmt: skip
    (tmp_path / "data" / "financebench_open_source.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def reader(server: ApiServer) -> dict[str, Any]:
    return {"name": "openai", "model": "gpt-x", "base_url": server.url + "/v1", "max_retries": 0}


def test_a_chat_model_reads_the_filing_in_either_order(folder: Path, server: ApiServer) -> None:
    arguments: dict[str, Any] = {
        "data": folder,
        "model": reader(server),
        "metrics": ["f1", "page_recall"],
        "report": False,
    }
    result = pipelines.run("financebench", out=folder / "run", **arguments)
    assert [prediction.prediction for prediction in result.predictions] == ["It was $1200.", "It was $1200."]
    assert (result.scores["f1"], result.scores["page_recall"]) == (25.0, 100.0)
    assert all("Revenue: 1,200\fCosts: 700" in prompt for prompt in server.prompts)
    pipelines.run("financebench", out=folder / "reverse", prompt="question_first", **arguments)
    prompts = [prompt for prompt in server.prompts if "What was revenue?" in prompt]
    assert [prompt.index("What was revenue?") < prompt.index("Mill Corp") for prompt in prompts] == [False, True]


def test_a_judge_is_compared_with_people(folder: Path, server: ApiServer) -> None:
    answers = ["1200", "It rose by 3.", "I cannot say.", "None"]
    fields = {"model_name": "m-1", "eval_mode": "oracle", "question": "What was revenue?", "gold_answer": "$1200"}
    rows = [
        {"financebench_id": f"f{number}", **fields, "model_answer": answer, "label": label}
        for number, (answer, label) in enumerate(zip(answers, LABELS, strict=True))
    ]
    path = folder / "m.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = pipelines.score_predictions("financebench", path, judge=reader(server))
    agreement = scores.judging["agreement"]["label_correct"]
    assert (scores.scores["judged"], scores.scores["label_correct"]) == (50.0, 50.0)
    assert [agreement[name] for name in ("both", "judge_only", "score_only", "neither")] == [1, 1, 1, 1]
    assert agreement["kappa"] == 0.0
    assert not {"label_incorrect", "label_refused"} & scores.judging["agreement"].keys()
