"""What a plan advises before it runs."""

from typing import Any

import pytest

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
