"""One run's way through an inference: what its strategy asks, cut to the run's bounds, and the log of the replies.

Runs that are made together share a reader and its replies; each keeps a session, and a log, of its own.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from models.prompts import Prompt
from models.requests import Classify, Compare, Fuse, Reader, Reply, Request
from models.truncation import ends_of, truncate
from pipelines.engine import request_log
from pipelines.engine.prepare import Prepared
from pipelines.strategies import Retrieve, Strategy


class Log(Protocol):
    """Where replies are kept: a `Journal`, or nothing."""

    @property
    def records(self) -> Sequence[dict[str, Any]]:
        """What was there when it was opened."""
        ...

    @property
    def places(self) -> Sequence[int]:
        """Where each of `records` is."""
        ...

    def append(self, record: dict[str, Any]) -> int | None:
        """Write one record through. Where it is, None if it cannot be read again."""
        ...

    def read(self, place: int) -> dict[str, Any]:
        """The record at a place."""
        ...


@dataclass(slots=True)
class NoLog:
    """A log that forgets: for questions asked outside a run."""

    records: Sequence[dict[str, Any]] = ()
    places: Sequence[int] = ()

    def append(self, record: dict[str, Any]) -> int | None:
        """Forget it."""
        return None

    def read(self, place: int) -> dict[str, Any]:
        """There is nothing to read."""
        raise LookupError(place)


class Session:
    """`identity` is what decides the reader's replies (for the keys of requests).

    `limit` bounds a prompt; `whole` one that is read in windows (`Fuse` with overlap), which the limit does not bound.
    `new_requests`, `tokens_in` and `tokens_out` count this start's requests and all replies' tokens, those of the log
    among them; `served` are the names that servers gave themselves in any of these replies, by kind. `broken` is what
    ended the run for good.
    """

    def __init__(
        self,
        strategy: Strategy,
        reader: Reader,
        limit: int | None,
        identity: Any,
        log: Log | None = None,
        whole: int | None = None,
    ) -> None:
        self.strategy, self.reader, self.limit, self.whole = strategy, reader, limit, whole
        self.log: Log = NoLog() if log is None else log
        self.identity = json.dumps(identity, sort_keys=True)
        self.kept: set[str] = set()  # the names of requests whose replies the log holds
        self.new_requests = self.tokens_in = self.tokens_out = 0
        self.served: dict[str, set[str]] = {}
        self.broken: Exception | None = None

    def key(self, request: Request) -> str:
        """The name of a request put to this reader."""
        return request_log.key(self.identity, request)

    def keep(self, key: str, reply: Reply) -> int | None:
        """Log a reply; where it is. A failed one is not logged, so that it is asked again when the run is resumed."""
        self.count(key, reply)
        return self.log.append({"key": key} | request_log.logged(reply)) if reply.error is None else None

    def count(self, key: str, reply: Reply) -> None:
        """Count a reply that the log holds."""
        self.kept.add(key)
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        for kind, names in reply.served.items():
            self.served.setdefault(kind, set()).update(names)

    def first_requests(self, item: Prepared) -> list[Request]:
        """The requests that a job makes first, prompts cut to the limit; nothing is asked. Raises `TooLong`."""
        return [self.truncated(request)[0] for request in self._first_round(item)]

    def first_round(self, item: Prepared) -> list[tuple[Prompt, int]]:
        """The prompts of these requests with their tokens. Raises `TooLong`."""
        return [
            (prompt, tokens if len(prompts) == 1 else self.reader.count([prompt.text])[0])
            for request, tokens in map(self.truncated, self._first_round(item))
            for prompts in [request_log.prompts(request)]
            for prompt in prompts
        ]

    def _first_round(self, item: Prepared) -> Sequence[Request]:
        assert item.job is not None
        generator = self.strategy(item.job)
        step = next(generator)
        while isinstance(step, Retrieve):
            step = generator.send(item.job.search(step.query, step.k))
        generator.close()
        return step

    def truncated(self, request: Request) -> tuple[Request, int]:
        """The request with its prompt cut to the limit, and the prompt's tokens. Raises `TooLong`."""
        if isinstance(request, Compare):
            return request, sum(self.reader.count(list(request.texts)))
        limit = self.whole if isinstance(request, Fuse) and request.overlap else self.limit
        ends = ends_of(self.reader)
        prompts = tuple(truncate(prompt, limit, self.reader.count, ends) for prompt in request_log.prompts(request))
        name = "text" if isinstance(request, Classify) else "prompt"
        fields: dict[str, Any] = {"prompts": prompts} if isinstance(request, Fuse) else {name: prompts[0]}
        return replace(request, **fields), sum(self.reader.count([prompt.text for prompt in prompts]))
