"""Calls that are left alone in their thread when they take too long; threads that are idle take the next calls."""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

IDLE_LIMIT = 10.0  # seconds after which an idle thread ends

_idle_threads: "list[_Thread]" = []  # append, pop and remove are atomic
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle_threads.clear)  # a forked process has none of them


def within(seconds: float | None, call: Callable[[], T], error: Exception) -> T:
    """A call's result, from another thread. Raises `error` where it takes longer; the thread is left alone."""
    outcome: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
    try:
        thread = _idle_threads.pop()
    except IndexError:
        thread = _Thread()
        thread.start()
    thread.calls.put((call, outcome))
    try:
        value, problem = outcome.get(timeout=seconds)
    except Empty:
        raise error from None
    if problem is not None:
        raise problem
    return value  # type: ignore[no-any-return]


class _Thread(threading.Thread):
    """Runs a call at a time, and is among the idle ones in between."""

    def __init__(self) -> None:
        super().__init__(name="http", daemon=True)
        self.calls: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[tuple[Any, BaseException | None]]]] = SimpleQueue()

    def run(self) -> None:
        """Run calls until none has come for a while."""
        while self._run_next():
            pass

    def _run_next(self) -> bool:
        try:
            call, outcome = self.calls.get(timeout=IDLE_LIMIT)
        except Empty:
            try:
                _idle_threads.remove(self)
            except ValueError:  # a call is on its way
                return True
            return False
        try:
            result: tuple[Any, BaseException | None] = call(), None
        except BaseException as error:
            result = None, error
        _idle_threads.append(self)
        outcome.put(result)
        return True
