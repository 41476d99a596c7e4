"""How many examples fill the queue: as many as one call takes."""

from dataclasses import dataclass
from typing import Any

import pytest

from models import Generate, Reader, StreamingReader
from pipelines.engine.inference.request_queue import FEWEST_STREAMED, QUEUED_PER_STREAM, RequestQueue
from pipelines.records import Document, Example


@dataclass
class Five(Reader):
    """Takes five requests a call."""

    batch_requests: int = 5
    tokens_per_call: int | None = None
    supports = frozenset({Generate})

    def count(self, texts: Any) -> list[int]:
        raise AssertionError("nothing is counted")

    def reply(self, requests: Any) -> list[Any]:
        raise AssertionError("nothing is asked")


@dataclass
class Streams(Five, StreamingReader):
    """Answers `concurrency` requests at once."""

    concurrency: int | None = 1

    def stream(self, requests: Any, on_reply: Any) -> Any:
        raise AssertionError("nothing is asked")


def examples(count: int) -> list[Example]:
    return [Example(str(n), Document("d", "text")) for n in range(count)]


def test_the_queue_is_full_at_the_same_number_each_time_after_it_was_cleared() -> None:
    queue = RequestQueue(Five())
    for _ in range(3):
        assert [queue.is_full_with(example) for example in examples(5)] == [False] * 4 + [True]
        queue.clear()


@pytest.mark.parametrize(("concurrency", "fewest"), [(1, 64), (8, 64), (20, 160)])
def test_a_reader_that_streams_is_asked_once_there_are_enough_examples(concurrency: int, fewest: int) -> None:
    assert fewest == max(FEWEST_STREAMED, QUEUED_PER_STREAM * concurrency)
    queue = RequestQueue(Streams(concurrency=concurrency))
    assert [queue.is_full_with(example) for example in examples(fewest)] == [False] * (fewest - 1) + [True]
