"""Locks of folders: one process at a time works in a folder, and no kill leaves a lock behind."""

from pathlib import Path
from typing import Any

NAME = ".lock"
LOOK = 1.0  # seconds to wait for a lock: who asks whether it is free holds it for an instant


def locked(folder: Path) -> Any:
    """The lock of a folder, acquired; `release` gives it back. None where another process has it."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / NAME, timeout=LOOK)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def is_locked(folder: Path) -> bool:
    """Whether a process has the lock of a folder; not where the folder cannot be written, since nobody has it there."""
    from filelock import FileLock, Timeout

    if not (folder / NAME).is_file():
        return False
    try:
        with FileLock(folder / NAME, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False
