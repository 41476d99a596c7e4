"""What is kept when a run breaks off, and how it goes on: a note on the error, which is the last that is printed of it.

Python prints the notes of an error (PEP 678) after its traceback; the command line prints them after its one line.
"""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

typed_command: ContextVar[str] = ContextVar("typed", default="")  # the command line, where there is one

STOPPED = "stopped: "  # how the error of a run begins that sends no more requests


@contextmanager
def noting_errors(kept_function: Callable[[], str]) -> Iterator[None]:
    """Add what `kept_function` says, if anything, to an error (or an interrupt) that leaves the block."""
    try:
        yield
    except BaseException as error:
        if line := kept_function():
            error.add_note(line)
        raise


def command_to_resume(function: str, task: str, folder: Path, stopped: bool = False) -> str:
    """How to go on: the command that was typed, or the call. `longdoc.run('qa', …, out='runs/x')`.

    `task` may be several names with spaces between. Where sending was `stopped`, the same command would stop again.
    """
    named_names = task.split() if " " in task else task
    if command := typed_command.get():
        return f"go on with: {command}{' --go-on' if stopped else ''}"
    return f"go on with: longdoc.{function}({named_names!r}, …, out={str(folder)!r}{', go_on=True' if stopped else ''})"


def without_page(description: str, folder: Path) -> str:
    """What is kept where only the page of a finished run or ablation could not be written, and the command for it."""
    return f"kept: the {description} is finished; only its page is missing: longdoc report {shlex.quote(str(folder))}"


def notes(error: BaseException | None) -> list[str]:
    """The notes on an error and on those that it was raised from."""
    names: list[str] = []
    while error is not None:
        names += getattr(error, "__notes__", [])
        error = error.__cause__ or error.__context__
    return list(dict.fromkeys(names))
