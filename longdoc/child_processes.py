"""What the processes that this one starts may import: as little of the working folder as this one.

`python -c`, with which `multiprocessing` starts its processes, searches the working folder first: a `threading.py`
among the user's data would run there. With PYTHONSAFEPATH (Python's own variable, `-P`) it does not, nor do the
processes that those start. Our own packages come by the search path that a process hands to those it starts.
"""

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager

from longdoc.layout import HOME, IN_WHEEL

VARIABLE = "PYTHONSAFEPATH"


def guard() -> None:
    """For a program of ours: no process that it starts, nor any that those start, searches the working folder."""
    os.environ[VARIABLE] = "1"


@contextmanager
def guarded() -> Iterator[None]:
    """Likewise for the processes that are started while the block runs, in a program of others."""
    before = os.environ.get(VARIABLE)
    guard()
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


@contextmanager
def guarded_elsewhere() -> Iterator[None]:
    """Likewise, and the working folder is the one that our packages are found in, while the block runs.

    For Ray, which puts the working folder first in its processes, whatever their environment says.
    """
    with guarded(), chdir(HOME.parent if IN_WHEEL else HOME):
        yield
