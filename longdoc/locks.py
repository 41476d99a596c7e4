"""Locks of folders: one process at a time works in a folder, and no kill leaves a lock behind."""

import fcntl
import os
from pathlib import Path
from typing import Any, BinaryIO

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


def lock_file(file: BinaryIO, wait: bool = True) -> bool:
    """Lock an open file until it is closed. False where another process has it, or has renamed or removed it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    try:
        return os.path.samestat(os.fstat(file.fileno()), Path(file.name).stat())
    except FileNotFoundError:
        return False
