"""Which chunker and retriever a run takes."""

from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Document, Example
from retrievers.evidence import Evidence

EXAMPLE = Example("a", Document("d", "The mill stands."), "What stands?", ("the mill",))


@pytest.mark.parametrize("best", ["best:encoder=none", {"name": "best", "encoder": "none"}])
@pytest.mark.parametrize(
    ("task", "preset", "chunker"),
    [
        ("hotpotqa", "sentence", "units:of=sentence"),
        ("zero_scrolls/musique", "passage", "units:of=paragraph"),
        ("qa", "general", "units:of=sentence"),
    ],
)
def test_best_is_the_preset_of_the_task_with_the_fields_that_are_given(
    task: str, preset: Any, chunker: str, best: Any
) -> None:
    plan = make_plan(task, data=[EXAMPLE], retriever=best, budget="20 words", model="none")
    assert plan.retriever == Evidence(preset=preset, encoder="none")
    assert plan.retriever.chunker == chunker


def test_best_takes_no_other_preset_than_the_task_s() -> None:
    with pytest.raises(UserError, match="given twice"):
        make_plan("hotpotqa", data=[EXAMPLE], retriever="best:range", budget="20 words", model="none")
