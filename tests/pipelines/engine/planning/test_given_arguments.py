"""The arguments of a run as `run.json` keeps them."""

from dataclasses import dataclass
from pathlib import Path

import chunkers
import retrievers
from pipelines import tasks
from pipelines.engine.planning.given_arguments import given_arguments, not_repeatable
from pipelines.records import Document, Example


@dataclass(frozen=True)
class OwnChunker:
    """An object that other processes find by its name, as it is at the top of a module."""

    words: int = 3


def test_names_and_specs_stay_as_they_were_typed_and_defaults_are_left_out() -> None:
    arguments = {
        "k": 5,
        "seed": 0,
        "retriever": "bm25:b=0.5",
        "limit": None,
        "report": False,
        "data": Path("rows.jsonl"),
    }
    assert given_arguments("qasper", arguments) == {
        "task": "qasper", "data": "rows.jsonl", "retriever": "bm25:b=0.5", "k": 5, "report": False,
    }  # fmt: skip


def test_a_component_is_a_mapping_with_the_fields_that_are_not_its_defaults() -> None:
    chunker, hybrid = chunkers.get("tokens:size=30"), retrievers.get("hybrid:[tfidf,{bm25:b=0.5}]")
    record = given_arguments(tasks.get("narrativeqa"), {"chunker": chunker, "retriever": hybrid})
    assert record["task"] == "narrativeqa"
    assert record["chunker"] == {"name": "tokens", "size": 30}
    assert record["retriever"]["retrievers"] == [{"name": "tfidf"}, {"name": "bm25", "b": 0.5}]
    assert chunkers.get(record["chunker"]) == chunker
    assert not_repeatable(record) == {}


def test_values_that_no_file_can_hold_are_described() -> None:
    @dataclass(frozen=True)
    class Local:
        words: int = 3

    rows = [Example("a", Document("d", "text"), "?", ("text",))]
    task = tasks.Task("mine", "of my own", ("f1",), 10)
    arguments = {"data": rows, "metrics": ["f1", object()], "chunker": Local()}
    arguments |= {"model": {"name": "t5-small", "options": {"torch_dtype": print}}}
    assert not_repeatable(given_arguments(task, arguments)) == {
        "task": "the Task mine",
        "data": "1 example given in Python",
        "chunker": f"{__name__}:{Local.__qualname__}",
        "metrics": "builtins:object",
        "model": "builtins:print",
    }
    assert given_arguments("qa", {"chunker": OwnChunker(4)})["chunker"] == {
        "name": f"{__name__}:OwnChunker",
        "words": 4,
    }
