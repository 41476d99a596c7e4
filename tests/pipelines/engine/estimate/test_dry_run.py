"""Dry runs: prompts over the limit, outputs, later rounds, prices, and a pilot that the run goes on from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import pipelines
from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Generate, Reply, Request
from pipelines.cli.main import app
from pipelines.records import Document, Example
from pipelines.results.dry_runs.dry_run import DryRun

PRICED = {"name": "openai", "model": "m", "window": 1000, "prices": {"input": 1.0, "output": 10.0}}


@dataclass
class WordCounter(Reader):
    """Counts words, answers with the last one."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    received: list[str] = field(default_factory=list)

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        prompts = [request.prompt.text for request in requests if isinstance(request, Generate)]
        self.received += prompts
        return [Reply(prompt.split()[-1], len(prompt.split()), 1) for prompt in prompts]


def data(words: Sequence[int] = (20, 60, 100, 140)) -> list[Example]:
    rows = []
    for number, count in enumerate(words):
        document = Document(f"d{number}", " ".join(f"w{number}x{at}." for at in range(count)))
        rows += [
            Example(f"{number}-{question}", document, f"Which word is {question}?", ("it",)) for question in range(2)
        ]
    return rows


def dry_run(model: Any = None, **options: Any) -> DryRun:
    arguments = {"data": data(), "chunker": "whole", "prompt": "{document} {query}", "max_new_tokens": 5, **options}
    return pipelines.dry_run("qa", model=model or WordCounter(), **arguments)


def test_prompts_over_the_limit_are_counted_with_how_much_and_where() -> None:
    estimate = dry_run(WordCounter(max_input_tokens=54))
    assert (estimate.limit, estimate.longest_prompt) == (54, 54)
    assert estimate.truncated == {"examples": 6, "tokens": 2 * (10 + 50 + 90), "median": 50, "largest": 90}
    assert [(cut.id, cut.document, cut.tokens) for cut in estimate.longest_cuts] == [
        ("3-0", "d3", 90), ("2-0", "d2", 50), ("1-0", "d1", 10),
    ]  # fmt: skip
    lines = [" ".join(line.split()) for line in str(estimate).splitlines()]
    assert "prompts over the limit 6" in lines
    assert "tokens cut off 300 median 50, largest 90 of a prompt" in lines
    assert "90 3-0 of d3" in lines
    assert "over the limit" not in str(dry_run())


def test_the_five_documents_with_the_longest_cuts_are_named() -> None:
    estimate = dry_run(WordCounter(max_input_tokens=14), data=data((80, 30, 60, 20, 50, 70, 40)))
    assert [(cut.document, cut.tokens) for cut in estimate.longest_cuts] == [
        ("d0", 70), ("d5", 60), ("d2", 50), ("d4", 40), ("d6", 30),
    ]  # fmt: skip


def test_outputs_and_both_prices_are_at_most_those_of_the_longest_replies() -> None:
    estimate = dry_run(PRICED)
    assert (estimate.requests, estimate.output_tokens, estimate.all_rounds) == (8, 40, None)
    assert estimate.price is not None
    assert estimate.price.least == pytest.approx(estimate.prompt_tokens / 1e6)
    assert estimate.price.most == pytest.approx(estimate.price.least + 40 * 10 / 1e6)
    assert (estimate.price.batch_least, estimate.price.batch_most) == (
        estimate.price.least / 2,
        estimate.price.most / 2,
    )
    assert "in batch files" in str(estimate)
    assert dry_run().price is None


def test_tokens_of_thinking_come_on_top_of_each_output_in_the_count_and_the_price() -> None:
    thinking_model = PRICED | {"window": 3000, "thinking": 2000}
    estimate, plain = dry_run(thinking_model), dry_run(PRICED)
    assert (estimate.output_tokens, plain.output_tokens) == (8 * 2005, 8 * 5)
    assert estimate.price is not None and estimate.price.most is not None
    assert estimate.price.most == pytest.approx(estimate.price.least + 8 * 2005 * 10 / 1e6)
    refined = dry_run(thinking_model, chunker="tokens:size=20", retriever="all", strategy="refine")
    assert refined.all_rounds is not None and refined.all_rounds.output_tokens is not None
    assert refined.all_rounds.output_tokens[1] == refined.all_rounds.requests[1] * 2005
    with pytest.raises(UserError, match=r"an output of 5 tokens, thinking=2000 and \d+ for the chat template fill the"):
        dry_run(PRICED | {"thinking": 2000})


def test_outputs_that_nothing_bounds_have_no_price_at_most() -> None:
    estimate = dry_run("extractive", max_new_tokens=None)
    assert estimate.output_tokens is not None
    floor = pipelines.dry_run("narrativeqa", data="sample", model="floor", limit=2)
    assert floor.output_tokens is None
    assert "not bounded" in str(floor)


def test_later_rounds_are_bounded_by_blank_replies_and_the_longest() -> None:
    options = {"chunker": "tokens:size=20", "retriever": "all", "strategy": "map_reduce"}
    reader = WordCounter(max_input_tokens=60)
    estimate = dry_run(reader, **options)
    assert reader.received == []
    chunks = 2 * (1 + 3 + 5 + 7)
    assert estimate.requests == chunks
    assert estimate.all_rounds is not None
    assert estimate.all_rounds.requests[0] == chunks
    assert estimate.all_rounds.requests[1] > chunks
    assert "estimated with blank replies, and with the longest ones" in str(estimate)
    assert dry_run(chunker="tokens:size=20", retriever="all", strategy="refine").all_rounds is not None


def test_the_requests_of_a_run_are_within_the_bounds_of_its_dry_run(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "data": data(), "chunker": "tokens:size=20", "retriever": "all", "max_new_tokens": 5,
        "prompt": "{document} {query}", "metrics": ["f1"], "report": False,
    }  # fmt: skip
    for strategy in ("map_reduce", "refine", "map"):
        bounds = dry_run(strategy=strategy, chunker="tokens:size=20", retriever="all")
        result = pipelines.run("qa", model=WordCounter(), strategy=strategy, out=tmp_path / strategy, **options)
        requests = sum(prediction.requests for prediction in result.predictions)
        low, high = bounds.all_rounds.requests if bounds.all_rounds else (bounds.requests,) * 2
        assert low <= requests <= high
        tokens = bounds.all_rounds.prompt_tokens if bounds.all_rounds else (bounds.prompt_tokens,) * 2
        assert tokens[0] <= sum(prediction.tokens_in for prediction in result.predictions) <= tokens[1]


@pytest.mark.parametrize("engine", ["local:workers=1", "local:workers=4"])
def test_the_counts_are_those_of_any_engine(engine: str) -> None:
    assert dry_run(engine=engine) == dry_run()


def test_a_pilot_times_a_local_reader_and_the_run_goes_on_from_it(tmp_path: Path) -> None:
    lengths = (20, 40, 60, 80, 100, 120, 140, 160)
    options: dict[str, Any] = {"data": data(lengths), "chunker": "whole", "metrics": ["f1"], "max_new_tokens": 5}
    reader = WordCounter()
    estimate = pipelines.dry_run("qa", model=reader, pilot=5, out=tmp_path / "run", **options)
    assert estimate.pilot is not None
    assert (estimate.pilot.examples, estimate.pilot.asked, estimate.pilot.folder) == (5, 16, str(tmp_path / "run"))
    assert 0 < estimate.pilot.low <= estimate.pilot.seconds <= estimate.pilot.high
    assert len(reader.received) == 5
    spread = sorted(len(prompt.split()) for prompt in reader.received)
    assert spread[0] < 60 and spread[-1] > 120
    assert f"out={tmp_path / 'run'}" in str(estimate)
    result = pipelines.run("qa", model=WordCounter(), out=tmp_path / "run", report=False, **options)
    assert (result.examples, result.resumed, result.new_requests) == (16, 5, 11)
    whole = pipelines.run("qa", model=WordCounter(), out=tmp_path / "whole", report=False, **options)
    assert result.scores == whole.scores
    for name in ("predictions.jsonl", "scores.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with pytest.raises(UserError, match="0 of the 5 examples of a pilot are still to be asked"):
        pipelines.dry_run("qa", model=WordCounter(), pilot=5, out=tmp_path / "run", **options)


def test_a_pilot_asks_no_reader_that_may_cost_money_and_writes_nothing_where_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for model, pilot, message in (
        (PRICED, 8, "is behind an API"),
        (WordCounter(), 2, "at least 3 examples"),
        ("none", 8, "this run has none"),
    ):
        with pytest.raises(UserError, match=message):
            dry_run(model, pilot=pilot)
    assert list(tmp_path.iterdir()) == []


def test_a_pilot_is_for_a_dry_run_alone() -> None:
    result = CliRunner().invoke(
        app, ["run", "narrativeqa", "--data", "sample", "--model", "extractive", "--pilot", "8"]
    )
    assert "--pilot is for --dry-run" in str(result.exception)


def test_many_examples_that_cannot_be_asked_are_counted_and_some_are_named() -> None:
    estimate = dry_run(WordCounter(max_input_tokens=3))
    assert len(estimate.failures) == 8
    assert "… and 3 more examples that cannot be asked" in str(estimate)


def test_prompts_of_a_document_are_cheaper_where_caches_are_warm() -> None:
    """Two documents of 1,800 and 2,400 tokens as they are estimated, with two questions each."""
    rows = data((1000, 1300))
    model = {**PRICED, "window": None, "prices": {"input": 1.0, "output": 10.0, "cached": 0.1, "cache_write": 1.25}}
    estimate = dry_run(model, data=rows)
    price, documents = estimate.price, {row.document.id: row.document.text for row in rows}
    assert price is not None and price.warm_least is not None and price.warm_most is not None
    shared = sum(-(-len(text) // 4) for text in documents.values())
    assert price.least == pytest.approx(estimate.prompt_tokens / 1e6)
    assert price.warm_least == pytest.approx(price.least + shared * (0.25 - 0.9) / 1e6, rel=0.01)
    assert price.warm_most - price.warm_least == pytest.approx(4 * 5 * 10 / 1e6)
    lines = [" ".join(line.split()) for line in str(estimate).splitlines()]
    assert any(line.startswith("from warm caches 0.0") for line in lines)


@pytest.mark.parametrize(
    ("words", "prompt", "prices"),
    [
        ((500, 400), "{document} {query}", {"cached": 0.1}),  # too short to be kept
        ((1000, 1300), "{query} {document}", {"cached": 0.1}),  # prompts begin with different questions
        ((1000, 1300), "{document} {query}", {}),  # cached tokens cost as others do
    ],
)
def test_where_nothing_is_cheaper_from_a_cache_there_is_one_price(
    words: tuple[int, ...], prompt: str, prices: dict[str, float]
) -> None:
    model = {**PRICED, "window": None, "prices": {"input": 1.0, "output": 10.0, **prices}}
    price = dry_run(model, data=data(words), prompt=prompt).price
    assert price is not None
    assert (price.warm_least, price.warm_most) == (None, None)
