"""What a plan advises before it runs."""

from collections.abc import Sequence
from typing import Any

import pytest

from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Classify, Reply, Request
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Document, Example


@pytest.mark.parametrize(
    ("given", "advised"),
    [
        ({"retriever": "bm25"}, True),
        ({"retriever": "bm25", "chunker": "whole"}, False),
        ({"retriever": "bm25", "chunker": "sentences"}, False),
        ({"retriever": "all"}, False),
        ({"retriever": "none"}, False),
        ({}, False),
    ],
)
def test_a_retriever_that_has_one_chunk_to_rank_is_named(given: Any, advised: bool) -> None:
    example = Example("1", Document("a", "One. Two."), "Which?", ("One",))
    plan = make_plan("scrolls/qasper", data=[example], model="extractive", **given)
    advice = (
        "scrolls/qasper gives the whole document, one chunk: retriever bm25 has nothing to rank; give a chunker "
        "too, as in chunker=sentences"
    )
    assert plan.advice == ((advice,) if advised else ())
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
    with pytest.raises(UserError) as refused:
        make_plan("scrolls/contract_nli", data=[example], model=Judge(), strategy="label")
    assert str(refused.value) == (
        "the reader tells yes, no apart, the task Entailment, Contradiction, Not mentioned: train a reader on the "
        "task's labels, or rename them in its config.json (id2label)"
    )
