import json
import re
from dataclasses import replace

import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Compare, Generate, Reader, Score
from pipelines.benchmarks.muld.layouts.character_types import LABELS
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies import Job, get

HERO, VILLAIN = LABELS
WORDS = {"instruction": "Who?", "context": "Text:", "query": "Who:", "response": "Answer:", "truncation": "[cut]"}
LISTED = f"\n\nWrite one of these labels and nothing else:\n{HERO}\n{VILLAIN}"


def job(*texts, **fields):
    chunks = [Chunk(text, 10 * i, 10 * i + len(text)) for i, text in enumerate(texts)]
    example = Example("e", Document("d", "x"), "Anna")
    base = Job(example, chunks, chunks, {}, 1, Template("{query}: {document}"), lambda query, k, before: [])
    return replace(base, **fields)


def outcome(strategy_run, reply):
    next(strategy_run)
    try:
        strategy_run.send([reply])
    except StopIteration as stop:
        return stop.value
    raise AssertionError("one round was expected")


def reader(*kinds, chat=False):
    class FakeReader(Reader):
        supports = frozenset(kinds)
        is_chat = chat

        def count(self, texts):
            return [len(text.split()) for text in texts]

        def reply(self, requests):
            raise AssertionError("nothing is asked")

    return FakeReader()


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


def test_a_label_is_written_from_a_prompt_that_lists_them_a_line_each():
    (request,) = next(get("label:by=generation")(job("one", "two", labels=LABELS, length=50)))
    assert isinstance(request, Generate)
    assert request.prompt.text == "Anna: one\ntwo" + LISTED
    assert (request.max_new_tokens, request.choices) == (50, LABELS)
    assert [part.role for part in request.prompt.parts] == ["query", "text", "document", "document", "options"]


def test_the_words_that_begin_an_answer_stay_at_the_end_of_the_prompt():
    tags = RowPrompt("tags", "own", own=WORDS)
    example = Example("e", Document("d", "x"), "Anna")
    (request,) = next(get("label:by=generation")(job("one", labels=LABELS, template=tags, example=example)))
    assert [part.role for part in request.prompt.parts[-2:]] == ["options", "prefill"]


def test_labels_with_line_ends_take_a_line_each():
    (request,) = next(get("label:by=generation")(job("one", labels=("a\nb", "c"))))
    assert request.prompt.text.endswith(":\na b\nc")


@pytest.mark.parametrize(
    ("reply", "prediction"),
    [(HERO, HERO), (f"**{HERO}**\n", HERO), (json.dumps({"label": VILLAIN}), VILLAIN), ("It is the hero.", HERO)],
)
def test_the_label_that_a_reply_names_is_the_prediction(reply, prediction):
    answer = outcome(get("label:by=generation")(job("one", labels=LABELS)), reply)
    assert (answer.prediction, answer.notes, answer.outputs) == (prediction, {}, {})


@pytest.mark.parametrize("reply", [f"{HERO} or {VILLAIN}", "I cannot say whether she is the Hero/Protagonist.", "Anna"])
def test_a_reply_that_names_no_label_or_several_stays_as_it_is_and_is_counted(reply):
    answer = outcome(get("label:by=generation")(job("one", labels=LABELS)), f" {reply}\n")
    assert answer.prediction == reply
    assert answer.notes == {"remark": "the reply names no label, or several"}
    assert answer.outputs == {"no label": 1}


def test_an_empty_reply_is_counted_as_empty_alone():
    answer = outcome(get("label:by=generation")(job("one", labels=LABELS)), " \n")
    assert (answer.prediction, answer.outputs) == ("", {})


def test_rows_with_options_of_their_own_are_labels_by_text_or_letter():
    example = Example("e", Document("d", "x"), "Anna", options=("a mill", "a ship"), meta={"lettered": True})
    strategy = get("label:by=generation")
    template = Template("{document}")
    (request,) = next(strategy(job("one", example=example, template=template)))
    assert request.choices == ("a mill", "a ship")
    assert outcome(strategy(job("one", example=example, template=template)), "A SHIP").prediction == "a ship"
    assert outcome(strategy(job("one", example=example, template=template)), "(B)").prediction == "a ship"
    with pytest.raises(UserError, match=re.escape("example 'e' has no options to choose from")):
        next(strategy(job("one")))


@pytest.mark.parametrize(
    ("kinds", "chat", "by", "listed"),
    [
        ({Classify}, False, None, None),
        ({Classify, Compare}, False, None, None),
        ({Generate, Score}, False, None, None),
        ({Generate, Score}, True, None, True),
        ({Generate}, True, "generation", None),
        ({Generate}, False, "generation", None),
        ({Compare}, False, None, None),
    ],
)
def test_a_reader_that_gives_no_probabilities_writes_and_chat_models_see_the_labels(kinds, chat, by, listed):
    suited = get("label").suited(reader(*kinds, chat=chat))
    assert (suited.by, suited.listed) == (by, listed)
    assert suited.needs == ({Generate} if by == "generation" else {Classify})
    assert get("label:by=likelihood").suited(reader(*kinds, chat=chat)).by == "likelihood"
    assert get("label:by=generation").suited(reader(*kinds, chat=chat)).by == "generation"


def test_the_labels_of_a_chat_model_that_scores_are_in_the_prompt_unless_switched_off():
    (request,) = next(get("label").suited(reader(Generate, Score, chat=True))(job("one", labels=LABELS)))
    assert isinstance(request, Classify)
    assert request.text.text == "Anna: one" + LISTED
    (request,) = next(get("label:listed=false").suited(reader(Score, chat=True))(job("one", labels=LABELS)))
    assert request.text.text == "Anna: one"


def test_a_written_label_has_room_for_twice_the_longest_and_words_around_it():
    def count(texts):
        return [len(text) for text in texts]

    assert get("label:by=generation").output_length(1, ("ab", "abcd"), count) == 2 * 4 + 32
    assert get("label:by=generation").output_length(16, (), count) == 16
    assert get("label").output_length(1, ("ab", "abcd"), count) == 1


def test_fields_at_their_defaults_are_left_out_of_the_description():
    assert describe(get("label")) == {"name": "label"}
    assert describe(get("label:by=generation,labels=[a,b]")) == {
        "name": "label",
        "by": "generation",
        "labels": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("label:labels=[a,a]", "labels must differ and not be empty, got 'a', 'a'"),
        ({"name": "label", "labels": ["a", " "]}, "labels must differ and not be empty"),
        ("label:by=generation,listed=false", "needs the labels in the prompt"),
        ("label:by=guess", "guess"),
    ],
)
def test_invalid_fields_are_refused(spec, problem):
    with pytest.raises(UserError, match=re.escape(problem)):
        get(spec)


def test_a_classifier_of_other_labels_than_were_given_is_refused():
    with pytest.raises(UserError, match="labels= lacks labels of the reader: bad"):
        outcome(get("label:labels=[good,fair]")(job("one")), {"good": 0.5, "bad": 0.5})
