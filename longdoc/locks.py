"""Locks of folders and files: one process at a time works in a folder, and no kill leaves a lock behind."""

import os
from pathlib import Path
from typing import Any, BinaryIO

from longdoc.links import refuse_link

NAME = ".lock"
LOOK = 1.0  # seconds to wait for a lock: who asks whether it is free holds it for an instant


def locked(folder: Path) -> Any:
    """The lock of a folder, acquired; `release` gives it back. None where another process has it.

    Raises `UserError` where the lock's file is a link.
    """
    from filelock import FileLock, Timeout

    refuse_link(folder / NAME)
    lock = FileLock(folder / NAME, timeout=LOOK)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def is_locked(folder: Path) -> bool:
    """Whether a process has the lock of a folder; not where the folder cannot be written, since nobody has it there.

    Nor where the lock's file is a link, through which no lock is taken.
    """
    from filelock import FileLock, Timeout

    if (folder / NAME).is_symlink() or not (folder / NAME).is_file():
        return False
    try:
        with FileLock(folder / NAME, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def lock_file(file: BinaryIO) -> bool:
    """Lock an open file until it is closed. False where another process has it, or has renamed or removed it."""
    from filelock import lock_descriptor

    try:
        if not lock_descriptor(file.fileno(), blocking=False):
            return False
    except OSError:  # a file system without locks
        return True
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(file.name))
    except FileNotFoundError:
        return False
