"""Ways through a server that refuses long prompts and certain words."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines.records import Document, Example
from tests.api_server import Answer, ApiServer, ReceivedRequest, chat, json_answer
from tests.pipelines.plugins.versus.test_versus import QUESTIONS, data

WINDOW = 21  # words that the server takes
PROMPT = "{query} {document}"  # no other words, so that the documents decide what is too long
TOO_LONG = {"error": {"message": "maximum context length exceeded", "code": "context_length_exceeded"}}


def answer(request: ReceivedRequest, times: int) -> Answer:
    words = len(request.prompt.split())
    if words > WINDOW:
        return json_answer(TOO_LONG, status=400)
    if "pears" in request.prompt and "gate" in request.prompt:
        return chat(None, finish="content_filter", usage=(words, 0))
    answers = (gold for _, gold in QUESTIONS.values() if gold in request.prompt)
    return chat(next(answers, "nothing"), usage=(words, 4))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    server = ApiServer(answer)
    yield server
    server.close()


def test_a_refused_request_is_no_answer_and_its_tokens_are_counted(server: ApiServer, tmp_path: Path) -> None:
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "prices": {"input": 1.0, "output": 10.0}}
    fields: dict[str, Any] = {
        "data": data(), "model": model, "k": 1, "chunker": "sentences:size=8", "metrics": ["f1"], "report": False,
        "prompt": PROMPT,
    }  # fmt: skip
    table = pipelines.versus("qa", out=tmp_path / "v", **fields)
    whole, best, closed = table.ways
    assert (whole.covered, best.covered, closed.covered, table.examples) == (0, 3, 3, 3)
    assert sum(whole.missing.values()) == 3 and whole.missing["refused by the model"] == 1
    assert any("maximum context length" in reason for reason in whole.missing)
    assert table.baseline == "best:encoder=none, k=1" and table.common_examples == 3
    assert best.tokens_in is not None and best.tokens_out is not None and whole.tokens_in is not None
    assert best.cost == pytest.approx((best.tokens_in + 10 * best.tokens_out) / 1e6)
    assert whole.tokens_in > 0  # the tokens of the prompt that the model read and refused
    request_count = len(server.received)
    pipelines.versus("qa", out=tmp_path / "v", **fields)
    assert len(server.received) == request_count + 2  # the two that failed are asked again, nothing else


def test_a_way_whose_every_request_is_refused_covers_nothing_and_the_others_are_compared(tmp_path: Path) -> None:
    def refuse_more(request: ReceivedRequest, times: int) -> Answer:
        return json_answer(TOO_LONG, status=400) if len(request.prompt.split()) > 15 else answer(request, times)

    server = ApiServer(refuse_more)
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "max_retries": 0}
    table = pipelines.versus(
        "qa", data=data(), model=model, k=1, chunker="sentences:size=8", metrics=["f1"], prompt=PROMPT,
        out=tmp_path / "v",
    )  # fmt: skip
    server.close()
    whole, best, _ = table.ways
    assert (whole.error, whole.covered, best.covered, table.common_examples) == (None, 0, 3, 3)
    assert sum(whole.missing.values()) == 3 and "maximum context length" in next(iter(whole.missing))
    assert "0 of 3" in str(table) and table.baseline == "best:encoder=none, k=1"
    assert "0 of 3" in (tmp_path / "v" / "report.html").read_text(encoding="utf-8")
    assert pipelines.report(tmp_path / "v", format="csv")


def test_the_plan_has_the_price_before_anything_is_sent(server: ApiServer) -> None:
    model = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1", "prices": {"input": 1.0, "output": 10.0}}
    plan = pipelines.plan_versus("qa", data=data(), model=model, k=1, chunker="sentences:size=8", max_new_tokens=5)
    assert server.received == []
    closed = plan.counts["closed book"]
    assert closed.price is not None
    assert closed.price.most == pytest.approx((closed.prompt_tokens + 10 * 5 * closed.requests) / 1e6)
    assert closed.price.batch_most == closed.price.most / 2
    assert plan.tables()[0].heads[-2:] == ("price at most", "in batch files")


def test_the_plan_has_the_price_from_warm_caches_too() -> None:
    document = Document("long", "The lamp stood in the mill. " * 400)
    rows = [Example(str(number), document, f"Question {number}?", ("it",)) for number in range(4)]
    model = {"name": "openai", "model": "m", "prices": {"input": 1.0, "output": 10.0, "cached": 0.1}}
    plan = pipelines.plan_versus("qa", data=rows, model=model, k=1, chunker="sentences:size=8", max_new_tokens=5)
    assert plan.tables()[0].heads[-3:] == ("price at most", "from warm caches", "in batch files")
    whole, alone = plan.counts["whole document"].price, plan.counts["closed book"].price
    assert whole is not None and whole.most is not None and whole.warm_most is not None and alone is not None
    assert whole.most - whole.warm_most == pytest.approx(3 * 2_800 * 0.9 / 1e6, rel=0.02)
    assert alone.warm_most is None
