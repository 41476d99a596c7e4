"""Something that is no component, given where one is expected, is refused with what was expected and an example."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import chunkers
import longdoc
import models
import retrievers
from longdoc.errors import UserError
from models import encoders
from pipelines import builders, metrics, strategies, tasks, training
from pipelines.engine import engines
from tests.turns import for_each

KINDS: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "chunker": (chunkers.get, "chunker='sentences'", "an object that extends chunkers.Chunker"),
    "retriever": (retrievers.get, "retriever='bm25'", "an object that extends retrievers.Retriever"),
    "reader": (models.get, "model='extractive'", "an object that extends models.Reader"),
    "encoder": (encoders.get, "encoder='minilm'", "an object with the methods of models.encoders.Encoder"),
    "strategy": (strategies.get, "strategy='stuff'", "an object that extends pipelines.strategies.Strategy"),
    "metric": (metrics.get, "metrics=['f1']", "an object that extends pipelines.metrics.Metric"),
    "builder": (builders.get, "'style_mix'", "an object that extends pipelines.builders.Builder"),
    "recipe": (training.get, "recipe='generation'", "an object that extends pipelines.training.Recipe"),
    "engine": (engines.get, "engine='local'", "an object that extends pipelines.engine.engines.Engine"),
}
WRONG = [object(), 3, None, b"bm25", ["bm25"], object, print]


@for_each(
    ("kind", "wrong"),
    [(kind, wrong) for kind in KINDS for wrong in WRONG if (kind, wrong) != ("reader", print)],
)
def test_every_kind_of_component_says_what_it_expected(kind: str, wrong: Any) -> None:
    get, example, base = KINDS[kind]
    expected = f"is no {kind}: give a name ({example}), a mapping with one, or {base}"
    with pytest.raises(UserError, match=re.escape(expected) + "$"):
        get(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_in_the_message_is_a_name_that_is_known(kind: str) -> None:
    get, example, _ = KINDS[kind]
    name = example.partition("=")[2].strip("[]'") or example.strip("'")
    get(name)


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_of_ones_own_is_told_what_it_lacks(kind: str) -> None:
    class Own:
        pass

    with pytest.raises(UserError, match=rf"is no {kind}: give a name .*; it lacks \w+"):
        KINDS[kind][0](Own())


@pytest.mark.parametrize("wrong", [object(), 3, ["narrativeqa"]], ids=lambda one: type(one).__name__)
def test_a_wrong_task_says_what_it_expected(wrong: Any) -> None:
    with pytest.raises(UserError, match=r"is no task: give a name \('narrativeqa'; .* or a pipelines\.tasks\.Task$"):
        tasks.get(wrong)


@for_each(
    ("argument", "wrong", "message"),
    [
        ("model", object(), "is no reader: give a name"),
        ("retriever", object(), "is no retriever: give a name"),
        ("chunker", object(), "is no chunker: give a name"),
        ("strategy", object(), "is no strategy: give a name"),
        ("engine", object(), "is no engine: give a name"),
        ("metrics", object(), "is no metric: give a name"),
        ("metrics", 3, "is no metric: give a name"),
        ("metrics", [object()], "is no metric: give a name"),
        ("data", object(), "data=object is not read: pass a path, a list of rows (dicts), a pandas or polars frame, "),
        ("data", [3], "item 1 of data= is a int, not an Example"),
        ("k", "3", "k must be a whole number of at least 1"),
        ("seed", -1, "seed must be a whole number of at least 0, got -1"),
        ("seed", "a", "seed must be a whole number of at least 0, got 'a'"),
        ("split", 3, "split must be a text, got 3"),
        ("prompt", ["{query}"], "prompt must be a text"),
        ("device", 0, "device must be a text, got 0"),
        ("revision", 3, "revision must be a text, or a mapping with model and data, got 3"),
        ("deterministic", "yes", "deterministic must be True or False, got 'yes'"),
    ],
)
def test_a_wrong_argument_of_a_run_is_refused(argument: str, wrong: Any, message: str) -> None:
    given = {"data": "sample", "model": "extractive", argument: wrong}
    with pytest.raises(UserError, match=re.escape(message)):
        longdoc.dry_run("narrativeqa", **given)


def test_a_metric_given_as_an_object_alone_is_taken() -> None:
    longdoc.dry_run("narrativeqa", data="sample", model="extractive", limit=1, metrics=metrics.get("f1"))
