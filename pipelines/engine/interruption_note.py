"""Notes on the error of a run that breaks off: what is kept, and the command that resumes it.

Python prints the notes of an error (PEP 678) after its traceback; the command line prints them after its one line.
"""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

typed_command: ContextVar[str] = ContextVar("typed", default="")  # the command line, where there is one

STOPPED = "stopped: "  # the beginning of the error of a run that sends no more requests


@contextmanager
def noting_errors(describe: Callable[[], str]) -> Iterator[None]:
    """Add the note that `describe` returns, unless it is empty, to an error or an interrupt that leaves the block."""
    try:
        yield
    except BaseException as error:
        if note := describe():
            error.add_note(note)
        raise


def command_to_resume(function: str, task: str, folder: Path, stopped: bool = False) -> str:
    """How to go on: the command that was typed, or the call, as in `longdoc.run('qa', …, out='runs/x')`.

    `task` may be several names with spaces between. Where sending was `stopped`, the same command would stop again.
    """
    tasks = task.split() if " " in task else task
    if command := typed_command.get():
        return f"to continue: {command}{' --go-on' if stopped else ''}"
    return f"to continue: longdoc.{function}({tasks!r}, …, out={str(folder)!r}{', go_on=True' if stopped else ''})"


def missing_page_note(description: str, folder: Path) -> str:
    """The note for a finished run or ablation whose page could not be written, with the command that writes it."""
    return f"kept: the {description} is finished; only its page is missing: longdoc report {shlex.quote(str(folder))}"


def notes(error: BaseException | None) -> list[str]:
    """The notes on an error and on those that it was raised from."""
    lines: list[str] = []
    while error is not None:
        lines += getattr(error, "__notes__", [])
        error = error.__cause__ or error.__context__
    return list(dict.fromkeys(lines))
