"""Interrupts that wait for work in progress: the first Ctrl-C or SIGTERM lets it finish, a second one does not.

Replies of a service have to be paid for, and a model reads a batch for seconds or minutes. So an interrupt that comes
in a `hold_interrupts` block is raised at its end, when the replies are logged. Elsewhere it is raised at once. Replies
over a network are awaited for `WAIT` seconds, as they may never come. SIGTERM is POSIX alone: on Windows it ends a
process without notice, and only Ctrl-C waits.
"""

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

from longdoc.messages import note

STOPPING = "stopping: what is under way is awaited and logged; a second interrupt stops at once"

WAIT = 10.0  # seconds to wait for a service's replies

INTERRUPTED, TERMINATED = 130, 143  # the exit codes of shells for SIGINT and SIGTERM

_SAID = "it was said that what is under way is awaited"  # argument of interrupts, for `say_stopping`
at_end = ExitStack()  # what a command closes at its end, before Python waits for threads: programs that it started

_holds = 0
_interrupt: type[KeyboardInterrupt] | None = None
_since = 0.0  # when it came, in monotonic seconds


class Terminated(KeyboardInterrupt):
    """The interrupt of SIGTERM."""


class Dropped(Exception):
    """A service did not reply within `WAIT` seconds of an interrupt; `places` are the unanswered requests."""

    def __init__(self, places: Sequence[int]) -> None:
        super().__init__(f"{len(places)} under way")
        self.places = places


def overdue() -> bool:
    """Whether an interrupt has waited `WAIT` seconds. Any thread may call this."""
    return _interrupt is not None and time.monotonic() - _since >= WAIT


def is_waiting() -> bool:
    """Whether an interrupt waits, so that no further work should begin. Any thread may call this."""
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
    """Tell the user that work in progress is awaited, after an interrupt outside of a `hold_interrupts` block."""
    if isinstance(error, KeyboardInterrupt) and not error.args:
        note(STOPPING)


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Raise the first interrupt that comes in the block at its end, and a second one at once.

    This holds for SIGINT if Python handles it, and for signals whose handler is `handle`. Only the main thread is
    interrupted, so the block changes nothing in other threads.
    """
    global _holds, _interrupt
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    is_default_handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _holds += 1
    try:
        if is_default_handler:
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
        if is_default_handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _holds -= 1
        _interrupt = _interrupt if _holds else None
