"""The command `longdoc`. The command line is in a higher layer, so it is imported by name."""

import io
import os
import signal
import sys
from importlib import import_module

from longdoc import child_processes
from longdoc.errors import UserError
from longdoc.interrupts import INTERRUPTED
from longdoc.layout import module_name
from longdoc.shadow import find_ours_first
from longdoc.visible import note


def main() -> None:
    """Run the command line; an error the user can fix is one line on stderr and exit code 2."""
    _open_streams()
    child_processes.guard()
    find_ours_first()
    try:
        import_module(module_name("pipelines.cli.main")).main()
    except UserError as error:
        note(error)
        raise SystemExit(2) from None
    except SystemExit as ended_value:
        if ended_value.code == INTERRUPTED:  # Python waits for threads, and a second Ctrl-C ends that
            signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
        raise
    except KeyboardInterrupt:  # while the command line was still being imported
        raise SystemExit(INTERRUPTED) from None


class _Lasting(io.TextIOWrapper):
    """Standard error whose reader may go away (`2>&1 | head`): the work goes on, and what it says goes nowhere."""

    def write(self, text: str) -> int:
        """Write, as far as anybody reads."""
        try:
            return super().write(text)
        except BrokenPipeError:
            self._end()
            return len(text)

    def flush(self) -> None:
        """Flush, as far as anybody reads."""
        try:
            super().flush()
        except BrokenPipeError:
            self._end()

    def _end(self) -> None:
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self.fileno())
        os.close(null_device)


def _open_streams() -> None:
    """Open streams that the shell has closed (`2>&-`) to nowhere: else the first file that is opened is written to."""
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
