"""Estimates of what an ablation will take."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from models.reader import Reader, StreamingReader
from models.requests import Generate, Reply
from pipelines.ablations.estimate import PILOT_CHARACTERS, Estimate, estimate
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.records import Document, Example

LONG = " ".join(f"word{i}" for i in range(12_000))  # over twice what a pilot reads


@dataclass(frozen=True)
class Priced(Reader):
    """A reader with prices, which counts what it is asked."""

    prices: dict[str, float] = field(default_factory=lambda: {"input": 2.0, "output": 10.0})
    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        return [Reply("x", tokens_in=1, tokens_out=1) for _ in requests]


@dataclass(frozen=True)
class Thinks(Priced):
    thinking_tokens: int = 90


@dataclass(frozen=True)
class Hosted(Priced, StreamingReader):
    """The same behind an API."""

    def stream(self, requests: Any, arrived: Any) -> Any:
        raise AssertionError("a pilot costs nothing")


def plan(reader: Any, **arguments: Any) -> Plan:
    documents = [Document("d1", LONG), Document("d2", LONG)]
    data = [Example(f"{d.id}-{q}", d, f"word{q}", ("x",)) for d in documents for q in range(4)]
    defaults = {"chunker": "tokens:size=100", "retriever": "first", "k": 2, "prompt": "{query} {document}"}
    return make_plan("qa", data=data, model=reader, seed=0, max_new_tokens=10, **{**defaults, **arguments})


def test_requests_and_tokens_grow_with_the_examples_and_the_cells() -> None:
    one = estimate([plan(Priced())])
    assert (one.documents, one.examples, one.requests, one.prompt_tokens) == (2, 8, 8, 8 * 201)
    two = estimate([plan(Priced()), plan(Priced(), k=4)])
    assert (two.requests, two.prompt_tokens) == (16, 8 * 201 + 8 * 401)
    assert two.seconds is not None
    assert two.seconds > 0


def test_cost_is_tokens_times_prices_with_outputs_at_their_longest() -> None:
    result = estimate([plan(Priced())])
    assert result.cost == pytest.approx((8 * 201 * 2.0 + 8 * 10 * 10.0) / 1_000_000)
    assert estimate([plan(Thinks())]).cost == pytest.approx((8 * 201 * 2.0 + 8 * 100 * 10.0) / 1_000_000)
    assert estimate([plan("extractive")]).cost is None


def test_a_reader_behind_an_api_is_not_asked_and_its_time_is_not_known() -> None:
    result = estimate([plan(Hosted())])
    assert result.seconds is None
    assert result.cost is not None


@pytest.mark.parametrize(
    ("strategy", "requests"),
    [
        pytest.param("stuff", 1, id="stuff asks once"),
        pytest.param("refine", 5, id="refine asks about each chunk"),
        pytest.param("map_reduce", 6, id="map_reduce besides about all answers"),
        pytest.param("iterative:rounds=3", 3, id="iterative asks once a round"),
    ],
)
def test_strategies_with_several_rounds_are_simulated(strategy: str, requests: int) -> None:
    assert estimate([plan(Hosted(), strategy=strategy, k=5, retriever="bm25")]).requests == 8 * requests


def test_one_request_per_chunk_grows_with_the_length_of_documents() -> None:
    result = estimate([plan(Hosted(), strategy="map", retriever="all", k=None)])
    assert result.requests / 8 == pytest.approx(120, rel=0.05)  # 12,000 words in chunks of 100
    assert result.prompt_tokens / result.requests == pytest.approx(101, rel=0.05)


def test_a_prompt_grows_up_to_the_reader_s_limit() -> None:
    result = estimate([plan(Hosted(max_input_tokens=7_000), retriever="all", k=None)])
    assert result.prompt_tokens / 8 == pytest.approx(7_000, rel=0.05)


def test_more_chunks_than_the_pilot_has_grow_with_the_length_of_documents() -> None:
    words = len(LONG[:PILOT_CHARACTERS].split())
    assert words < 6_000
    result = estimate([plan(Priced(), k=100)])  # 10,000 of the 12,000 words
    assert result.prompt_tokens / 8 == pytest.approx(10_001, rel=0.05)


def test_an_error_in_the_pilot_makes_the_time_unknown_and_keeps_the_rest() -> None:
    @dataclass(frozen=True)
    class Broken(Priced):
        def reply(self, requests: Any) -> list[Reply]:
            raise RuntimeError("no weights")

    result = estimate([plan(Broken()), plan(Priced())])
    assert result.seconds is None
    assert result.requests == 16


def test_estimates_over_other_examples_add_up() -> None:
    timed, untimed = Estimate(1, 2, 3, 4, 5.0, 6.0), Estimate(1, 2, 3, 4, None, None)
    assert timed.plus(timed) == Estimate(2, 4, 6, 8, 10.0, 12.0)
    assert timed.plus(untimed) == Estimate(2, 4, 6, 8, None, 6.0)


def test_text_that_examples_of_a_document_share_is_cheaper_from_warm_caches() -> None:
    """Each prompt has 1,200 words of its document and then two of its own; three of four examples find them cached."""
    reader = Priced(prices={"input": 2.0, "output": 10.0, "cached": 0.2})
    result = estimate([plan(reader, k=12, prompt="{document} {query}")])
    assert result.prompt_tokens == 8 * 1201
    assert result.cost == pytest.approx((8 * 1201 * 2 + 8 * 10 * 10) / 1e6)
    assert result.warm_cost == pytest.approx(result.cost - 6 * 1200 * 1.8 / 1e6, rel=0.01)
    question_first = estimate([plan(reader, k=12)])  # the question stands first
    assert question_first.warm_cost == question_first.cost
