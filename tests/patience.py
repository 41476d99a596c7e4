"""How long tests wait: for what happens, never for so many seconds; on a machine that is busy it takes longer.

LONGDOC_PATIENCE sets after how many seconds a test gives up on a process or a server.
"""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

SECONDS = int(os.environ.get("LONGDOC_PATIENCE", "300"))


def until(happened: Callable[[], object], what: str) -> None:
    """Wait until `happened()` is true; the test fails, and says `what` it waited for, where it is not in SECONDS."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, f"after {SECONDS} s (LONGDOC_PATIENCE) still not: {what}"
        time.sleep(0.01)


def state(process: int) -> str:
    """The letter of a process's state: R where it runs, S where it waits, Z where it has ended; "" where it is gone."""
    status = Path(f"/proc/{process}/stat")
    if Path("/proc/self/stat").exists():
        try:
            return status.read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return ""
    told = subprocess.run(["ps", "-o", "state=", "-p", str(process)], capture_output=True, text=True, check=False)
    return told.stdout.strip()[:1]
