"""Many requests at once in threads: each reply is stored, then handed on, as soon as it arrives.

The threads are daemons: a process that is told to stop does not wait for replies in flight.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import TypeVar

from longdoc import interrupts

Q = TypeVar("Q")
A = TypeVar("A")


def as_they_come(
    ask: Callable[[Q], A],
    questions: Sequence[Q],
    at_once: int,
    arrived: Callable[[int, A], None] = lambda index, answer: None,
) -> Iterator[tuple[int, A]]:
    """(index, answer) of each question in the order of arrival; questions are started in their own order.

    `arrived` is called with each answer first, in the thread that received it: the consumer may have to wait for its
    turn (a tenth of a second while other threads compute), and what is only in a queue is lost with the process.

    When `ask` or `arrived` raises, no further question is started, those in flight are completed and handed on, and
    then the error is raised. Nor is a further one started once an interrupt waits for those in flight (`interrupts`).
    """
    waiting = deque(enumerate(questions))
    queue: SimpleQueue[tuple[int, A] | BaseException | None] = SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        while not (stop.is_set() or interrupts.asked()):
            try:
                index, question = waiting.popleft()
            except IndexError:
                break
            try:
                answer = ask(question)
                arrived(index, answer)
                queue.put((index, answer))
            except BaseException as error:  # raised again where the answers are taken
                stop.set()
                queue.put(error)
        queue.put(None)

    working = min(at_once, len(questions))
    broken: BaseException | None = None
    for number in range(working):
        threading.Thread(target=work, name=f"ask-{number}", daemon=True).start()
    try:
        while working:
            item = queue.get()
            if item is None:
                working -= 1
            elif isinstance(item, BaseException):
                broken = broken or item
            else:
                yield item
    finally:
        stop.set()
    if broken is not None:
        raise broken
