"""What a plan advises before it runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Classify, Generate, Reply, Request
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Document, Example


@pytest.mark.parametrize(
    ("arguments", "is_advised"),
    [
        ({"retriever": "bm25"}, True),
        ({"retriever": "bm25", "chunker": "whole"}, False),
        ({"retriever": "bm25", "chunker": "sentences"}, False),
        ({"retriever": "all"}, False),
        ({"retriever": "none"}, False),
        ({}, False),
    ],
)
def test_a_retriever_that_has_one_chunk_to_rank_is_named(arguments: Any, is_advised: bool) -> None:
    example = Example("1", Document("a", "One. Two."), "Which?", ("One",))
    plan = make_plan("scrolls/qasper", data=[example], model="extractive", **arguments)
    advice = (
        "scrolls/qasper reads the whole document as one chunk, so retriever bm25 has nothing to rank: give a chunker "
        "too, as in chunker=sentences"
    )
    assert plan.advice == ((advice,) if is_advised else ())
    assert plan.warnings == plan.advice


class Judge(Reader):
    """Tells yes from no."""

    supports = frozenset({Classify})
    labels = ("yes", "no")

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        return [Reply((0.5, 0.5)) for _ in requests]


def test_a_classifier_of_other_labels_than_the_task_s_is_refused() -> None:
    example = Example("1", Document("a", "One. Two."), "Which?", ("Entailment",))
    with pytest.raises(UserError) as error:
        make_plan("scrolls/contract_nli", data=[example], model=Judge(), strategy="label")
    assert str(error.value) == (
        "the reader's labels are yes, no, the task's Entailment, Contradiction, Not mentioned: train a reader on the "
        "task's labels, or rename them in its config.json (id2label)"
    )


@dataclass
class Writer(Judge):
    """Writes, as a chat model or as T5 does; words are tokens."""

    is_chat: bool
    max_input_tokens: int | None = None
    supports = frozenset({Generate})


def size_of(reader: Writer, **arguments: Any) -> tuple[Any, Any]:
    """The size and unit of the chunks of a film."""
    film = Example("1", Document("a", "One.\nTwo."), references=("Eins.\nZwei.",))
    record = make_plan("opensubtitles", data=[film], model=reader, **arguments).chunker_record
    return record["size"], record["unit"]


@pytest.mark.parametrize(
    ("limit", "arguments", "size"),
    [
        (100_000, {}, 284),  # 512 / 1.8
        (None, {}, 284),
        (100_000, {"max_new_tokens": 4_096}, 2_275),
        (100_000, {"max_new_tokens": 1}, 1),
        (200, {}, 200 - 2 - 54),  # the prompt's own words leave less
        (100_000, {"strategy": "map:keep_lines=true"}, 393),  # 512 / 1.3
    ],
)
def test_a_chunk_that_a_chat_model_translates_is_as_long_as_its_output_has_room_for(
    limit: int | None, arguments: Any, size: int
) -> None:
    assert size_of(Writer(is_chat=True, max_input_tokens=limit), **arguments) == (size, "reader")


def test_a_given_size_is_kept() -> None:
    reader = Writer(is_chat=True, max_input_tokens=100_000)
    assert size_of(reader, chunker="lines:size=3000") == (3_000, "words")
    assert size_of(reader, strategy="map:by_line=true")[0] > 99_000


@pytest.mark.parametrize(
    ("limit", "size"), [(512, (506, "reader")), (100_000, (99_994, "reader")), (None, (512, "words"))]
)
def test_chunks_of_other_readers_are_as_long_as_their_input_limit(limit: int | None, size: tuple[int, str]) -> None:
    assert size_of(Writer(is_chat=False, max_input_tokens=limit)) == size
