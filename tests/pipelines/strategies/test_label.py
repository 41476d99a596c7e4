import json

from chunkers import Chunk
from models import Classify
from pipelines.records import Document, Example
from pipelines.strategies import Job, get
from pipelines.strategies._template import Template


def job(*texts):
    chunks = [Chunk(text, 10 * i, 10 * i + len(text)) for i, text in enumerate(texts)]
    example = Example("e", Document("d", "x"), "Anna")
    return Job(example, chunks, chunks, {}, 1, Template("{query}: {document}"), lambda query, k, before: [])


def outcome(running, value):
    next(running)
    try:
        running.send([value])
    except StopIteration as stop:
        return stop.value
    raise AssertionError("one round was expected")


def test_one_request_holds_the_selected_chunks():
    (request,) = next(get("label")(job("one", "two")))
    assert isinstance(request, Classify)
    assert request.text.text == "Anna: one\ntwo"


def test_the_most_probable_label_is_the_prediction_and_the_probabilities_a_note():
    answer = outcome(get("label")(job("one")), {"bad": 0.25, "good": 0.75})
    assert answer.prediction == "good"
    assert json.loads(answer.notes["probabilities"]) == {"bad": 0.25, "good": 0.75}
    assert set(answer.notes) == {"probabilities"}


def test_of_equally_probable_labels_the_first_is_taken():
    assert outcome(get("label")(job("one")), {"b": 0.5, "a": 0.5}).prediction == "b"


def test_a_remark_says_that_there_was_nothing_to_read():
    answer = outcome(get("label")(job()), {"bad": 0.4, "good": 0.6})
    assert answer.prediction == "good"
    assert answer.notes["remark"].startswith("never mentioned")
