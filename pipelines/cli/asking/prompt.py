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
from longdoc.visible import note
from pipelines.cli.asking.session import Ended, Session, described, show_json
from pipelines.cli.shared.options import say
from pipelines.display import terminal
from pipelines.engine.planning.run_arguments import AskArguments

PROMPT = "ask> "
LINES = 1000  # of the history
LATER_LIMIT = 0.2  # seconds until an interrupt that came during an import is tried again


def at_terminal(session: Session, first: str | None) -> None:
    """Read questions and commands until the user ends it. Errors and Ctrl-C end a question, not the session."""
    say(f"{described(session.documents)}. Type a question, :help, or Ctrl-D to end.")
    with _history(session):
        if first is not None:
            _tried(lambda: session.ask(first))
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
                _tried(lambda line=line: session.read(line))  # type: ignore[misc]
            except Ended:
                return


def from_lines(session: Session, first: str | None) -> bool:
    """Answer each line of standard input that is not blank; whether all were answered."""
    lines = [] if first is None else [first]
    well = True
    for line in (*lines, *_lines()):
        question = line.strip()
        try:
            if not session.as_json:
                print(f"\n{PROMPT}{terminal.visible(question)}")
            session.read(question)
        except Ended:
            break
        except UserError as error:
            well = False
            if session.as_json:
                show_json({"question": question, "error": str(error)})
            else:
                _complain(error)
        sys.stdout.flush()
    return well


def _lines() -> Iterator[str]:
    return (line for line in sys.stdin if line.strip())


def _tried(action: Callable[[], None]) -> None:
    """Do something whose failure or interruption is printed, and ends nothing else."""
    try:
        with _interrupted_between_imports():
            action()
    except UserError as error:
        _complain(error)
    except KeyboardInterrupt:
        print("\ncancelled", file=sys.stderr)
    except OSError as error:
        _complain(f"{error.filename or ''}: {error.strerror or error}".removeprefix(": "))
    except Ended:
        raise
    except Exception:  # of a component; the documents that are loaded are worth more than an end
        traceback.print_exc()


@contextmanager
def _interrupted_between_imports() -> Iterator[None]:
    """Ctrl-C waits until an import is finished: a library that was imported in part cannot be used in this process."""
    waiting_timers: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _imports(frame):
            raise KeyboardInterrupt
        if not waiting_timers:
            print("\ncancelled as soon as the library is loaded …", file=sys.stderr)
        waiting_timers.append(threading.Timer(LATER_LIMIT, signal.raise_signal, [signal.SIGINT]))
        waiting_timers[-1].daemon = True
        waiting_timers[-1].start()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for timer in waiting_timers:
            timer.cancel()
        signal.signal(signal.SIGINT, before)


def _imports(frame: FrameType | None) -> bool:
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
    readline.set_history_length(LINES)
    with suppress(OSError):  # there is none yet
        readline.read_history_file(file)
    readline.set_completer_delims(" ")
    readline.set_completer(lambda text, state: _completed(session, readline.get_line_buffer(), text, state))
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


def _completed(session: Session, line: str, text: str, state: int) -> str | None:
    """The `state`-th completion of what was typed: a command, or an argument of :set."""
    if " " not in line:
        known_names = [name for name in session.commands if line.startswith(":")]
    else:
        known_names = [f"{name}=" for name in AskArguments.__annotations__ if line.startswith(":set ")]
    return next(
        (
            text
            for place, text in enumerate(single_text for single_text in known_names if single_text.startswith(text))
            if place == state
        ),
        None,
    )
