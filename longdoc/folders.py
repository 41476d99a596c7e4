"""Paths that users give: names of output folders are checked before any work is done."""

import errno
import os
from pathlib import Path

from longdoc.errors import UserError
from longdoc.files import sync_folder

LONGEST = 255  # bytes of one name on the usual file systems
MAX_SHOWN = 100
LACKING_NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)  # space or permissions


def output_folder(out: str | Path) -> Path:
    """The path of a folder to write into. Raises `UserError` for an impossible name, and for one inside a file."""
    path = Path(out)
    if any(len(os.fsencode(part)) > LONGEST for part in path.parts):
        raise _refused_error(path, f"a name in it has more than {LONGEST} bytes")
    if "\0" in str(path):
        raise _refused_error(path, "a name in it has a zero byte")
    for ancestor in (path, *path.parents):
        try:
            ancestor.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:  # too long as a whole, a loop of links
            raise _refused_error(path, error.strerror or str(error)) from None
        if ancestor != path and not ancestor.is_dir():
            raise _refused_error(path, f"{ancestor.name} is a file")
        break
    return path


def is_folder(name: str) -> bool:
    """Whether there is a folder of that name; not for a name that none can have, where `Path.is_dir` raises."""
    return os.path.isdir(name)  # noqa: PTH112


def is_file(path: Path) -> bool:
    """The same for a file."""
    return os.path.isfile(path)  # noqa: PTH113


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with the home folder for a `~` at its beginning. Raises `UserError` for the home of nobody."""
    try:
        return Path(path).expanduser()
    except (RuntimeError, ValueError):  # no such user, or a name that none can have
        raise UserError(f"{str(path)[:MAX_SHOWN]!r} is in the home folder of nobody here: write the path out") from None


def make_folder(path: Path) -> Path:
    """Make the folder and its parents, on the disk too. Raises `UserError` where that is impossible, as below /proc."""
    paths = [path for path in (path, *path.parents) if not path.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        for one_path in reversed(paths):
            sync_folder(one_path.parent)
    except OSError as error:
        if error.errno in LACKING_NUMBERS:
            raise  # the name is not the problem
        raise _refused_error(path, error.strerror or str(error)) from None
    return path


def _refused_error(path: Path, problem: str) -> UserError:
    shown_text = str(path) if len(str(path)) <= MAX_SHOWN else f"{str(path)[:MAX_SHOWN]}…"
    return UserError(f"out={shown_text!r} cannot be a folder ({problem}): name another one")
