"""Readers for tests that compare pairs without reading the texts."""

from dataclasses import dataclass, field
from typing import Any

from models import Compare, Reader, Reply, StreamingReader


@dataclass(frozen=True)
class Alternating(Reader):
    """A reader that finds every second pair similar; `received` holds its requests."""

    received: list[Compare] = field(default_factory=list, compare=False)
    supports = frozenset({Compare})

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        self.received.extend(requests)
        return [Reply(tuple(0.1 + 0.8 * (number % 2) for number in range(len(r.pairs)))) for r in requests]


@dataclass(frozen=True)
class Hosted(Alternating, StreamingReader):
    """The same reader with a `stream`, as readers behind an API have."""

    def stream(self, requests: Any, arrived: Any) -> Any:
        raise AssertionError("a timing must not send requests")
