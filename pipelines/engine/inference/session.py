"""One run's use of a reader: the strategy, the limits that prompts are truncated to, the log of replies, counters.

Runs that are made together share a reader and its replies; each has a session, and a log, of its own.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from models.accounting import Usage
from models.prompts import Prompt
from models.reader import Reader
from models.requests import Classify, Compare, Fuse, Generate, Reply, Request
from models.truncation import truncate
from pipelines.engine.inference.request_rounds import request_rounds
from pipelines.engine.inference.stop_rule import SendingStopped, StopRule
from pipelines.engine.inference.unread_prompts import Unread
from pipelines.engine.recording import request_log
from pipelines.engine.recording.starts import Start, Starts
from pipelines.strategies import Job, Strategy


class Log(Protocol):
    """Where replies are written: a `Journal`, or nowhere."""

    def entries(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """The records that it had when it was opened, each with its position."""
        ...

    def append(self, record: dict[str, Any]) -> int | None:
        """Write one record through; its position, None if it cannot be read again."""
        ...

    def read(self, position: int) -> dict[str, Any]:
        """The record at a position."""
        ...


class NoLog:
    """A log that writes nothing: for questions outside a run."""

    def entries(self) -> Iterable[tuple[int, dict[str, Any]]]:
        """There is nothing in it."""
        return ()

    def append(self, record: dict[str, Any]) -> int | None:
        """Write nothing."""
        return None

    def read(self, position: int) -> dict[str, Any]:
        """There is nothing to read."""
        raise LookupError(position)


class Session:
    """One run's requests and replies.

    `identity` is everything about the reader that decides its replies; it is a part of the keys of requests. `limit`
    is the most tokens of a prompt, `whole_limit` that of a prompt that is read in windows (`Fuse` with overlap).
    `new_requests` counts the requests of this start, `usage` the tokens of all replies, those in the log included.
    `served` has the names that servers gave themselves in these replies, by kind. `broken` is the error that ended
    the run.
    """

    def __init__(
        self,
        strategy: Strategy,
        reader: Reader,
        limit: int | None,
        identity: Any,
        log: Log | None = None,
        whole_limit: int | None = None,
        starts: Starts | None = None,
        stop_rule: StopRule | None = None,
    ) -> None:
        self.strategy, self.reader, self.limit, self.whole_limit = strategy, reader, limit, whole_limit
        self.log: Log = NoLog() if log is None else log
        self.identity = json.dumps(identity, sort_keys=True)
        self.logged_keys: set[str] = set()  # of requests that have a reply
        self.starts = starts or Starts([], {}, lambda: None)
        self.reply_starts: dict[str, int] = {}  # by key, the number of the earlier start that logged the reply
        self.new_requests, self.usage = 0, Usage()
        self.served: dict[str, set[str]] = {}
        self.broken: Exception | None = None
        self._stop_rule = stop_rule

    def key(self, request: Request) -> str:
        """The key of a request to this reader."""
        return request_log.key(self.identity, request)

    def shown_key(self, request: Request) -> str:
        """A key that is equal for requests that show this reader the same text."""
        return request_log.shown_key(self.identity, request)

    def log_reply(self, key: str, reply: Reply, start: Start | None = None) -> int | None:
        """Log a reply; returns its position in the log, None where it is not there.

        `start` is the start of another run that logged it first. A failed reply is not logged, so that the request is
        made again when the run is resumed.
        """
        self.count(key, reply)
        if reply.error is not None:
            return None
        record = {"key": key} | request_log.record_of(reply)
        if start is not None and (number := self.starts.number_of(start)) != self.starts.now:
            self.reply_starts[key] = record["start"] = number
        return self.log.append(record)

    def count(self, key: str, reply: Reply) -> None:
        """Count a reply that the log holds."""
        if self._stop_rule is not None:
            self._stop_rule.count(reply)
        self.logged_keys.add(key)
        self.usage += Usage.of(reply)
        for kind, names in reply.served.items():
            self.served.setdefault(kind, set()).update(names)

    @property
    def may_send(self) -> bool:
        """Whether the run may send requests. Where the stop rule says no, the run ends (`broken`)."""
        if self.broken is None and self._stop_rule is not None and (problem := self._stop_rule.problem) is not None:
            self.broken = SendingStopped(problem)
        return self.broken is None

    def check_outputs(self) -> None:
        """Raise `SendingStopped` where all outputs of the run are empty."""
        if self._stop_rule is not None and (problem := self._stop_rule.empty_problem) is not None:
            self.broken = SendingStopped(problem)
            raise self.broken

    @property
    def unread(self) -> Unread:
        """The counts of the run's prompts of which servers read only a part."""
        return Unread() if self._stop_rule is None else self._stop_rule.unread

    def first_requests(self, job: Job) -> list[Request]:
        """The first round of a job's requests, prompts truncated, without running the reader. Raises `TooLong`."""
        return [self.truncated(request)[0] for request in self._first_round(job)]

    def first_prompts(self, job: Job) -> list[tuple[Prompt, int]]:
        """The prompts of a job's first round of requests, each with its tokens. Raises `TooLong`."""
        return [
            (prompt, tokens if len(prompts) == 1 else self.reader.count([prompt.text])[0])
            for request, tokens in map(self.truncated, self._first_round(job))
            for prompts in [request_log.prompts(request)]
            for prompt in prompts
        ]

    def _first_round(self, job: Job) -> Sequence[Request]:
        rounds = request_rounds(self.strategy(job), job)
        requests = next(rounds)
        rounds.close()
        return requests

    def truncated(self, request: Request) -> tuple[Request, int]:
        """The request with its prompt truncated to the limit, and the prompt's tokens. Raises `TooLong`."""
        if isinstance(request, Compare):
            return request, sum(self.reader.count(list(request.texts)))
        limit = self.whole_limit if isinstance(request, Fuse) and request.overlap else self.limit
        prompts = tuple(self._truncated(prompt, limit, request) for prompt in request_log.prompts(request))
        name = "text" if isinstance(request, Classify) else "prompt"
        fields: dict[str, Any] = {"prompts": prompts} if isinstance(request, Fuse) else {name: prompts[0]}
        return replace(request, **fields), sum(self.reader.count([prompt.text for prompt in prompts]))

    def _truncated(self, prompt: Prompt, limit: int | None, request: Request) -> Prompt:
        """The prompt within the limit. One cut in the middle may be a token over it, but not over the reader's own."""
        reader = self.reader
        cut = truncate(prompt, limit, reader.count, reader.token_ends, reader.edges, joint=True)
        if prompt.cut_side == "tail" or (isinstance(request, Fuse) and request.overlap):
            return cut
        budget = reader.max_prompt_tokens
        if isinstance(request, Generate | Fuse):
            budget = reader.prompt_limit(request.max_new_tokens)
        return truncate(cut, budget, reader.count, reader.token_ends, reader.edges)
