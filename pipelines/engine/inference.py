"""Drive many strategies at once: their requests go into one queue, are packed into batches, and each reply is logged
before it is used. Equal requests are asked once, whichever run makes them; one that a log holds is not asked again.

Replies are kept in memory for equal requests to come, save those to `Compare`, which have a number for every pair of
paragraphs: a job that waits for one reads it from the log.
"""

import json
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from longdoc.errors import UserError
from models.requests import Reader, Reply, Request
from models.truncation import TooLong
from pipelines.engine import request_log
from pipelines.engine.prepare import Prepared
from pipelines.engine.session import Lane
from pipelines.records import Span
from pipelines.results import output_counts
from pipelines.strategies import Outcome, Retrieve, Round

EXAMPLES_IN_FLIGHT = 256
PROMPT_TOKENS_IN_FLIGHT = 1_000_000
CHARACTERS_IN_FLIGHT = 50_000_000
REQUESTS_A_CALL = 16
WAVES = 8  # requests that wait at a reader that streams, for each that is under way


@dataclass(frozen=True, slots=True)
class Finished:
    """A strategy's output and what it took. `failure` says why there is no prediction."""

    lane: Lane = field(compare=False, repr=False)
    prepared: Prepared
    prediction: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    shown_spans: tuple[Span, ...] = ()
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    truncated_tokens: int = 0
    outputs: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None

    @property
    def selected(self) -> tuple[tuple[int, int, float], ...]:
        """The spans that were selected, with their scores; those that only a further search found have 0."""
        if "spans" not in self.notes:
            return self.prepared.selected
        scores = {(start, end): score for start, end, score in self.prepared.selected}
        return tuple((start, end, scores.get((start, end), 0.0)) for start, end in json.loads(self.notes["spans"]))


@dataclass(slots=True)
class _Active:
    lane: Lane
    prepared: Prepared
    generator: Generator[Round, list[Any], str | Outcome]
    keys: list[str] = field(default_factory=list)  # of the round that waits for replies
    shown_spans: dict[Span, None] = field(default_factory=dict)
    replies: list[Reply] = field(default_factory=list)  # of all rounds, without their values
    outputs: Counter[str] = field(default_factory=Counter)  # what there is to know of them (`_outputs`)
    generated: bool = False


@dataclass(slots=True)
class _Pending:
    request: Request
    tokens: int
    waiting: list[_Active]

    @property
    def lanes(self) -> tuple[Lane, ...]:
        return tuple(dict.fromkeys(active.lane for active in self.waiting))


@dataclass(slots=True)
class Known:
    """A reader's replies, for runs that come one after the other; `logged` are those that only a log holds."""

    replies: dict[str, Reply] = field(default_factory=dict)
    logged: dict[str, tuple[Lane, int]] = field(default_factory=dict)

    def forget_failures(self) -> None:
        """So that they are asked again."""
        for key in [key for key, reply in self.replies.items() if reply.error is not None]:
            del self.replies[key]


class Inference:
    """Answers the requests of all jobs together, those of several runs too: `lanes` that have one reader.

    What breaks a run off is kept in its lane (`broken`), and the others go on. `known` are replies of earlier runs;
    where it is given, more runs may come, and the reader was told what their logs hold.
    """

    def __init__(self, reader: Reader, lanes: Sequence[Lane], known: Known | None = None) -> None:
        self.reader, self.lanes = reader, lanes
        self._raw = known is not None or len(lanes) > 1  # another lane may have to log it
        there = Known() if known is None else known
        self.known, self.logged = there.replies, there.logged
        self._pending: dict[str, _Pending] = {}
        self._keeping = Lock()
        self._load = _Load(self._wave())
        spent = [0, 0]
        for lane in lanes:
            for record, place in zip(lane.log.records, lane.log.places, strict=True):
                key, reply = record["key"], request_log.reply_of(record)
                if not self._has(key):
                    spent = [spent[0] + reply.tokens_in, spent[1] + reply.tokens_out]
                lane.count(key, reply)
                self._remember(key, reply, lane, place)
        if known is None and (begin := getattr(reader, "begin", None)):
            begin(*spent)

    def run(self, prepared: Iterable[Prepared]) -> Iterator[Finished]:
        """Finish each example of the only lane as soon as its replies are in; memory is bounded by what is in flight.

        When the data break off (`UserError`), what was prepared before is finished first.
        """
        (lane,) = self.lanes
        source = iter(prepared)
        while True:
            try:
                item = next(source)
            except (StopIteration, UserError) as end:
                yield from self.finish()
                _check(lane)
                if isinstance(end, UserError):
                    raise
                return
            yield from self.add(lane, item)
            _check(lane)

    def add(self, lane: Lane, item: Prepared) -> Iterator[Finished]:
        """Take one more example in; what is finished by then, of whichever lane."""
        if lane.broken is not None:
            return
        if item.job is None:
            yield Finished(lane, item, failure=item.failure)
        else:
            yield from self._advance(_Active(lane, item, lane.strategy(item.job)), None)
        if self._load.add(item, self._pending):
            yield from self.finish()

    def finish(self) -> Iterator[Finished]:
        """Answer everything that waits, longest first, and what the strategies ask next, until nothing waits."""
        while self._pending:
            queue = sorted(self._pending, key=lambda key: (-self._pending[key].tokens, key))
            for keys in self._batches(queue):
                self._ask([key for key in keys if any(lane.broken is None for lane in self._pending[key].lanes)])
                answered = [self._pending.pop(key) for key in keys]
                ready = {id(active): active for item in answered for active in item.waiting}
                for active in ready.values():
                    if active.lane.broken is None and not any(key in self._pending for key in active.keys):
                        yield from self._resume(active)
        self._load.clear()

    def _wave(self) -> int:
        """How many examples wait for each other: many where batches are packed by length, one where they are not."""
        if hasattr(self.reader, "stream"):
            return WAVES * int(getattr(self.reader, "concurrency", 1))
        budget = getattr(self.reader, "batch_tokens", 0)
        return 1 if budget is None else EXAMPLES_IN_FLIGHT if budget else REQUESTS_A_CALL

    def _advance(self, active: _Active, values: Any) -> Iterator[Finished]:
        """Send values to a strategy; queue its next round, or finish it."""
        try:
            while True:
                step = active.generator.send(values)
                if isinstance(step, Retrieve):
                    assert active.prepared.job is not None
                    values = active.prepared.job.search(step.query, step.k)
                    continue
                self._queue(active, step)
                if any(key in self._pending for key in active.keys):
                    return
                values = self._collect(active)
        except StopIteration as stop:
            yield _finished(active, stop.value)
        except (_Failed, TooLong) as error:
            active.generator.close()
            yield _finished(active, "", failure=str(error))
        except Exception as error:
            active.lane.broken = error

    def _queue(self, active: _Active, requests: Sequence[Request]) -> None:
        active.keys = []
        lane = active.lane
        for fitted, tokens in [lane.fitted(request) for request in requests]:  # all fit, or none is queued
            for span in request_log.spans(fitted):
                active.shown_spans[span] = None
            key = lane.key(fitted)
            active.keys.append(key)
            if self._has(key):
                if key not in lane.kept:
                    lane.keep(key, self._reply(key))
                continue
            waiting = self._pending.setdefault(key, _Pending(fitted, tokens, [])).waiting
            if active not in waiting:
                waiting.append(active)

    def _ask(self, keys: Sequence[str]) -> None:
        """Ask and keep. Where that goes wrong, the lanes are asked for apart, to find the one that breaks it."""
        try:
            self._answer(keys)
        except Exception as error:
            groups: dict[tuple[Lane, ...], list[str]] = {}
            for key in keys:
                if not self._has(key):
                    groups.setdefault(self._pending[key].lanes, []).append(key)
            if len(groups) > 1:
                for apart in groups.values():
                    self._ask(apart)
                return
            for lane in next(iter(groups), self._pending[keys[0]].lanes):
                lane.broken = error

    def _answer(self, keys: Sequence[str]) -> None:
        """What streams is kept the moment it arrives, in whichever thread, before anything of it is used."""
        if not keys:
            return
        requests = [self._pending[key].request for key in keys]

        def arrived(place: int, reply: Reply) -> None:
            with self._keeping:
                self._keep(keys[place], reply)

        if stream := getattr(self.reader, "stream", None):
            deque(stream(requests, arrived), maxlen=0)  # to its end
            return
        for place, reply in zip(range(len(keys)), self.reader.reply(requests), strict=True):
            self._keep(keys[place], reply)

    def _keep(self, key: str, reply: Reply) -> None:
        """Log a reply for all runs that wait for it."""
        first, *others = self._pending[key].lanes
        first.asked += reply.finish_reason != "unasked"
        self._remember(key, reply, first, first.keep(key, reply))
        for lane in others:
            lane.keep(key, reply)

    def _remember(self, key: str, reply: Reply, lane: Lane, place: int | None) -> None:
        """Keep a reply in memory if it is small; its raw output only where another lane may have to log it."""
        if place is not None and request_log.compared(reply.value):
            self.logged[key] = (lane, place)
        else:
            self.known[key] = reply if self._raw else replace(reply, raw=None)

    def _has(self, key: str) -> bool:
        return key in self.known or key in self.logged

    def _reply(self, key: str) -> Reply:
        if key in self.known:
            return self.known[key]
        lane, place = self.logged[key]
        return request_log.reply_of(lane.log.read(place))

    def _resume(self, active: _Active) -> Iterator[Finished]:
        try:
            values = self._collect(active)
        except _Failed as error:
            active.generator.close()
            yield _finished(active, "", failure=str(error))
            return
        yield from self._advance(active, values)

    def _collect(self, active: _Active) -> list[Any]:
        """The values of the round's replies, in the order of its requests."""
        replies = [self._reply(key) for key in active.keys]
        active.replies.extend(replace(reply, value=None, raw=None) for reply in replies)
        for reply in replies:
            if reply.error is not None:
                raise _Failed(reply.error)
            active.outputs.update(output_counts.kinds_of(reply))
            active.generated |= output_counts.is_text(reply.value)
        return [reply.value for reply in replies]

    def _batches(self, queue: Sequence[str]) -> Iterator[list[str]]:
        """Neighbours of like length together: at most `batch_tokens` padded tokens, or 16 requests where unset.

        A reader that streams takes all at once.
        """
        if hasattr(self.reader, "stream"):
            yield list(queue)
            return
        budget = getattr(self.reader, "batch_tokens", 0)
        batch: list[str] = []
        for key in queue:
            longest = self._pending[batch[0]].tokens if batch else 0
            full = len(batch) >= REQUESTS_A_CALL if budget == 0 else not budget or (len(batch) + 1) * longest > budget
            if batch and full:
                yield batch
                batch = []
            batch.append(key)
        if batch:
            yield batch


@dataclass(slots=True)
class _Load:
    """What is in flight: examples, prompt tokens, characters of documents."""

    examples: int
    arrived: int = 0
    documents: dict[str, int] = field(default_factory=dict)

    def add(self, item: Prepared, pending: Mapping[str, _Pending]) -> bool:
        """Count one more example; True when it is time to answer."""
        self.arrived += 1
        self.documents[item.example.document.id] = len(item.example.document.text)
        return (
            self.arrived >= self.examples
            or sum(self.documents.values()) > CHARACTERS_IN_FLIGHT
            or sum(waiting.tokens for waiting in pending.values()) > PROMPT_TOKENS_IN_FLIGHT
        )

    def clear(self) -> None:
        """Everything was answered."""
        self.arrived = 0
        self.documents.clear()


class _Failed(Exception):
    """A request came back with an error; its example fails alone."""


def _check(lane: Lane) -> None:
    if lane.broken is not None:
        raise lane.broken


def _finished(active: _Active, returned: str | Outcome, failure: str | None = None) -> Finished:
    outcome = returned if isinstance(returned, Outcome) else Outcome(returned)
    replies = active.replies
    if active.generated and not outcome.prediction.strip():  # whatever the outputs were that it was made of
        active.outputs[output_counts.EMPTY] = active.outputs[output_counts.EMPTY] or 1
    return Finished(
        active.lane,
        active.prepared,
        outcome.prediction,
        outcome.notes,
        tuple(active.shown_spans),
        len(replies),
        sum(reply.tokens_in for reply in replies),
        sum(reply.tokens_out for reply in replies),
        sum(reply.truncated_tokens for reply in replies),
        dict(active.outputs),
        failure,
    )
