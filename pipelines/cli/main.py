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
from longdoc.errors import RepliesAwaited, UserError, error_with_hint
from longdoc.interrupts import INTERRUPTED, TERMINATED
from longdoc.messages import note
from pipelines.cli.commands import commands, groups, path_of
from pipelines.cli.completion import offer
from pipelines.cli.shared import flags, help, set_option
from pipelines.cli.shared.shared_options import with_shared_options
from pipelines.engine import interruption_note

AWAITING = 3  # exit code of a run that waits for the replies to its batch files
RESUMING = {"run", "rerun", "ablate", "versus", "train", "data index"}

_received_signals: set[int] = set()  # since the command began

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
    """The command with `KeyboardInterrupt` turned into `Abort`, which keeps its notes; typer would drop them."""

    @functools.wraps(command)
    def interruptible(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt as error:
            raise typer.Abort from error

    return interruptible


def _add(group: typer.Typer, name: str, command: Callable[..., None]) -> None:
    if help.passes_unknown(command):
        group.command(name, cls=help.PassingCommand)(_interruptible(offer(command)))
    else:
        group.command(name, cls=help.Command)(_interruptible(offer(with_shared_options(command))))


for name, command in commands().items():
    _add(app, name, command)
for word, group in groups().items():
    typer_group = typer.Typer(cls=help.SubGroup, help=group.help, rich_markup_mode=None)
    for name, command in group.commands.items():
        _add(typer_group, name, command)
    app.add_typer(typer_group, name=word)


@functools.cache
def command_line() -> Any:
    """All commands with their options; made once, as typer is slow to read the types of all arguments."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line. A `UserError` is one line on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):  # characters missing from the terminal's encoding
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    _log_to_stderr()
    token = interruption_note.typed_command.set(shlex.join(["longdoc", *sys.argv[1:]]))
    try:
        with _terminable():
            _run()
    finally:
        interrupts.at_end.close()
        interruption_note.typed_command.reset(token)  # a program may call this function and go on


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, with which batch systems end a job, end the command as Ctrl-C does."""
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    process = os.getpid()
    _received_signals.clear()

    def end(number: int, frame: object) -> None:
        if os.getpid() == process:
            _received_signals.add(number)
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
    """Run the command that was typed, and exit with its code."""
    resumes = path_of(sys.argv[1:]) in RESUMING
    try:
        code = command_line()(prog_name="longdoc", standalone_mode=False)
    except RepliesAwaited as awaited:
        print(json.dumps({"awaited": awaited.files}) if "--json" in sys.argv else awaited)
        raise SystemExit(AWAITING) from None
    except UserError as error:
        raise SystemExit(_complain(str(error), 2, error)) from None
    except typer.TyperException as error:
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        path = getattr(getattr(error, "ctx", None), "command_path", "longdoc")
        hint = set_option.hint(sys.argv, path_of(sys.argv[1:]), getattr(error, "option_name", ""))
        if hint:  # better than the options whose names look alike
            message = message.partition(" (Possible options")[0]
        raise SystemExit(_complain(f"{message} ({hint or f'see {path} --help'})", 2)) from None
    except (KeyboardInterrupt, typer.Abort) as error:
        code = _stopped(resumes, error)
        if code == TERMINATED:
            _leave(code)
        raise SystemExit(code) from None
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # as typer ends when `| head` has enough
            raise SystemExit(0) from None
        raise
    except OSError as error:
        if (problem := error_with_hint(error)) is None:
            raise
        remedy = "start the same command again to continue" if resumes else "start the command again"
        raise SystemExit(_complain(f"{problem}, then {remedy}", 2, error)) from None
    raise SystemExit(_stopped(resumes) if code == INTERRUPTED else code if isinstance(code, int) else 0)


def _options() -> dict[str, str]:
    """The flags of the command that was typed, by the names of their arguments: `metrics` → `--metric`."""
    command: Any = command_line()
    for word in path_of(sys.argv[1:]).split():
        command = command.commands.get(word) if hasattr(command, "commands") else None
    return {} if command is None else flags.options_of(command)


def _log_to_stderr() -> None:
    """Show longdoc's log lines where stderr is not a terminal, which has progress bars instead."""
    if not sys.stderr.isatty():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("longdoc: %(message)s"))
        logger = logging.getLogger("longdoc")
        logger.handlers[:] = [handler]
        logger.setLevel(logging.INFO)


def _stopped(resumes: bool, error: BaseException | None = None) -> int:
    """Say that the command was stopped, and return its exit code."""
    hint = "; start the same command again to continue" if resumes and not interruption_note.notes(error) else ""
    return _complain(f"stopped{hint}", _exit_code(error), error)


def _leave(code: int) -> None:
    """End the process at once: at a normal exit Python would wait for threads that still split or encode a document.

    Resources of `multiprocessing` are freed first; its own process would warn of them on the terminal.
    """
    if "multiprocessing.util" in sys.modules:
        sys.modules["multiprocessing.util"]._run_finalizers(0)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _exit_code(error: BaseException | None) -> int:
    """The exit code that shells use for the signal behind an error; typer may have dropped the error."""
    if error is None and signal.SIGTERM in _received_signals:
        return TERMINATED
    while error is not None:
        if isinstance(error, interrupts.Terminated):
            return TERMINATED
        error = error.__cause__ or error.__context__
    return INTERRUPTED


def _complain(message: str, code: int, error: BaseException | None = None) -> int:
    """Print a message on one line, then the error's notes on work that was saved, and return the exit code."""
    for line in (flags.as_options(message, _options()), *interruption_note.notes(error)):
        note(line)
    return code
