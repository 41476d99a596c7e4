"""Far too large values for every whole number of every registered component: refused in a line, or harmless."""

import dataclasses
import typing
from typing import Any

import pytest

import chunkers
import models
import retrievers
from chunkers import Chunk
from longdoc.arguments import LARGEST_WHOLE
from longdoc.errors import UserError
from longdoc.registry import Registry
from models import encoders
from pipelines import metrics, strategies
from pipelines.plugins.builders import builder as builders
from pipelines.plugins.training import recipe as training
from tests.turns import for_each

TEXT = "Anna keeps bees. Bert mends clocks in Vienna.\n\nCarla paints ships. She is never in Vienna."
REGISTRIES: dict[str, Registry[Any]] = {
    "chunker": chunkers.registry,
    "retriever": retrievers.registry,
    "reader": models.registry,
    "encoder": encoders.registry,
    "metric": metrics.registry,
    "strategy": strategies.registry,
    "builder": builders.registry,
    "recipe": training.registry,
}


def number_fields(*kinds: str) -> list[tuple[str, str, str]]:
    """The kind, component and name of every field that takes a whole number."""
    result = []
    for kind in kinds or REGISTRIES:
        registry = REGISTRIES[kind]
        for name in registry.names():
            cls = registry.component(registry.parse(name)[0])
            hints = typing.get_type_hints(cls)
            for field in dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ():
                hint = hints[field.name]
                if field.init and (hint is int or int in typing.get_args(hint)):
                    result.append((kind, name, field.name))
    return result


@for_each(("kind", "name", "field"), number_fields())
@for_each("number", [10**20, -(10**20), LARGEST_WHOLE + 1])
def test_a_number_that_is_too_large_for_libraries_is_refused_in_a_line(
    kind: str, name: str, field: str, number: int
) -> None:
    with pytest.raises(UserError) as refused:
        REGISTRIES[kind].get(f"{name}:{field}={number}")
    assert "\n" not in str(refused.value)
    assert f"'{number}' is a whole number that is too large; give one of at most 4,294,967,295" in str(refused.value)


@for_each(("_kind", "name", "field"), number_fields("chunker"))
@for_each("number", [10**9, LARGEST_WHOLE])
def test_a_chunker_splits_a_small_text_with_any_number(_kind: str, name: str, field: str, number: int) -> None:
    try:
        chunker = chunkers.get(f"{name}:{field}={number}")
        chunks = chunker.split(TEXT, "Vienna") if chunker.per_query else chunker.split(TEXT)
    except UserError as error:
        assert "\n" not in str(error)
        return
    assert chunks
    assert all(TEXT[chunk.start : chunk.end] == chunk.text for chunk in chunks)


@for_each(("_kind", "name", "field"), number_fields("retriever"))
@for_each("number", [10**9, LARGEST_WHOLE])
def test_a_retriever_ranks_a_few_chunks_with_any_number(_kind: str, name: str, field: str, number: int) -> None:
    try:
        retriever = retrievers.get(f"{name}:{field}={number}")
        index = retriever.index(
            [Chunk(word, at, at + len(word)) for at, word in enumerate(("bees", "clocks", "ships"))]
        )
        _scores, ids = index.search(["clocks"], 2)
    except UserError as error:
        assert "\n" not in str(error)
        return
    assert len(ids[0]) == 2


@pytest.mark.parametrize(("_kind", "name", "field"), number_fields("metric"))
@pytest.mark.parametrize("number", [10**9, LARGEST_WHOLE])
def test_a_metric_refuses_a_number_that_is_far_too_large(_kind: str, name: str, field: str, number: int) -> None:
    with pytest.raises(UserError) as refused:
        metrics.get({"name": "bleu", "n": number})
    assert str(refused.value) == f"metric bleu: n must be 1 to 100, got {number}; try bleu:n=4"
    assert name.startswith("bleu")
    assert field == "n"
