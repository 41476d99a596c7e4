"""A new chunker, retriever, metric or strategy is a new file, a document format one more line, a benchmark a folder."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import chunkers
import pipelines
import pipelines.benchmarks
import retrievers
from longdoc import extensions
from pipelines import documents, metrics, strategies, tasks
from pipelines.records import Document, Example

CHUNKER = '''
from dataclasses import dataclass
from chunkers import Chunk, Chunker

@dataclass(frozen=True)
class TemporaryChunker(Chunker):
    """Blocks of characters."""

    size: int = 40

    def split(self, text, query=None):
        spans = [(start, min(start + self.size, len(text))) for start in range(0, len(text), self.size)]
        return [Chunk(text[start:end], start, end) for start, end in spans if text[start:end].strip()]
'''
RETRIEVER = '''
from dataclasses import dataclass
import numpy as np
from retrievers import ExactIndex, Retriever

class LengthIndex(ExactIndex):
    def __init__(self, chunks):
        self.lengths = np.array([len(chunk.text) for chunk in chunks], np.float32)

    def scores(self, queries):
        return np.tile(self.lengths, (len(queries), 1))

@dataclass(frozen=True)
class TemporaryRetriever(Retriever):
    """The longest chunks."""

    query_source = "nothing"

    def index(self, chunks):
        return LengthIndex(chunks)
'''
METRIC = '''
from dataclasses import dataclass
from pipelines.metrics import Metric

@dataclass(frozen=True)
class TemporaryMetric(Metric):
    """The mean length of a prediction."""

    signature = "temporary_metric|unit:characters"

    def statistics(self, prediction, example):
        return {"temporary_metric": float(len(prediction))}

    def aggregate(self, rows):
        return {"temporary_metric": sum(row["temporary_metric"] for row in rows) / len(rows)} if rows else {}
'''
STRATEGY = '''
from dataclasses import dataclass
from models import Generate
from pipelines.strategies import Strategy

@dataclass(frozen=True)
class TemporaryStrategy(Strategy):
    """The answer from the last selected chunk."""

    needs = frozenset({Generate})

    def __call__(self, job):
        (answer,) = yield [Generate(job.prompt(job.selected[-1:]), job.length)]
        return job.answer(answer)
'''
FORMAT = """
from pipelines.documents import Text

VERSION = 1
LIBRARY = None

def read(path):
    return Text(path.read_text(encoding="utf-8").upper())
"""
TASK = """
from pipelines.tasks import Task

TASKS = (Task(name="temporary_task", summary="a task", metrics=("f1",), max_new_tokens=8, model="extractive"),)
"""

Add = Callable[[str, str, str], None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Add]:
    """A function that adds a file to one of our packages, in a folder outside the checkout, which other tests read."""
    added: list[tuple[str, str]] = []
    registries: list[Any] = [chunkers.registry, retrievers.registry, metrics.registry, strategies.registry]

    def forget() -> None:
        importlib.invalidate_caches()
        for registry in registries:
            registry._modules = None

    def write(package: str, name: str, source: str) -> None:
        folder = tmp_path / package
        folder.mkdir()
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
        folders = importlib.import_module(package).__path__
        monkeypatch.setattr(importlib.import_module(package), "__path__", [*folders, str(folder)])
        added.append((package, name))
        forget()

    yield write
    monkeypatch.undo()
    for package, name in added:
        sys.modules.pop(f"{package}.{name}", None)
        vars(sys.modules[package]).pop(name, None)
    forget()


def test_a_new_file_adds_a_chunker_a_retriever_a_metric_or_a_strategy(add: Add, tmp_path: Path) -> None:
    add("chunkers", "temporary_chunker", CHUNKER)
    add("retrievers", "temporary_retriever", RETRIEVER)
    add("pipelines.metrics", "temporary_metric", METRIC)
    add("pipelines.strategies", "temporary_strategy", STRATEGY)
    assert "temporary_chunker" in chunkers.names() and "temporary_retriever" in retrievers.names()
    example = Example("1", Document("d", "The hen sat. " * 12 + "The fox ran."), "Who ran?", ("fox",))
    result = pipelines.run(
        "qa", data=[example], model="extractive", out=tmp_path / "run", k=1, chunker="temporary_chunker:30",
        retriever="temporary_retriever", metrics="temporary_metric", strategy="temporary_strategy",
    )  # fmt: skip
    assert result.scores["temporary_metric"] == len(result.predictions[0].prediction) > 0


def test_without_the_file_the_name_is_unknown_again() -> None:
    assert "temporary_chunker" not in chunkers.names() and "temporary_metric" not in metrics.names()


def test_a_new_document_format_is_a_file_and_an_ending(
    add: Add, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add("pipelines.documents", "temporary_format", FORMAT)
    monkeypatch.setitem(documents.READERS, ".loud", "temporary_format")
    (tmp_path / "story.loud").write_text("hen", encoding="utf-8")
    assert documents.read(tmp_path / "story.loud").text == "HEN"


def test_a_new_benchmark_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "benchmarks" / "temporary_benchmark"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "tasks.py").write_text(TASK, encoding="utf-8")
    try:
        with monkeypatch.context() as patched:
            patched.setattr(extensions, "BENCHMARKS", folder.parent)
            patched.setattr(pipelines.benchmarks, "__path__", [str(folder.parent)])
            extensions._packages.cache_clear()
            assert tasks.get("temporary_task").summary == "a task"
            assert extensions.benchmarks() == ("temporary_benchmark",)
    finally:
        extensions._packages.cache_clear()
    assert tasks.declared("temporary_task") is None
