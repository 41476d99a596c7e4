"""When what waits is answered: as many examples as one call takes."""

from dataclasses import dataclass
from typing import Any

from models import Generate, Reader
from pipelines.engine.inference.request_queue import RequestQueue
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


def test_the_queue_is_full_at_the_same_number_each_time_after_it_was_cleared() -> None:
    queue = RequestQueue(Five())
    for _ in range(3):
        assert [queue.is_full_with(Example(str(n), Document("d", "text"))) for n in range(5)] == [False] * 4 + [True]
        queue.clear()
