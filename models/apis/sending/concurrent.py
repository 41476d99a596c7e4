"""Many requests at once in threads: each reply is stored, then handed on, as soon as it arrives.

The threads are daemons: a process that is told to stop does not wait for replies in flight.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from longdoc import interrupts

Q = TypeVar("Q")
A = TypeVar("A")
A_contra = TypeVar("A_contra", contravariant=True)

LOOK_SECONDS = 0.1  # seconds between two looks at whether an interrupt has waited long enough


class Order(Protocol[A_contra]):
    """Hands out the indices of questions, in several threads."""

    def take(self) -> int | None:
        """The index of the next question, which may have to wait for others; None where none is left."""
        ...

    def done(self, index: int, answer: A_contra | None) -> None:
        """A question is answered; None where an error was raised."""
        ...

    def complete(self) -> None:
        """No question is added any more: whoever waits in `take` for one gets None."""
        ...

    def end(self) -> None:
        """No further question is started: whoever waits in `take` gets None."""
        ...


class InTurn:
    """An order that hands out questions 0, 1, 2 …"""

    def __init__(self, questions: int) -> None:
        self._waiting = deque(range(questions))

    def take(self) -> int | None:
        """The index of the next question."""
        try:
            return self._waiting.popleft()
        except IndexError:
            return None

    def done(self, index: int, answer: object) -> None:
        """No other waits for it."""

    def complete(self) -> None:
        """Nobody waits."""

    def end(self) -> None:
        """Nobody waits."""


class Sending(Generic[A]):
    """Asks questions in `at_once` threads, in an order to which more are added meanwhile.

    `on_reply` is called with each answer first, in the thread that received it: the consumer may have to wait for its
    turn (a tenth of a second while other threads compute), and what is only in a queue is lost with the process.
    """

    def __init__(
        self, ask: Callable[[int], A], at_once: int, on_reply: Callable[[int, A], None], order: Order[A]
    ) -> None:
        self._ask, self._at_once, self._on_reply, self._order = ask, at_once, on_reply, order
        self._queue: SimpleQueue[tuple[int, A] | BaseException | None] = SimpleQueue()
        self._stop, self._reply_lock, self._abandoned = threading.Event(), threading.Lock(), threading.Event()
        self._running: set[int] = set()
        self._started_threads = self._live_threads = self._unanswered = 0
        self._error: BaseException | None = None

    def add(self, questions: int) -> None:
        """Start work on this many more questions, which are in the order already."""
        self._unanswered += questions
        for _ in range(min(self._at_once - self._started_threads, questions)):
            threading.Thread(target=self._work, name=f"ask-{self._started_threads}", daemon=True).start()
            self._started_threads += 1
            self._live_threads += 1

    def next(self, wait: bool = True) -> tuple[int, A] | None:
        """The next (index, answer) to arrive; None where all are in, or, without `wait`, none is there yet.

        When asking or `on_reply` raises, no further question is started, those in flight are completed and handed on,
        and then the error is raised. Nor is a further one started once an interrupt waits for those in flight: what is
        not in after `interrupts.WAIT` seconds is left alone, and `interrupts.Dropped` is raised.
        """
        while self._unanswered and self._live_threads:
            try:
                item = self._queue.get(timeout=LOOK_SECONDS) if wait else self._queue.get_nowait()
            except Empty:
                if not wait:
                    return None
                self._look_for_interrupts()
                continue
            if item is None:
                self._live_threads -= 1
            elif isinstance(item, BaseException):
                self._error = self._error or item
            else:
                self._unanswered -= 1
                return item
        if self._error is not None:
            raise self._error
        return None

    def rest(self) -> Iterator[tuple[int, A]]:
        """The remaining answers as they arrive; no question is added any more."""
        self._order.complete()
        try:
            while (item := self.next()) is not None:
                yield item
        finally:
            self._start_no_more()

    def close(self) -> list[int]:
        """Start no further question and wait for those in flight; return those not answered after `interrupts.WAIT`."""
        if self._abandoned.is_set():
            return []
        self._start_no_more()
        end_time = time.monotonic() + interrupts.WAIT
        while self._live_threads and time.monotonic() < end_time:
            with suppress(Empty):
                self._live_threads -= self._queue.get(timeout=LOOK_SECONDS) is None
        return self._abandon()

    def _look_for_interrupts(self) -> None:
        if interrupts.is_waiting():
            self._order.end()
        if interrupts.overdue():
            raise interrupts.Dropped(self._abandon()) from None

    def _abandon(self) -> list[int]:
        """Stop waiting for the questions in flight; return their indices."""
        with self._reply_lock:
            self._abandoned.set()
            return sorted(self._running)

    def _start_no_more(self) -> None:
        self._stop.set()
        self._order.end()

    def _work(self) -> None:
        while not self._is_over():
            if (index := self._order.take()) is None or self._is_over():
                break  # it may have had to wait
            self._running.add(index)
            answer: A | None = None
            item: tuple[int, A] | BaseException
            try:
                answer = self._ask(index)
                with self._reply_lock:
                    if self._abandoned.is_set():
                        return
                    self._on_reply(index, answer)
                    self._running.discard(index)
                item = (index, answer)
            except BaseException as error:  # raised again where the answers are taken
                self._running.discard(index)
                self._stop.set()
                item = error
            finally:
                self._order.done(index, answer)
            self._queue.put(item)
        self._order.end()
        self._queue.put(None)

    def _is_over(self) -> bool:
        return self._stop.is_set() or interrupts.is_waiting()


def replies_in_order_of_arrival(
    ask: Callable[[Q], A],
    questions: Sequence[Q],
    at_once: int,
    on_reply: Callable[[int, A], None] = lambda index, answer: None,
    order: Order[A] | None = None,
) -> Iterator[tuple[int, A]]:
    """(index, answer) of each question in the order of arrival; questions are started in `order`, else in their own.

    Raises what `Sending.next` does.
    """
    sending = Sending(lambda index: ask(questions[index]), at_once, on_reply, order or InTurn(len(questions)))
    sending.add(len(questions))
    yield from sending.rest()
