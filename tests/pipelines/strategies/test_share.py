"""The share of inner documents of one class."""

import json

import pytest

from chunkers import Chunk
from chunkers.numbered import Numbered
from longdoc.errors import UserError
from models.requests import Classify
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, Outcome
from pipelines.strategies.share import Share

TEXT = "Reviews:\nReview 1:\nLovely.\nReview 2:\nAwful.\nReview 3:\nLovely too."


def job(chunks: list[Chunk]) -> Job:
    example = Example("x", Document("d", TEXT))
    return Job(example, chunks, chunks, {}, 10, Template("{document}"), lambda query, k, before: [])


def texts_and_outcome(chunks: list[Chunk], strategy: Share | None = None) -> tuple[list[str], Outcome]:
    """The requests, answered by a reader that labels "Lovely" as positive, and the outcome."""
    generator = (strategy or Share())(job(chunks))
    requests = next(generator)
    assert all(isinstance(request, Classify) for request in requests)
    texts = [request.text.text for request in requests]
    replies = [{"negative": float("Awful" in text), "positive": float("Lovely" in text)} for text in texts]
    with pytest.raises(StopIteration) as stop:
        generator.send(replies)
    return texts, stop.value.value


def test_there_is_one_request_per_inner_document_without_its_heading() -> None:
    chunks = Numbered().split(TEXT)
    texts, outcome = texts_and_outcome(chunks[::-1])
    assert texts == ["Lovely.", "Awful.", "Lovely too."]
    assert outcome.prediction == "67%"
    assert json.loads(outcome.notes["counts"]) == {"negative": 1, "positive": 2}


def test_spans_stay_positions_in_the_document() -> None:
    generator = Share()(job(Numbered().split(TEXT)))
    spans = [request.text.spans[0] for request in next(generator)]
    assert [TEXT[start:end] for start, end in spans] == ["Lovely.", "Awful.", "Lovely too."]


def test_chunks_of_another_chunker_are_counted_as_they_are() -> None:
    texts, outcome = texts_and_outcome([Chunk("Lovely", 0, 6), Chunk("Awful", 7, 12)], Share(label="negative"))
    assert (texts, outcome.prediction) == (["Lovely", "Awful"], "50%")


def test_an_empty_selection_has_a_remark() -> None:
    _, outcome = texts_and_outcome([])
    assert (outcome.prediction, list(outcome.notes)) == ("", ["remark"])


def test_percentages_give_no_training_examples_and_an_unknown_label_is_refused() -> None:
    with pytest.raises(UserError, match="model=FOLDER"):
        Share().training_examples(job([]))
    with pytest.raises(UserError, match="label must be one of positive, negative, got 'good'"):
        Share(label="good")
