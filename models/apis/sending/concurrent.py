"""Many requests at once in threads: each reply is stored, then handed on, as soon as it arrives.

The threads are daemons: a process that is told to stop does not wait for replies in flight.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

from longdoc import interrupts

Q = TypeVar("Q")
A = TypeVar("A")
A_contra = TypeVar("A_contra", contravariant=True)

LOOK = 0.1  # seconds between two looks at whether an interrupt has waited long enough


class Order(Protocol[A_contra]):
    """Hands out the indices of questions, in several threads."""

    def take(self) -> int | None:
        """The index of the next question, which may have to wait for others; None where none is left."""
        ...

    def done(self, index: int, answer: A_contra | None) -> None:
        """A question is answered and its answer handed on; None where an error was raised."""
        ...

    def end(self) -> None:
        """No further question is started: whoever waits in `take` gets None."""
        ...


class InTurn:
    """So many questions in their own order."""

    def __init__(self, questions: int) -> None:
        self._waiting_values = deque(range(questions))

    def take(self) -> int | None:
        """The index of the next question."""
        try:
            return self._waiting_values.popleft()
        except IndexError:
            return None

    def done(self, index: int, answer: object) -> None:
        """No other waits for it."""

    def end(self) -> None:
        """Nobody waits."""


def replies_in_order_of_arrival(
    ask: Callable[[Q], A],
    questions: Sequence[Q],
    at_once_count: int,
    on_reply: Callable[[int, A], None] = lambda index, answer: None,
    order: Order[A] | None = None,
) -> Iterator[tuple[int, A]]:
    """(index, answer) of each question in the order of arrival; questions are started in `order`, else in their own.

    `on_reply` is called with each answer first, in the thread that received it: the consumer may have to wait for its
    turn (a tenth of a second while other threads compute), and what is only in a queue is lost with the process.

    When `ask` or `on_reply` raises, no further question is started, those in flight are completed and handed on, and
    then the error is raised. Nor is a further one started once an interrupt waits for those in flight: what is not in
    after `interrupts.WAIT` seconds is left alone, and `interrupts.Dropped` is raised.
    """
    call_order: Order[A] = InTurn(len(questions)) if order is None else order
    queue: SimpleQueue[tuple[int, A] | BaseException | None] = SimpleQueue()
    stop, handing, abandoned_event = threading.Event(), threading.Lock(), threading.Event()
    running_ids: set[int] = set()

    def work() -> None:
        while not (stop.is_set() or interrupts.is_waiting()):
            if (index := call_order.take()) is None or stop.is_set() or interrupts.is_waiting():
                break  # it may have had to wait
            running_ids.add(index)
            answer: A | None = None
            try:
                answer = ask(questions[index])
                with handing:
                    if abandoned_event.is_set():
                        return
                    on_reply(index, answer)
                    running_ids.discard(index)
                queue.put((index, answer))
            except BaseException as error:  # raised again where the answers are taken
                running_ids.discard(index)
                stop.set()
                queue.put(error)
            finally:
                call_order.done(index, answer)
        call_order.end()
        queue.put(None)

    working = min(at_once_count, len(questions))
    error: BaseException | None = None
    for number in range(working):
        threading.Thread(target=work, name=f"ask-{number}", daemon=True).start()
    try:
        while working:
            try:
                item = queue.get(timeout=LOOK)
            except Empty:
                if interrupts.overdue():
                    with handing:
                        abandoned_event.set()
                        dropped = sorted(running_ids)
                    raise interrupts.Dropped(dropped) from None
                continue
            if item is None:
                working -= 1
            elif isinstance(item, BaseException):
                error = error or item
            else:
                yield item
    finally:
        stop.set()
        call_order.end()
    if error is not None:
        raise error
