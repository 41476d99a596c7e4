"""The reader that answers from a folder of batch files, and writes unanswered requests into the next file."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from models.accounting import Usage, cost_by
from models.apis._endpoint import Endpoint
from models.apis.sending.adaptive_limit import START
from models.apis.sending.offline import Offline
from models.apis.sending.response import Awaited
from models.reader import OnReply
from models.requests import Generate, Reply, Request
from pipelines.engine.inference.keyed_reader import KeyedReader
from pipelines.plugins.batch.batch_folder import BatchFolder
from pipelines.plugins.batch.formats import FORMATS

WAITING = Reply(None, finish_reason="awaited", error="it waits for the reply to its request in a batch file")


class BatchReader(KeyedReader):
    """Answers as `reader` would, by the same code, from the replies in `folder`; `prices` are those of its batches.

    The id of a request in a file is its key in the log. A request that takes several calls (a server that ignores `n`,
    a prompt that it finds too long) has further ids, which begin with forty digits of the key.
    """

    supports = frozenset({Generate})

    def __init__(self, reader: Endpoint, prices: Mapping[str, float], folder: BatchFolder) -> None:
        self.prices, self.concurrency = dict(prices), reader.concurrency or START
        self._reader, self._folder = reader, folder
        self._format = FORMATS[reader.library]
        self._offline = Offline(reader, prices, self._respond)
        self._key, self._outputs = "", 1
        self._calls: Counter[str] = Counter()  # of the current request, by the digest of the body
        self.asker = (reader.library, reader.model, reader.urls[0])

    def stream_by_key(
        self, keys: Sequence[str], requests: Sequence[Request], on_reply: OnReply
    ) -> Iterator[tuple[int, Reply]]:
        """The replies; a request without one fails with the finish reason "awaited"."""
        for number, (key, request) in enumerate(zip(keys, requests, strict=True)):
            reply = self._reply(key, request)
            on_reply(number, reply)
            yield number, reply

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, as the reader counts them."""
        return self._reader.count(texts)

    def begin(self, tokens_in: int, tokens_out: int, cached_tokens: int = 0, cache_write_tokens: int = 0) -> None:
        """Begin a run whose log already has replies with that many tokens."""
        self._offline.reader.begin(tokens_in, tokens_out, cached_tokens, cache_write_tokens)

    @property
    def spent(self) -> float | None:
        """The cost of the run so far; None where it is not known."""
        return self._offline.reader.spent

    @property
    def max_cost(self) -> float | None:
        """The bound on the cost of the run; None without one."""
        return self._reader.max_cost

    def resolve(self) -> dict[str, Any]:
        """The record of what the reader resolves to; no API key is needed."""
        endpoint = self._reader
        urls = list(endpoint.urls) if endpoint.several else endpoint.urls[0]
        fields = {"base_url": urls, "max_cost": endpoint.max_cost, "max_retries": endpoint.max_retries}
        return self._offline.reader.resolve() | fields

    def _reply(self, key: str, request: Request) -> Reply:
        if not isinstance(request, Generate):
            raise self._reader.unsupported(request)
        self._key, self._outputs = key, request.n
        self._calls.clear()
        try:
            return self._offline.reply_to(request)
        except Awaited:
            return WAITING

    def _respond(self, body: dict[str, Any]) -> tuple[int, Any]:
        """The status and body that a call was replied. Raises `Awaited` where there is no reply yet."""
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        is_first = not self._calls
        self._calls[digest] += 1
        calls = self._calls[digest]
        id = self._key if is_first else _later_key(self._key, digest, calls)
        outcome = self._folder.outcome(id, self._reader.max_retries)
        if outcome is not None:
            return outcome.status, outcome.body
        self._ask(id, body)
        if self._format.one_output:  # the other outputs are asked for in the same file
            for call in range(calls + 1, calls + self._outputs - self._calls.total() + 1):
                other_id = _later_key(self._key, digest, call)
                if self._folder.outcome(other_id, self._reader.max_retries) is None:
                    self._ask(other_id, body)
        raise Awaited

    def _ask(self, id: str, body: dict[str, Any]) -> None:
        self._folder.ask(id, body, self.asker, lambda: self._price(body))

    def _price(self, body: Mapping[str, Any]) -> float | None:
        """The most that a request can cost, by our count of its prompt's tokens; None without prices.

        It is dearest if the cache is written with all of the prompt or with none of it.
        """
        if not self.prices:
            return None
        texts = [str(message["content"]) for message in body["messages"]] + [str(body.get("system", ""))]
        longest = next((body[name] for name in ("max_completion_tokens", "max_tokens") if name in body), 0)
        tokens_in, tokens_out = sum(self._reader.count(texts)), int(longest) * int(body.get("n", 1))
        costs = (
            cost_by(self.prices, Usage(tokens_in, tokens_out, cache_write_tokens=cached)) for cached in (0, tokens_in)
        )
        return max(cost for cost in costs if cost is not None)


def _later_key(key: str, digest: str, call: int) -> str:
    """The id of a further call of a request: the key's beginning, the digest of the body, the number of the call."""
    return f"{key[:40]}-{digest}-{call}"
