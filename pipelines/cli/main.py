"""The command line: parses, calls a function of `pipelines`, prints. `longdoc --help` lists the commands."""

import functools
import io
import json
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from longdoc import __version__, interrupts
from longdoc.errors import RepliesAwaited, UserError
from longdoc.interrupts import INTERRUPTED, TERMINATED
from longdoc.system_errors import error_with_hint
from longdoc.visible import note
from pipelines.cli import harnesses
from pipelines.cli.commands import COMMANDS, GROUPS, path_of
from pipelines.cli.completion import offer
from pipelines.cli.shared import flags, help, set_option
from pipelines.cli.shared.shared_options import with_shared_options
from pipelines.engine import interruption_note

AWAITING_LIMIT = 3  # a run that goes on when the replies to its batch files are there
RESUMING = {"run", "rerun", "ablate", "versus", "train", "data index"}

_came_numbers: set[int] = set()  # signals that came to the command

app = typer.Typer(
    name="longdoc",
    cls=help.Group,
    context_settings={"max_content_width": 100},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Read long documents with short models: split, rank, read, recombine, score."""
    if version:
        print(__version__)
    elif context.invoked_subcommand is None:
        print(context.get_help())


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """The command, whose interrupt reaches `main` as an error with its notes: typer makes a bare exit code of it."""

    @functools.wraps(command)
    def called(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt as error:
            raise typer.Abort from error

    return called


def _add(commands: typer.Typer, name: str, command: Callable[..., None]) -> None:
    if command is harnesses.lm_eval:  # which passes on what it does not know
        commands.command(name, cls=help.PassingCommand)(_interruptible(offer(command)))
    else:
        commands.command(name, cls=help.Command)(_interruptible(offer(with_shared_options(command))))


for name, command in COMMANDS.items():
    _add(app, name, command)
for word, group in GROUPS.items():
    typer_group = typer.Typer(cls=help.SubGroup, help=group.help, rich_markup_mode=None)
    for name, command in group.commands.items():
        _add(typer_group, name, command)
    app.add_typer(typer_group, name=word)


@functools.cache
def command_line() -> Any:
    """All commands with their options, made once: typer reads the types of all their arguments for it."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line; a user's mistake is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # characters missing from the terminal's encoding
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _log_to_stderr()
    typed_value = interruption_note.typed_command.set(shlex.join(["longdoc", *sys.argv[1:]]))
    try:
        with _terminable():
            _run()
    finally:
        interrupts.at_end.close()
        interruption_note.typed_command.reset(typed_value)  # a program may call this function and go on


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM, with which batch systems end a job, ends a command as Ctrl-C does."""
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    process = os.getpid()
    _came_numbers.clear()

    def end(number: int, frame: object) -> None:
        if os.getpid() == process:
            _came_numbers.add(number)
            interrupts.handle(number)
            return
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a forked process just ends
        os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run() -> None:
    """Run what was typed, and exit."""
    resumes = path_of(sys.argv[1:]) in RESUMING
    try:
        code = command_line()(prog_name="longdoc", standalone_mode=False)
    except RepliesAwaited as waits:
        print(json.dumps({"awaited": waits.files}) if "--json" in sys.argv else waits)
        raise SystemExit(AWAITING_LIMIT) from None
    except UserError as error:
        raise SystemExit(_complain(str(error), 2, error)) from None
    except typer.TyperException as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        path = getattr(getattr(error, "ctx", None), "command_path", "longdoc")
        hint = (
            set_option.hint(sys.argv, path_of(sys.argv[1:]), getattr(error, "option_name", "")) or f"see {path} --help"
        )
        raise SystemExit(_complain(f"{message} ({hint})", 2)) from None
    except (KeyboardInterrupt, typer.Abort) as error:
        code = _stopped(resumes, error)
        if code == TERMINATED:
            _leave(code)
        raise SystemExit(code) from None
    except SystemExit as ended_value:
        if isinstance(ended_value.__context__, BrokenPipeError):  # as typer ends when `| head` has enough
            raise SystemExit(0) from None
        raise
    except OSError as error:
        if (problem := error_with_hint(error)) is None:
            raise
        text = "start the same command again to go on" if resumes else "start the command again"
        raise SystemExit(_complain(f"{problem}, then {text}", 2, error)) from None
    raise SystemExit(_stopped(resumes) if code == INTERRUPTED else code if isinstance(code, int) else 0)


def _options() -> dict[str, str]:
    """The options of the command that was typed, by the names of their arguments."""
    command: Any = command_line()
    for word in path_of(sys.argv[1:]).split():
        command = command.commands.get(word) if hasattr(command, "commands") else None
    return {} if command is None else flags.options_of(command)


def _log_to_stderr() -> None:
    """Show what longdoc logs where nobody sees a progress bar."""
    if not sys.stderr.isatty():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("longdoc: %(message)s"))
        logger = logging.getLogger("longdoc")
        logger.handlers[:] = [handler]
        logger.setLevel(logging.INFO)


def _stopped(resumes: bool, error: BaseException | None = None) -> int:
    text = "; start the same command again to go on" if resumes and not interruption_note.notes(error) else ""
    return _complain(f"stopped{text}", _exit_code(error), error)


def _leave(code: int) -> None:
    """End the process at once: at its usual end Python waits for threads that still split or encode a document.

    What `multiprocessing` has in the system is freed first, else a process of its own warns of it on the terminal.
    """
    if "multiprocessing.util" in sys.modules:
        sys.modules["multiprocessing.util"]._run_finalizers(0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _exit_code(error: BaseException | None) -> int:
    """The exit code of an interrupt, as shells have it for its signal; of one in typer's own code no error is left."""
    if error is None and signal.SIGTERM in _came_numbers:
        return TERMINATED
    while error is not None:
        if isinstance(error, interrupts.Terminated):
            return TERMINATED
        error = error.__cause__ or error.__context__
    return INTERRUPTED


def _complain(message: str, code: int, error: BaseException | None = None) -> int:
    """Print a message on one line, and below it what was kept of the work that an error ended."""
    for line in (flags.as_options(message, _options()), *interruption_note.notes(error)):
        note(line)
    return code
