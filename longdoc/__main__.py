"""The command `longdoc`. The command line is in a higher layer, so it is imported by name."""

import io
import os
import signal
import sys
from importlib import import_module

from longdoc import own_packages
from longdoc.errors import UserError
from longdoc.interrupts import INTERRUPTED
from longdoc.messages import note
from longdoc.own_packages import find_ours_first, module_name


def main() -> None:
    """Run the command line. A `UserError` is one line on stderr and exit code 2."""
    _open_streams()
    own_packages.guard_child_processes()
    find_ours_first()
    try:
        import_module(module_name("pipelines.cli.main")).main()
    except UserError as error:
        note(error)
        raise SystemExit(2) from None
    except SystemExit as error:
        if error.code == INTERRUPTED:  # Python waits for threads, and a second Ctrl-C ends that
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        raise
    except KeyboardInterrupt:  # while the command line was still being imported
        raise SystemExit(INTERRUPTED) from None


class _Lasting(io.TextIOWrapper):
    """Standard error whose reader may go away (`2>&1 | head`): the command continues, and its messages are dropped."""

    def write(self, text: str) -> int:
        """Write the text, unless nobody reads it."""
        try:
            return super().write(text)
        except BrokenPipeError:
            self._end()
            return len(text)

    def flush(self) -> None:
        """Flush, unless nobody reads."""
        try:
            super().flush()
        except BrokenPipeError:
            self._end()

    def _end(self) -> None:
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self.fileno())
        os.close(null_device)


def _open_streams() -> None:
    """Open streams that the shell closed (`2>&-`) to nowhere, or the first file to be opened would get their output."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null_device = os.open(os.devnull, os.O_RDWR)
            if null_device != number:
                os.dup2(null_device, number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    if isinstance(sys.stderr, io.TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = _Lasting(sys.stderr.detach(), encoding, "backslashreplace", line_buffering=True)


if __name__ == "__main__":
    main()
