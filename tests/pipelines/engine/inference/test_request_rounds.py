"""A strategy is driven in one place: its requests round by round, its searches answered, its outcome returned."""

from dataclasses import replace
from typing import Any

import pytest

from models.requests import Generate
from pipelines.engine.inference.request_rounds import request_rounds
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.preparation.prepare import prepare
from pipelines.records import Document, Example
from pipelines.strategies import Job, Retrieve

EXAMPLE = Example(
    "e", Document("d", "Anna keeps bees. Bert mends clocks. Carl bakes bread."), "Who keeps bees?", ("Anna",)
)


def job() -> Job:
    plan = make_plan("qa", data=[EXAMPLE], model="extractive", chunker="units:of=sentence", retriever="tfidf", k=1)
    (only_job,) = prepare(plan, EXAMPLE.document, [EXAMPLE])
    return only_job


def searching(closed: list[bool]) -> Any:
    try:
        replies = yield [Generate("first", 5)]
        chunks = yield Retrieve("Who bakes bread?", 1)
        replies += yield [Generate(chunks[0].text, 5), Generate("last", 5)]
        return ", ".join(replies)
    finally:
        closed.append(True)


def test_requests_come_round_by_round_searches_are_answered_and_the_outcome_is_returned() -> None:
    closed: list[bool] = []
    rounds = request_rounds(searching(closed), job())
    assert next(rounds) == [Generate("first", 5)]
    second = rounds.send(["one"])
    assert [request.prompt for request in second if isinstance(request, Generate)] == ["Carl bakes bread.", "last"]
    with pytest.raises(StopIteration) as stop:
        rounds.send(["two", "three"])
    assert (stop.value.value, closed) == ("one, two, three", [True])


def test_a_strategy_that_is_left_early_is_closed() -> None:
    closed: list[bool] = []
    rounds = request_rounds(searching(closed), job())
    next(rounds)
    rounds.close()
    assert closed == [True]


def test_an_error_of_a_search_leaves_the_rounds_and_closes_the_strategy() -> None:
    closed: list[bool] = []

    def search(*arguments: Any) -> Any:
        raise ValueError("no index")

    rounds = request_rounds(searching(closed), replace(job(), search=search))
    next(rounds)
    with pytest.raises(ValueError, match="no index"):
        rounds.send(["one"])
    assert closed == [True]
