"""Searching again with the results of the first search."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import pipelines
from chunkers import Chunk
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.strategies import Job, Retrieve, get
from tests.pipelines.strategies.made import drive, job


def searching(*order: int, selected: list[int], **fields: Any) -> Job:
    """A job whose search ranks the chunks in this order, for any query."""
    base = job("a", "b", "c", "d", "e", selected=selected, **fields)

    def search(query: str, k: int | None, before: Sequence[Chunk]) -> list[Chunk]:
        return [base.chunks[i] for i in order][:k]

    return replace(base, search=search)


def test_the_query_is_extended_by_the_answer_and_new_passages_are_added() -> None:
    searching_job = searching(1, 0, 3, 2, 4, selected=[1, 0])
    answers = iter(["Oslo", "1931"])
    outcome, rounds = drive(get("iterative"), searching_job, lambda request: next(answers))
    assert rounds == [["who? | b\na"], Retrieve("who? Oslo", 4), ["who? | b\nd\na\nc"]]
    assert outcome.prediction == "1931"
    assert json.loads(outcome.notes["queries"]) == ["who? Oslo"]
    assert json.loads(outcome.notes["spans"]) == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_the_query_is_extended_by_the_passages_of_the_last_search() -> None:
    searching_job = searching(2, 3, 4, 0, 1, selected=[2])
    outcome, rounds = drive(get("iterative:rounds=3,extend=passages"), searching_job, lambda request: "x")
    assert rounds == [Retrieve("who? c", 2), Retrieve("who? d", 3), ["who? | c\nd\ne"]]
    assert "queries" not in outcome.notes


def test_passages_are_in_document_order_where_the_run_says_so_and_k_is_per_search() -> None:
    searching_job = searching(4, 3, 2, 1, 0, selected=[0, 4], order="document")
    _, rounds = drive(get("iterative:k=1"), searching_job, lambda request: "x")
    assert rounds == [["who? | a\ne"], Retrieve("who? x", 3), ["who? | a\nd\ne"]]


def test_the_best_passages_of_every_search_are_cut_last() -> None:
    generator = get("iterative:extend=passages")(searching(1, 0, 3, 2, 4, selected=[1, 0]))
    next(generator)
    (request,) = generator.send([Chunk("b", 2, 3), Chunk("d", 6, 7), Chunk("c", 4, 5)])  # type: ignore[misc]
    assert [(part.text, part.rank) for part in request.prompt.passages] == [("b", 0), ("d", 1), ("a", 2), ("c", 3)]


def test_one_round_is_stuff_and_without_chunks_nothing_is_searched() -> None:
    assert drive(get("iterative:rounds=1"), searching(selected=[1, 0]), lambda request: "x")[1] == [["who? | b\na"]]
    assert drive(get("iterative"), searching(selected=[]), lambda request: "x")[1] == [["who? | "]]


def test_fields_below_one_are_refused() -> None:
    for field in ("rounds", "k"):
        with pytest.raises(UserError, match=f"{field} must be at least 1, got 0"):
            get("iterative", **{field: 0})


TEXT = "The mill was built by Anna Berg.\n\nCows eat grass.\n\nAnna Berg was born in Oslo.\n\nRain fell on the hills."
HOPS = [Example("e", Document("d", TEXT), "Where was the builder of the mill born?", ("Oslo",), evidence=((51, 78),))]


def test_metrics_of_the_selection_measure_the_passages_of_further_searches(tmp_path: Any) -> None:
    arguments = {"data": HOPS, "model": "extractive", "chunker": "paragraphs:size=8", "retriever": "bm25", "k": 1}
    arguments["metrics"] = ["answer_recall", "evidence_recall"]
    once = pipelines.run("qa", strategy="stuff", out=tmp_path / "once", **arguments)
    twice = pipelines.run("qa", strategy="iterative:extend=passages", out=tmp_path / "twice", **arguments)
    assert [once.scores["answer_recall"], once.scores["evidence_recall"]] == [0, 0]
    assert [twice.scores["answer_recall"], twice.scores["evidence_recall"]] == [100, 100]
    assert [span[:2] for span in twice.predictions[0].selected] == [(0, 32), (51, 78)]


def test_a_retriever_that_takes_no_query_is_refused(tmp_path: Any) -> None:
    for retriever in ("first", "last"):
        with pytest.raises(UserError, match="searches again with other queries"):
            pipelines.run("qa", data=HOPS, model="extractive", retriever=retriever, strategy="iterative", out=tmp_path)
