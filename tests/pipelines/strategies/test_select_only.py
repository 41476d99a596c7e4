"""The strategy of runs without a reader."""

import pytest

import models
from chunkers import Chunk
from chunkers import get as chunker
from longdoc.errors import UserError
from models.requests import Generate
from pipelines import strategies
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Outcome
from tests.pipelines.strategies.made import drive

TEXT = "# Mills\n\nOne two.\n\n# Cows\n\nTen eleven.\n"


def test_nothing_is_asked_and_the_selected_passages_count_as_shown_with_their_headings() -> None:
    chunks = chunker("units").split(TEXT)
    example = Example("e", Document("d", TEXT), "Who?")
    job = Job(example, chunks, chunks[1:], {}, 5, Template("{document}"), lambda query, k, before: [])
    outcome, rounds = drive(strategies.get("select_only"), job, lambda request: "never")
    assert (outcome, rounds) == (Outcome("", shown=((19, 25), (27, 38))), [])


def test_select_only_is_not_among_the_strategies_to_choose() -> None:
    assert "select_only" not in strategies.names()
    assert strategies.get("select_only").needs == frozenset()


def test_the_reader_of_such_runs_answers_nothing_and_counts_words() -> None:
    reader = models.get("none")
    assert (reader.supports, reader.reads, reader.count(["one two", ""])) == (frozenset(), False, [2, 0])
    with pytest.raises(UserError, match="model='none' answers no request"):
        reader.reply([Generate("Who?", 5)])


def test_the_chunks_that_share_text_with_the_evidence_or_touch_it_are_noted_selected_or_not() -> None:
    chunks = [Chunk(TEXT[start:end], start, end) for start, end in ((0, 7), (9, 17), (19, 25), (27, 38))]
    example = Example("e", Document("d", TEXT), "Who?", evidence=((12, 19),))
    job = Job(example, chunks, chunks[:1], {}, 5, Template("{document}"), lambda query, k, before: [])
    outcome, _ = drive(strategies.get("select_only"), job, lambda request: "never")
    assert outcome.notes == {"evidence_chunks": "[[9, 17], [19, 25]]"}
