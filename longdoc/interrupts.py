"""Interrupts that wait for what is under way: the first Ctrl-C or SIGTERM lets it end, a second one does not.

Replies that a service is asked for are paid for, and a model reads a batch for seconds or minutes. So an interrupt that
comes in a `hold_interrupts` block is raised at its end, when the replies are logged. Elsewhere it is raised at once.
What comes over a network is waited for `WAIT` seconds: the other end may never send it. SIGTERM is POSIX alone: on
Windows it ends a process without notice, and only Ctrl-C waits.
"""

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from longdoc.visible import note

STOPPING = "stopping: what is under way is awaited and logged; a second interrupt stops at once"

WAIT = 10.0  # seconds for what is under way at a service

INTERRUPTED, TERMINATED = 130, 143  # the exit codes of shells for SIGINT and SIGTERM

_SAID = "it was said that what is under way is awaited"
at_end = ExitStack()  # what a command closes at its end, before Python waits for threads: programs that it started

_holds = 0
_interrupt: type[KeyboardInterrupt] | None = None
_since = 0.0  # when it came, in monotonic seconds


class Terminated(KeyboardInterrupt):
    """SIGTERM has come."""


class Dropped(Exception):
    """After an interrupt a service did not answer in `WAIT` seconds: `places` are the questions under way."""

    def __init__(self, places: Sequence[int]) -> None:
        super().__init__(f"{len(places)} under way")
        self.places = places


def overdue() -> bool:
    """Whether an interrupt has waited for a service as long as it may. Any thread may ask."""
    return _interrupt is not None and time.monotonic() - _since >= WAIT


def is_waiting() -> bool:
    """Whether an interrupt waits for what is under way: nothing further is to be begun. Any thread may ask."""
    return _interrupt is not None


def handle(number: int, frame: object = None) -> None:
    """Handle a signal, in the main thread: raise `KeyboardInterrupt`, or `Terminated` for SIGTERM, now or later."""
    global _interrupt, _since
    kind = Terminated if number == signal.SIGTERM else KeyboardInterrupt
    if not _holds:
        raise kind
    if _interrupt is not None:
        raise kind(_SAID)
    _interrupt, _since = kind, time.monotonic()
    with suppress(RuntimeError, OSError):  # the program may just be printing, or nobody reads
        note(STOPPING)


def say_stopping(error: BaseException | None) -> None:
    """Say that what is under way is awaited, for an interrupt that came outside of a `hold_interrupts` block."""
    if isinstance(error, KeyboardInterrupt) and not error.args:
        note(STOPPING)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Raise the first interrupt that comes in the block at its end, and a second one at once.

    That is so for SIGINT where Python handles it, and for signals whose handler is `handle`. Only the main thread is
    interrupted, so in another one the block changes nothing.
    """
    global _holds, _interrupt
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pythons = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _holds += 1
    try:
        if pythons:
            signal.signal(signal.SIGINT, handle)
        yield
    except Exception:
        if _interrupt is not None:  # an interrupt ends the program, whatever else went wrong
            raise _interrupt(_SAID) from None
        raise
    else:
        if _interrupt is not None and _holds == 1:
            raise _interrupt(_SAID)
    finally:
        if pythons:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _holds -= 1
        _interrupt = _interrupt if _holds else None
