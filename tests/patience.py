"""Waiting in tests: for an event and never for a fixed time, since a busy machine is slower.

LONGDOC_PATIENCE is the number of seconds after which a test gives up on a process or a server.
"""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = int(os.environ.get("LONGDOC_PATIENCE", "300"))


def until(happened: Callable[[], object], what: str) -> None:
    """Wait until `happened()` is true. After SECONDS, fail with `what` the test waited for."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, f"after {SECONDS} s (LONGDOC_PATIENCE) still not: {what}"
        time.sleep(0.01)


def state(process: int) -> str:
    """The letter of a process's state: R running, S waiting, Z ended; "" if there is no such process."""
    status = Path(f"/proc/{process}/stat")
    if Path("/proc/self/stat").exists():
        try:
            return status.read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return ""
    ps = subprocess.run(["ps", "-o", "state=", "-p", str(process)], capture_output=True, text=True, check=False)
    return ps.stdout.strip()[:1]
