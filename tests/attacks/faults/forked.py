"""Trials in a copy of this process: what was imported is there, and whatever a trial breaks is gone with it."""

import os
import pickle
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

from longdoc.errors import UserError

_SHARED = Path("/dev/shm")  # noqa: S108  (its folders are made for the user alone)
MEMORY = _SHARED if _SHARED.is_dir() else None  # where folders are in memory, so that nothing waits for a disk
FAILED = 70  # exit code of a trial whose value could not be told


def warm_up(work: Callable[[], Any]) -> None:
    """Do `work` once in this process, in a folder of its own: the copies then need not import what it imports."""
    before = Path.cwd()
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, LONGDOC_CACHE=folder),
        mock.patch.object(sys, "argv", sys.argv),
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()),
    ):
        os.chdir(folder)
        try:
            work()
        except SystemExit as exit_:
            if exit_.code not in (0, 3):
                raise
        finally:
            os.chdir(before)


@dataclass(frozen=True)
class Trial:
    """How a trial ended: its value, or the error (its class, its message, its traceback) and what it printed."""

    value: Any = None
    refused: str = ""  # the message of a `UserError`
    error: str = ""  # the traceback of any other
    code: int = 0
    printed: str = ""


@dataclass
class Child:
    """A trial that goes on."""

    pid: int
    result_file: Path
    printed: Path
    _status: int | None = None

    def ended(self) -> bool:
        """Whether it has ended."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None

    def wait(self) -> Trial:
        """Wait for its end."""
        if self._status is None:
            _, self._status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(self._status)
        printed = self.printed.read_text(encoding="utf-8", errors="replace") if self.printed.exists() else ""
        result = (
            pickle.loads(self.result_file.read_bytes()) if self.result_file.exists() and code == 0 else {"code": code}
        )
        for file in (self.result_file, self.printed):
            file.unlink(missing_ok=True)
        return Trial(**result, printed=printed)


def start(work: Callable[[], Any], folder: Path) -> Child:
    """Begin to run `work` in a copy of this process, whose working directory is `folder`."""
    result_file, printed_file = folder.with_name(f"{folder.name}.told"), folder.with_name(f"{folder.name}.printed")
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            code = _in_child(work, folder, result_file, printed_file)
        finally:
            os._exit(code)
    return Child(child, result_file, printed_file)


def trial(work: Callable[[], Any], folder: Path) -> Trial:
    """Run `work` in a copy of this process, whose working directory is `folder`."""
    return start(work, folder).wait()


def _in_child(work: Callable[[], Any], folder: Path, result_file: Path, printed_file: Path) -> int:
    os.chdir(folder)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # Ray, where an earlier test used it, has one of its own
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with printed_file.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    result: dict[str, Any]
    try:
        result = {"value": work()}
    except UserError as error:
        result = {"refused": str(error)}
    except SystemExit as exit_:
        result = {"code": exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)}
    except BaseException:
        result = {"error": traceback.format_exc()}
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    result_file.write_bytes(pickle.dumps(result))
    return 0
