"""Drive many strategies at once: their requests are queued and answered in batches; replies are logged before use.

Equal requests are made once, whichever run makes them; one that a log holds is not made again. A reader that streams
goes on sending in its threads while the jobs whose replies are in are finished here. A reader that takes more requests
meanwhile is sent those of further examples, and of further rounds, before it has nothing to do.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from longdoc import interrupts
from longdoc.errors import UserError
from longdoc.messages import counted, note
from models.accounting import Usage
from models.reader import Reader, StreamingReader
from models.requests import Reply, Request
from models.truncation import TooLong
from pipelines.engine.inference.active_job import ActiveJob, RequestFailed
from pipelines.engine.inference.keyed_reader import KeyedReader
from pipelines.engine.inference.reply_cache import ReplyCache
from pipelines.engine.inference.request_queue import RequestQueue
from pipelines.engine.inference.sent_requests import SentRequests
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.stop_rule import SendingStopped
from pipelines.engine.inference.work import Work
from pipelines.engine.recording import request_log
from pipelines.engine.recording.starts import start_of
from pipelines.results.output_counts import instruction_of
from pipelines.strategies import Job

REFILLED = 0.5  # the fullness of the queue from which on more examples are taken in


class Inference:
    """Answers the requests of all jobs together: those of one run, or of several whose `sessions` have one reader.

    A caller of `add` and `finish` has to `close` it in the end. An error that ends one run is kept in its session
    (`broken`), and the others go on. `cache` has replies of earlier runs; where it is given, more runs may come, and
    the reader was told of the tokens in their logs.
    """

    def __init__(self, reader: Reader, sessions: Sequence[Session], cache: ReplyCache | None = None) -> None:
        self.reader, self.sessions = reader, sessions
        self.cache = ReplyCache() if cache is None else cache
        self._queue = RequestQueue(reader)
        self._streamer = reader if isinstance(reader, StreamingReader) and reader.takes_more else None
        self._sent: SentRequests | None = None  # None until the first request is sent
        self._document = ""  # of the example that was added last
        self._writing = Lock()  # replies are logged in the threads that receive them
        self._work = Work()
        usage = Usage()
        for session in sessions:
            for position, record in session.log.entries():
                key, reply = record["key"], request_log.reply_of(record)
                if key not in self.cache:
                    usage += Usage.of(reply)
                session.count(key, reply)
                session.reply_starts[key] = start_of(record)
                self.cache.add(key, reply, session, position)
                self.cache.starts[key] = session.starts.get(start_of(record))
        if cache is None and isinstance(reader, StreamingReader):
            reader.begin(**usage.record)

    @property
    def work(self) -> Work:
        """The counts of what was done since the start, and of what waits. Any thread may read it."""
        pending = list(self._queue.pending.items())
        tokens = [request.tokens for key, request in pending if key not in self.cache]
        return replace(self._work, pending=len(tokens), pending_tokens=sum(tokens))

    def run(self, jobs: Iterable[Job]) -> Iterator[ActiveJob]:
        """The jobs of the only session, each as soon as it is finished. Few are in memory at a time.

        Where `jobs` raises a `UserError`, the jobs before it are finished first.
        """
        (session,) = self.sessions
        source = iter(jobs)
        try:
            while True:
                try:
                    job = next(source)
                except (StopIteration, UserError) as end:
                    yield from self.finish()
                    _check(session)
                    if isinstance(end, UserError):
                        raise
                    return
                yield from self.add(session, job)
                _check(session)
        finally:
            self.close()

    def add(self, session: Session, job: Job) -> Iterator[ActiveJob]:
        """Take in one more job. Yields the jobs that are finished by then, of any session."""
        if session.broken is not None:
            return
        if self._streamer is not None and job.example.document.id != self._document:
            self._document = job.example.document.id
            yield from self._stream(0.0, wait=False)
        active = ActiveJob(session, job)
        if job.failure is not None:
            yield active.fail(job.failure)
        else:
            yield from self._advance(active, None)
        with self._writing:
            self._work = self._work.with_example(self._queue.waits(active))
        if self._streamer is not None:
            if self._queue.fullness >= 1:
                yield from self._stream(REFILLED)
        elif self._queue.is_full_with(job.example):
            yield from self.finish()

    def close(self) -> None:
        """Send nothing more. Requests under way, after an interrupt, are awaited and logged."""
        if self._sent is not None:
            if self._sent.under_way:
                interrupts.say_stopping(sys.exc_info()[1])
            self._count_dropped(self._sent.close())

    def finish(self) -> Iterator[ActiveJob]:
        """Answer all requests, and those that the strategies make next, until none waits. Yields the finished jobs.

        A job goes on as soon as its last reply is in, whatever else is under way.
        """
        while self._queue.pending:
            if self._streamer is not None:
                yield from self._stream(0.0)
                continue
            for keys in self._queue.batches():
                for key in self._request(keys):
                    yield from self._resume_jobs([key])
                yield from self._resume_jobs([key for key in keys if key in self._queue.pending])  # of ended runs
        self._queue.clear()

    def _stream(self, left: float, wait: bool = True) -> Iterator[ActiveJob]:
        """Send what is queued, and go on with jobs as replies come, until the queue is no fuller than `left`.

        Without `wait`, go on only with jobs whose replies are in. An interrupt waits until the requests under way are
        answered and logged. Yields the finished jobs.
        """
        with interrupts.hold_interrupts():
            for key in self._arrivals(wait):
                yield from self._resume_jobs([key])
                if left and not interrupts.is_waiting() and self._takes_in(left):
                    return
        if wait:
            yield from self._resume_jobs(list(self._queue.pending))  # of ended runs

    def _takes_in(self, left: float) -> bool:
        """Whether further examples may be taken in: when the queue is down to `left`, earlier for an idle reader."""
        fullness = self._queue.fullness
        return fullness <= left or (fullness < 1 and self._sent is not None and self._sent.is_short)

    def _arrivals(self, wait: bool) -> Iterator[str]:
        """The keys of requests as their replies come, while any is under way; more are sent before these run short."""
        while True:
            try:
                self._send()
                key = None if self._sent is None else self._sent.next(wait)
            except interrupts.Dropped as dropped:
                if self._sent is not None:
                    self._count_dropped(self._sent.keys(dropped.places))
                raise
            except SendingStopped:
                self._sent = None  # what is left belongs to other runs
            except Exception as error:
                self.close()
                self._sent = None
                keys = list(self._queue.pending)
                yield from self._find_error(error, keys, self._sessions(keys[0]))
            else:
                if key is None:
                    return
                yield key

    def _send(self) -> None:
        """Send what is queued, where the reader has little to do."""
        if self._streamer is None or (self._sent is not None and not self._sent.is_short):
            return
        keys = [key for key in self._queue.longest_first() if self._sent is None or key not in self._sent]
        if keys := self._sendable(keys):
            self._sent = self._sent or SentRequests(self._streamer, self._arrived)
            self._sent.send({key: self._queue.pending[key].request for key in keys})

    def _arrived(self, key: str, reply: Reply) -> None:
        """Log a reply as soon as it arrives, in any thread, before it is used. Raises `SendingStopped`."""
        with self._writing:
            self._log(key, reply)
        if not any(session.may_send for session in self._sessions(key)):
            raise SendingStopped

    def _resume_jobs(self, keys: Sequence[str]) -> Iterator[ActiveJob]:
        """Take requests out of the queue, and go on with the jobs that wait for no others. Yields the finished jobs."""
        for active in self._queue.remove(keys):
            if active.session.broken is None and not self._queue.waits(active):
                yield from self._resume(active)

    def _advance(self, active: ActiveJob, values: Any) -> Iterator[ActiveJob]:
        """Send the values of replies to a strategy, and queue its next round of requests, or yield the finished job."""
        try:
            while True:
                self._enqueue(active, active.rounds.send(values))
                if self._queue.waits(active):
                    return
                values = self._values(active)
        except StopIteration as stop:
            yield active.finish(stop.value)
        except (RequestFailed, TooLong) as error:
            yield active.fail(str(error))
        except Exception as error:
            active.session.broken = error

    def _resume(self, active: ActiveJob) -> Iterator[ActiveJob]:
        """Go on with a job whose replies are in. Yields it if it is finished."""
        try:
            values = self._values(active)
        except RequestFailed as error:
            yield active.fail(str(error))
            return
        yield from self._advance(active, values)

    def _values(self, active: ActiveJob) -> list[Any]:
        """The values of the round's replies, in the order of its requests. Raises `RequestFailed`."""
        return active.values([self.cache[key] for key in active.keys])

    def _enqueue(self, active: ActiveJob, requests: Sequence[Request]) -> None:
        """Queue the requests of a job's round, except those that have a reply. Raises `TooLong`."""
        active.keys, active.instructions = [], []
        session = active.session
        for request, tokens in [session.truncated(request) for request in requests]:  # all fit, or none is queued
            for span in request_log.spans(request):
                active.shown_spans[span] = None
            key = session.key(request)
            active.keys.append(key)
            active.instructions.append(next(map(instruction_of, request_log.prompts(request)), ""))
            active.digest.update(session.shown_key(request).encode())
            with self._writing:
                if key in self.cache and key not in session.logged_keys:
                    session.log_reply(key, self.cache[key], self.cache.starts.get(key))
                if key in self._queue.pending or key not in self.cache:
                    self._queue.add(key, request, tokens, active)

    def _request(self, keys: Sequence[str]) -> Iterator[str]:
        """Answer requests of runs that may send them, and log the replies. Yields the keys of those that are answered.

        After an error the requests of each group of sessions are tried alone, to find the run that it belongs to.
        """
        if not (keys := self._sendable(keys)):
            return
        first = self._sessions(keys[0])
        try:
            yield from self._answer(keys)
        except SendingStopped:
            yield from self._request(keys)
        except Exception as error:
            yield from self._find_error(error, keys, first)

    def _sendable(self, keys: Sequence[str]) -> list[str]:
        """The requests without a reply, of runs that may send them."""
        return [
            key for key in keys if key not in self.cache and any(session.may_send for session in self._sessions(key))
        ]

    def _find_error(self, error: Exception, keys: Sequence[str], first: Sequence[Session]) -> Iterator[str]:
        """End the run whose requests an error came from; those of several runs are tried apart.

        Where all requests are answered, the runs `first` end. Yields the keys of requests that are answered.
        """
        groups: dict[tuple[Session, ...], list[str]] = {}
        for key in keys:
            if key not in self.cache:
                groups.setdefault(self._sessions(key), []).append(key)
        if len(groups) > 1:
            for group in groups.values():
                yield from self._request(group)
            return
        for session in next(iter(groups), first):
            session.broken = error

    def _answer(self, keys: Sequence[str]) -> Iterator[str]:
        """Answer requests, and log the replies before they are used. Yields the keys of those that are answered.

        An interrupt waits until the requests under way are answered and logged.
        """
        with interrupts.hold_interrupts():
            try:
                yield from self._answer_uninterrupted(keys)
            except interrupts.Dropped as dropped:
                self._count_dropped([keys[place] for place in dropped.places])
                raise

    def _answer_uninterrupted(self, keys: Sequence[str]) -> Iterator[str]:
        """Answer requests while interrupts are held, by any kind of reader. Yields the keys of the answered ones."""
        requests = [self._queue.pending[key].request for key in keys]

        def arrived(position: int, reply: Reply) -> None:
            self._arrived(keys[position], reply)

        if isinstance(self.reader, KeyedReader):
            yield from (keys[place] for place, _ in self.reader.stream_by_key(keys, requests, arrived))
        elif isinstance(self.reader, StreamingReader):
            tokens = [self._queue.pending[key].tokens for key in keys]
            yield from (keys[place] for place, _ in self.reader.stream_counted(requests, tokens, arrived))
        else:
            for key, reply in zip(keys, self.reader.reply(requests), strict=True):
                self._log(key, reply)
            yield from keys

    def _log(self, key: str, reply: Reply) -> None:
        """Log a reply for all runs that wait for it."""
        first, *sessions = self._sessions(key)
        if reply.finish_reason not in ("unasked", "awaited"):
            first.new_requests += 1
            self._work = self._work.with_reply(reply, self._queue.pending[key].tokens)
        self.cache.add(key, reply, first, first.log_reply(key, reply))
        for session in sessions:
            session.log_reply(key, reply)

    def _count_dropped(self, keys: Sequence[str]) -> None:
        """Print and record the number of requests without a reply in time after an interrupt: they may be billed."""
        if keys:
            note(
                f"{counted(len(keys), 'request')} without a reply {interrupts.WAIT:g} s after the interrupt: "
                f"dropped, and asked again at the next start"
            )
        for session, number in Counter(self._sessions(key)[0] for key in keys).items():
            session.starts.add_dropped(number)

    def _sessions(self, key: str) -> tuple[Session, ...]:
        """The sessions of the jobs that wait for a request."""
        return self._queue.pending[key].sessions


def _check(session: Session) -> None:
    """Raise the error that ended a run, if there is one."""
    if session.broken is not None:
        raise session.broken
