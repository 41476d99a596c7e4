"""A reader that Ray actors hold: batches go to whichever is free, and replies come back as they are made."""

import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

from longdoc import interrupts
from longdoc.descriptions import without_volatile
from longdoc.errors import UserError
from models.reader import OnReply, Reader, StreamingReader
from models.requests import Reply, Request
from pipelines.engine.inference.batches import by_length
from pipelines.engine.inference.request_queue import EXAMPLES_IN_FLIGHT, QUEUED_PER_STREAM
from pipelines.plugins.cluster.engines._ray_pool import Pool
from pipelines.plugins.cluster.engines._ray_process import ReaderFacts
from pipelines.plugins.cluster.engines._ray_workers import put

BATCHES = 2  # at each actor: the one that it reads, and the next
LOSSES = 3  # actors that may end while they read the same batch, before it fails


@dataclass(slots=True)
class _Batch:
    requests: list[int]
    losses: int = 0


_Sent = dict[Future[Any], tuple[int, _Batch]]  # the calls under way, each with its actor


class RayReader(StreamingReader):
    """Answers the requests to a reader by the actors of a pool, each of which has it."""

    def __init__(self, reader: Reader, pool: Pool) -> None:
        self._pool = pool
        self._key, self._pickled = put(reader)
        self._reader = weakref.ref(reader)
        self.supports = reader.supports

    @cached_property
    def facts(self) -> ReaderFacts:
        """The facts of the reader where it runs. Raises `UserError` where they differ between actors."""
        all_facts = self._facts()
        first = next(iter(all_facts.values()))
        for actor, facts in all_facts.items():
            expected, other = without_volatile(first.resolved), without_volatile(facts.resolved)
            if expected != other:
                names = sorted(name for name in {**expected, **other} if expected.get(name) != other.get(name))
                differences = "; ".join(f"{name}: {expected.get(name)} and {other.get(name)}" for name in names)
                raise UserError(
                    f"the nodes of the cluster would read differently (reader 1 and {actor + 1}, {differences}): "
                    f"give the value, or use nodes of one kind"
                )
        return first

    @property
    def concurrency(self) -> int:  # type: ignore[override]
        """So many requests that each actor has batches to choose from, as a reader on this machine has."""
        capacity = EXAMPLES_IN_FLIGHT if self.facts.tokens_per_call else 2 * BATCHES * self.facts.batch_requests
        return ceil(capacity * len(self._pool) / QUEUED_PER_STREAM)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, as the reader counts them here."""
        reader = self._reader()
        if reader is None:
            raise RuntimeError("the reader is no longer in use")
        return reader.count(texts)

    def stream(self, requests: Sequence[Request], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive, in batches by number of requests."""
        batches = by_length(range(len(requests)), lambda _: 0, None, self.facts.batch_requests)
        return self._stream(requests, batches, on_reply)

    def stream_counted(
        self, requests: Sequence[Request], tokens: Sequence[int], on_reply: OnReply
    ) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive, in the batches that the reader would get on this machine."""
        facts = self.facts
        batches = by_length(range(len(requests)), tokens.__getitem__, facts.tokens_per_call, facts.batch_requests)
        return self._stream(requests, batches, on_reply)

    def forget(self) -> None:
        """Free the memory that the reader takes in the actors."""
        self._pool.tell("forget", self._key)

    def _stream(
        self, requests: Sequence[Request], batches: Iterator[list[int]], on_reply: OnReply
    ) -> Iterator[tuple[int, Reply]]:
        """Send the batches; after an error or an interrupt no further ones, and wait for the replies under way."""
        waiting = deque(_Batch(batch) for batch in batches)
        sent: _Sent = {}
        failure: Exception | None = None
        while sent or (waiting and failure is None and not interrupts.is_waiting()):
            if failure is None and not interrupts.is_waiting():
                self._send(requests, waiting, sent)
            done, _ = wait([*sent, *self._pool.starting()], return_when=FIRST_COMPLETED)
            for future in [future for future in done if future in sent]:
                _, batch = sent.pop(future)
                try:
                    replies = future.result()
                except self._pool.lost as error:
                    failure = failure or _retry(batch, waiting, error)
                except Exception as error:
                    failure = failure or error
                else:
                    for index, reply in zip(batch.requests, replies, strict=True):
                        on_reply(index, reply)
                        yield index, reply
        if failure is not None:
            raise failure

    def _send(self, requests: Sequence[Request], waiting: deque[_Batch], sent: _Sent) -> None:
        """Give each started actor up to `BATCHES` batches, the one with the fewest first."""
        ready = self._pool.ready() if sent else self._pool.wait()
        load = {actor: sum(position == actor for position, _ in sent.values()) for actor in ready}
        while waiting and load and min(load.values()) < BATCHES:
            actor = min(load, key=load.__getitem__)
            batch = waiting.popleft()
            texts = [requests[index] for index in batch.requests]
            future = self._pool.call(actor, "reply", self._key, self._pickled, texts)
            sent[future] = (actor, batch)
            load[actor] += 1

    def _facts(self) -> dict[int, ReaderFacts]:
        """The facts of each started actor; one that is lost meanwhile is left out."""
        for _ in range(LOSSES):
            calls = {actor: self._pool.call(actor, "facts", self._key, self._pickled) for actor in self._pool.wait()}
            known = {}
            for actor, call in calls.items():
                try:
                    known[actor] = call.result()
                except self._pool.lost:
                    continue
            if known:
                return known
        raise UserError(f"{LOSSES} times all readers were lost before they read: see Ray's logs on the nodes")


def _retry(batch: _Batch, waiting: deque[_Batch], error: BaseException) -> UserError | None:
    """Put a batch of a lost actor before the others; return an error where it was lost too often."""
    batch.losses += 1
    if batch.losses >= LOSSES:
        reason = " ".join(str(error).split())[:300]
        return UserError(
            f"{LOSSES} readers in turn were lost with the same {len(batch.requests)} requests ({reason}); "
            f"where their memory was too small, lower batch_tokens or max_input_tokens"
        )
    waiting.appendleft(batch)
    return None
