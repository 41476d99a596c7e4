"""The loop that reads questions: at a terminal with line editing and history, elsewhere one question a line."""

import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from longdoc import caches
from longdoc.errors import UserError
from longdoc.messages import note
from pipelines.cli.shared.options import say
from pipelines.display import terminal
from pipelines.engine.planning.run_options import AskOptions
from pipelines.plugins.ask.cli.session import Session, SessionEnd, described, show_json

PROMPT = "ask> "
HISTORY_LENGTH = 1000  # lines
RETRY_DELAY = 0.2  # seconds until an interrupt that came during an import is tried again


def at_terminal(session: Session, first: str | None) -> None:
    """Read questions and commands until the user ends the session. Errors and Ctrl-C end only a question."""
    say(f"{described(session.documents)}. Type a question, :help, or Ctrl-D to end.")
    with _history(session):
        if first is not None:
            _attempt(lambda: session.ask(first))
        while True:
            print()
            try:
                line = input(PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:  # as in a shell: the line is given up
                print()
                continue
            try:
                _attempt(lambda line=line: session.read(line))  # type: ignore[misc]
            except SessionEnd:
                return


def from_lines(session: Session, first: str | None) -> bool:
    """Answer each line of standard input that is not blank; return whether all were answered."""
    lines = [] if first is None else [first]
    all_answered = True
    for line in (*lines, *_lines()):
        question = line.strip()
        try:
            if not session.as_json:
                print(f"\n{PROMPT}{terminal.visible(question)}")
            session.read(question)
        except SessionEnd:
            break
        except UserError as error:
            all_answered = False
            if session.as_json:
                show_json({"question": question, "error": str(error)})
            else:
                _complain(error)
        sys.stdout.flush()
    return all_answered


def _lines() -> Iterator[str]:
    return (line for line in sys.stdin if line.strip())


def _attempt(action: Callable[[], None]) -> None:
    """Do something; its failure or interruption is printed, and the session goes on."""
    try:
        with _interrupted_between_imports():
            action()
    except UserError as error:
        _complain(error)
    except KeyboardInterrupt:
        print("\ncancelled", file=sys.stderr)
    except OSError as error:
        _complain(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
    except SessionEnd:
        raise
    except Exception:  # of a component; the documents that are loaded are worth more than an end
        traceback.print_exc()


@contextmanager
def _interrupted_between_imports() -> Iterator[None]:
    """Ctrl-C waits until an import is finished: a library that was imported in part cannot be used in this process."""
    timers: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _is_importing(frame):
            raise KeyboardInterrupt
        if not timers:
            print("\ncancelled as soon as the library is loaded …", file=sys.stderr)
        timers.append(threading.Timer(RETRY_DELAY, signal.raise_signal, [signal.SIGINT]))
        timers[-1].daemon = True
        timers[-1].start()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        signal.signal(signal.SIGINT, before)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a frame is within an import."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _complain(error: object) -> None:
    sys.stdout.flush()
    note(error)


@contextmanager
def _history(session: Session) -> Iterator[None]:
    """Line editing, completion of commands, and a history that lasts; without the module `readline` there is none."""
    try:
        import readline
    except ImportError:  # some builds of Python have none
        yield
        return
    file = caches.own_folder(caches.home() / "ask_history")
    readline.set_history_length(HISTORY_LENGTH)
    with suppress(OSError):  # there is none yet
        readline.read_history_file(file)
    readline.set_completer_delims(" ")
    readline.set_completer(lambda text, state: _completion(session, readline.get_line_buffer(), text, state))
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch(0o600)
            readline.write_history_file(file)
        except OSError as error:
            _complain(f"the history of questions cannot be kept in {file}: {error.strerror}")


def _completion(session: Session, line: str, text: str, state: int) -> str | None:
    """The `state`-th completion of what was typed: a command, or an argument of :set."""
    if " " not in line:
        names = [name for name in session.commands if line.startswith(":")]
    else:
        names = [f"{name}=" for name in AskOptions.__annotations__ if line.startswith(":set ")]
    return next(
        (name for place, name in enumerate(name for name in names if name.startswith(text)) if place == state),
        None,
    )
