"""The cost that a run reports is what the server bills, for three rules of prompt caching."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from benchmarks.cache import LongestFirst
from benchmarks.caching_server import CachingServer, serving
from models.apis.openai import Openai
from pipelines.records import Document, Example
from pipelines.results.result import Result
from pipelines.results.run_folders.run import finished_run

WORDS = "The lamp stood in the mill by the river, and Anna kept it lit. "
QUESTIONS = 12
PRICES = {  # of each rule, as its provider sets them: reading costs a tenth, or half, and writing a quarter more
    "openai": {"input": 1.25, "output": 10.0, "cached": 0.125, "cache_write": 1.25},
    "openai, half": {"input": 2.5, "output": 10.0, "cached": 1.25, "cache_write": 2.5},
    "anthropic": {"input": 3.0, "output": 15.0, "cached": 0.3, "cache_write": 3.75},
    "deepseek": {"input": 0.28, "output": 0.42, "cached": 0.028, "cache_write": 0.28},
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-2")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def examples() -> list[Example]:
    """Two documents of 1,600 and 2,000 tokens, with questions to both in turn."""
    documents = [Document("first", WORDS * 100), Document("second", "Once. " + WORDS * 125)]
    return [
        Example(f"{document.id} {number}", document, f"What is said of matter {number}?", ("nothing",))
        for document in documents
        for number in range(QUESTIONS // 2)
    ]


def run(url: str, rule: str, out: Path, **fields: Any) -> Result:
    library = "anthropic" if rule == "anthropic" else "openai"
    address = url if library == "anthropic" else f"{url}/v1"
    model = {"name": library, "model": "m", "base_url": address, "max_retries": 0, "concurrency": 4} | fields
    return pipelines.run("qa", data=examples(), model=model, chunker="whole", out=out, report=False)


@pytest.mark.parametrize("rule", PRICES)
def test_the_cost_of_a_run_is_what_is_billed(rule: str, tmp_path: Path) -> None:
    server, prices = CachingServer(rule.partition(",")[0]), PRICES[rule]
    with serving(server) as url:
        result = run(url, rule, tmp_path / "run", prices=prices)
    billed = server.bill(prices)
    assert result.cost == pytest.approx(billed)
    usage = json.loads((tmp_path / "run" / "scores.json").read_text())["usage"]
    assert usage["cost"] == pytest.approx(billed)
    assert usage["cached_tokens"] == result.cached_tokens == sum(line["cached"] for line in server.ledger)
    assert usage.get("cache_write_tokens", 0) == sum(line["cache_write"] for line in server.ledger)
    is_cheaper = billed * 1.02 < (usage["tokens_in"] * prices["input"] + usage["tokens_out"] * prices["output"]) / 1e6
    assert is_cheaper  # than with all prompt tokens counted alike
    assert sum(line["cached"] > 0 for line in server.ledger) == QUESTIONS - 2  # all but the first of each document
    assert {check.outcome for check in pipelines.verify(tmp_path / "run").checks if check.name == "scores.json"} == {
        "agrees"
    }


def test_a_server_without_a_cache_leaves_no_trace_of_one_in_the_files(tmp_path: Path) -> None:
    with serving(CachingServer("anthropic")) as url:
        pipelines.run(
            "qa", data=examples()[:1], model={"name": "anthropic", "model": "m", "base_url": url},
            chunker="whole", out=tmp_path / "run", report=False,
        )  # fmt: skip
    final = (tmp_path / "run" / "predictions.jsonl").read_text() + (tmp_path / "run" / "scores.json").read_text()
    assert "cached_tokens" not in final
    assert "cache_write_tokens" not in final


def test_the_order_of_requests_changes_no_prediction(tmp_path: Path) -> None:
    records_of = {}
    for name, reader_class in (("longest first", LongestFirst), ("prefixes", Openai)):
        with serving(CachingServer("openai")) as url:
            model = reader_class("m", base_url=f"{url}/v1", concurrency=3)
            pipelines.run("qa", data=examples(), model=model, chunker="whole", out=tmp_path / name, report=False)
        lines = (tmp_path / name / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
        records = map(json.loads, lines)  # the digest names the class of the reader
        others = ("cached_tokens", "request_digest")
        records_of[name] = [{key: of for key, of in record.items() if key not in others} for record in records]
    assert records_of["longest first"] == records_of["prefixes"]
    assert [one["id"] for one in records_of["prefixes"]] == [one.id for one in examples()]


def test_a_run_that_is_started_again_costs_what_its_log_says(tmp_path: Path) -> None:
    server = CachingServer("openai")
    with serving(server) as url:
        first = run(url, "openai", tmp_path / "run", prices=PRICES["openai"])
        (tmp_path / "run" / "journal.jsonl").unlink()
        (tmp_path / "run" / "scores.json").unlink()
        again = run(url, "openai", tmp_path / "run", prices=PRICES["openai"])
    assert (again.new_requests, again.cost) == (0, pytest.approx(first.cost))
    assert finished_run(tmp_path / "run").usage["cost"] == pytest.approx(server.bill(PRICES["openai"]))


def test_shards_that_are_merged_cost_what_was_billed(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    rows = [
        {"id": example.id, "document": example.document.text, "question": example.query, "answers": ["nothing"]}
        for example in examples()
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    server, prices = CachingServer("openai"), PRICES["openai"]
    with serving(server) as url:
        model = {"name": "openai", "model": "m", "base_url": f"{url}/v1", "prices": prices}
        for number in (1, 2):
            pipelines.run(
                "qa", data=data, model=model, chunker="whole", shard=f"{number}/2", out=tmp_path / str(number),
                report=False,
            )  # fmt: skip
    merged = pipelines.merge(tmp_path / "1", tmp_path / "2", out=tmp_path / "all")
    assert merged.cost == pytest.approx(server.bill(prices))
    assert merged.cached_tokens == sum(line["cached"] for line in server.ledger)
