"""An object that is not the expected component is refused with what was expected and an example."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chunkers
import longdoc
import models
import retrievers
from longdoc.errors import UserError
from models import encoders
from pipelines import metrics, strategies, tasks
from pipelines.engine import engines
from pipelines.plugins.builders import builder as builders
from pipelines.plugins.training import recipe as training
from tests import tiny_models
from tests.turns import for_each

KINDS: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "chunker": (chunkers.get, "chunker='sentences'", "an object that extends chunkers.Chunker"),
    "retriever": (retrievers.get, "retriever='bm25'", "an object that extends retrievers.Retriever"),
    "reader": (models.get, "model='extractive'", "an object that extends models.Reader"),
    "encoder": (encoders.get, "encoder='minilm'", "an object with the methods of models.encoders.Encoder"),
    "strategy": (strategies.get, "strategy='stuff'", "an object that extends pipelines.strategies.Strategy"),
    "metric": (metrics.get, "metrics=['f1']", "an object that extends pipelines.metrics.Metric"),
    "builder": (builders.get, "'style_mix'", "an object that extends pipelines.plugins.builders.builder.Builder"),
    "recipe": (training.get, "recipe='generation'", "an object that extends pipelines.plugins.training.recipe.Recipe"),
    "engine": (engines.get, "engine='local'", "an object that extends pipelines.engine.engines.Engine"),
}
WRONG = [object(), 3, None, b"bm25", ["bm25"], object, print]


@for_each(
    ("kind", "wrong"),
    [(kind, wrong) for kind in KINDS for wrong in WRONG if (kind, wrong) != ("reader", print)],
)
def test_every_kind_of_component_says_what_it_expected(kind: str, wrong: Any) -> None:
    get, example, base = KINDS[kind]
    article = "an" if kind[0] in "aeiou" else "a"
    expected = f"is not {article} {kind}: give a name ({example}), a mapping with one, or {base}"
    with pytest.raises(UserError, match=re.escape(expected) + "$"):
        get(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_in_the_message_is_a_known_name(kind: str) -> None:
    get, example, _ = KINDS[kind]
    name = example.partition("=")[2].strip("[]'") or example.strip("'")
    get(name)


@pytest.mark.parametrize("kind", KINDS)
def test_the_message_says_what_an_object_lacks(kind: str) -> None:
    class Incomplete:
        pass

    with pytest.raises(UserError, match=rf"is not an? {kind}: give a name .*; it lacks \w+"):
        KINDS[kind][0](Incomplete())


@pytest.mark.parametrize("wrong", [object(), 3, ["narrativeqa"]], ids=lambda wrong: type(wrong).__name__)
def test_a_wrong_task_says_what_it_expected(wrong: Any) -> None:
    with pytest.raises(UserError, match=r"is not a task: give a name \('narrativeqa'; .* or a pipelines\.tasks\.Task$"):
        tasks.get(wrong)


@for_each(
    ("argument", "wrong", "message"),
    [
        ("model", object(), "is not a reader: give a name"),
        ("retriever", object(), "is not a retriever: give a name"),
        ("chunker", object(), "is not a chunker: give a name"),
        ("strategy", object(), "is not a strategy: give a name"),
        ("engine", object(), "is not an engine: give a name"),
        ("metrics", object(), "is not a metric: give a name"),
        ("metrics", 3, "is not a metric: give a name"),
        ("metrics", [object()], "is not a metric: give a name"),
        ("data", object(), "data= must be a path, a list of rows (dicts), a pandas or polars data frame, "),
        ("data", [3], "item 1 of data= is a int, not an Example"),
        ("k", "3", "k must be a whole number of at least 1"),
        ("seed", -1, "seed must be a whole number of at least 0, got -1"),
        ("seed", "a", "seed must be a whole number of at least 0, got 'a'"),
        ("split", 3, "split must be a text, got 3"),
        ("prompt", ["{query}"], "prompt must be a text"),
        ("data_revision", 3, "data_revision must be a text, got 3"),
        ("out", 3, "out must be the path of a folder, got 3"),
        ("device", 0, "unknown argument 'device'; now model=\"MODEL,device=cuda\""),
        ("deterministic", "yes", "unknown argument 'deterministic'; now model=\"MODEL,deterministic=true\""),
        (
            "revision",
            3,
            'unknown argument \'revision\'; now model="MODEL,revision=REV"; the data\'s is data_revision="REV"',
        ),
    ],
)
def test_a_wrong_argument_of_a_run_is_refused(argument: str, wrong: Any, message: str) -> None:
    arguments = {"data": "sample", "model": "extractive", argument: wrong}
    with pytest.raises(UserError, match=re.escape(message)):
        longdoc.dry_run("narrativeqa", **arguments)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.t5(tmp_path_factory.mktemp("weights"))


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("device", 0, "device must be str or None, got 0"),
        ("revision", 3, "revision must be str or None, got 3"),
        ("deterministic", "yes", "deterministic must be bool, got 'yes'"),
        ("dtype", 3, "dtype must be one of 'auto', 'bf16', 'fp32', 'fp16', 'int8', got 3"),
    ],
)
def test_a_wrong_value_in_the_models_spec_is_refused(model_folder: Path, field: str, wrong: Any, message: str) -> None:
    with pytest.raises(UserError, match=f"^reader seq2seq: {re.escape(message)}$"):
        longdoc.dry_run("narrativeqa", data="sample", model=f"{model_folder},{field}={wrong}")


def test_a_single_metric_object_is_accepted() -> None:
    longdoc.dry_run("narrativeqa", data="sample", model="extractive", limit=1, metrics=metrics.get("f1"))
