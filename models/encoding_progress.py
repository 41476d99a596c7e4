"""Progress of encoding texts: `with watched(show): …` calls `show` with each step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Encoding:
    """The distinct texts of one call of an encoder that keeps its vectors in `folder`.

    `found` of them were kept before, `done` have a vector now, `found` ones included. `size` is what a kept vector
    takes in bytes, 0 while that is not known. `deleted` of them did not stay: the cache is too small for all.
    """

    folder: Path
    texts: int
    found: int
    done: int
    size: int
    deleted: int = 0


Watch = Callable[[Encoding], None]

_watching: ContextVar[Watch | None] = ContextVar("watching", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Call `watch` when texts are looked up in the cache within the block, and each time that some were encoded."""
    token = _watching.set(watch)
    try:
        yield
    finally:
        _watching.reset(token)


def watcher() -> Watch | None:
    """The function that watches now, if any."""
    return _watching.get()
