"""The engine of this machine by itself."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from chunkers import Chunk
from longdoc.errors import UserError
from pipelines import sources
from pipelines.engine.engines.local import SHORT, Local
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Document, Example
from pipelines.strategies import Job
from retrievers import Index
from retrievers.bm25 import Bm25


def test_the_threads_end_when_reading_the_data_raises_an_error_even_while_it_is_kept() -> None:
    def broken_examples() -> Iterator[Example]:
        for name in "ab":
            yield Example(name, Document(name, "One two."), "Who?")
        raise UserError("line 2 is damaged")

    plan = make_plan("qa", data=[Example("a", Document("a", "One two."), "Who?")], model="lead", retriever="bm25")
    before = set(threading.enumerate())
    with pytest.raises(UserError, match="line 2 is damaged") as error:
        list(Local(1).prepare(replace(plan, data=sources.Dataset(broken_examples, {})), lambda example: True))
    started = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("prepare")]
    for thread in started:
        thread.join(10)
    assert not [thread.name for thread in started if thread.is_alive()], error


class ThreadRecorder(Bm25):
    """Records which threads index chunks."""

    def __init__(self) -> None:
        object.__setattr__(self, "threads", [])
        super().__init__()

    def index(self, chunks: Sequence[Chunk]) -> Index:
        self.threads.append(threading.current_thread().name.partition("_")[0])
        return super().index(chunks)


class Encoding(ThreadRecorder):
    """The same, with an encoder."""

    def encoder_records(self) -> Sequence[Mapping[str, Any]]:
        return ({"name": "an encoder"},)


@pytest.mark.parametrize(
    ("retriever", "engine", "expected_threads"),
    [
        (ThreadRecorder(), Local(), ["MainThread", "prepare"]),
        (ThreadRecorder(), Local(2), ["prepare", "prepare"]),
        (Encoding(), Local(), ["prepare", "prepare"]),
    ],
    ids=["by words", "two workers", "with an encoder"],
)
def test_a_short_document_is_prepared_at_once_unless_it_is_encoded(
    retriever: ThreadRecorder, engine: Local, expected_threads: list[str]
) -> None:
    texts = {"short": "Anna came.", "long": "Anna came. " * (SHORT // 10)}
    examples = [Example(name, Document(name, text), "Who came?") for name, text in texts.items()]
    plan = make_plan("qa", data=examples, model="lead", retriever=retriever, chunker="tokens:size=100")
    jobs = list(engine.prepare(plan, lambda example: True))
    assert [job.example.id for job in jobs if isinstance(job, Job)] == ["short", "long"]
    assert retriever.threads == expected_threads
