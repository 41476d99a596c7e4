"""Files written atomically: a file has all of its new content or the old one, never half of it.

A power cut changes nothing of that. What a file holds is forced to the disk before it gets its name, and the name
before the function returns: of two files written one after the other, the second is never there without the first.
"""

import errno
import filecmp
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO

from longdoc.errors import UserError
from longdoc.locks import lock_file

# What systems say that cannot sync a folder, or do not let the user open one.
UNABLE = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS, errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR)


def write_whole(folder: Path, name: str, text: str) -> None:
    """Replace a file atomically: a temporary file is written beside it and renamed. An identical file is left alone."""
    path, data = folder / name, text.encode("utf-8", "surrogatepass")
    if not (path.is_file() and path.read_bytes() == data):
        write_pieces(folder, name, [data])


def write_pieces(folder: Path, name: str, pieces: Iterable[bytes], before: Callable[[], None] = lambda: None) -> None:
    """`write_whole` by pieces that are written as they come, so that few are in memory.

    `before` is called before another file is replaced. Of several processes that write one file each writes all of it,
    one after the other. Raises `UserError` where the folder takes no files, or another process has replaced it.
    """
    path = folder / name
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device or a pipe, which must not be replaced
        _write_device(path, pieces)
        return
    if path.is_symlink():  # what it leads to is written, and stays what others know it by
        path = path.resolve()
        folder, name = path.parent, path.name
    temporary = folder / _unfinished(name)
    with _alone(temporary, path) as file:
        try:
            file.writelines(pieces)
            sync(file)
            if path.is_file() and filecmp.cmp(path, temporary, shallow=False):
                temporary.unlink()
                return
            before()
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        try:
            temporary.replace(path)
        except FileNotFoundError:
            raise UserError(f"{folder} was replaced or removed while {name} was written: start it again") from None
    sync_folder(folder)


def _write_device(path: Path, pieces: Iterable[bytes]) -> None:
    """Write to a device or a pipe. Raises `UserError` for a pipe that nobody reads, where one would wait forever."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise UserError(f"{path} is a pipe or a socket that nobody reads: name another place") from None
    os.set_blocking(opened, True)
    with open(opened, "wb") as file:  # noqa: PTH123 of a descriptor
        file.writelines(pieces)


@contextmanager
def _alone(path: Path, final: Path) -> Iterator[BinaryIO]:
    """A new file that no other process writes meanwhile. Raises `UserError` where there can be none."""
    while True:
        try:
            opened = path.open("ab")
        except FileNotFoundError:  # the folder is gone, or takes no files, as /proc
            raise UserError(f"{final} cannot be written there: name another place") from None
        with opened as file:
            if not lock_file(file):
                continue  # the one that was locked has got its name, or is gone
            if os.fstat(file.fileno()).st_size:  # of a killed process
                file.truncate(0)
            yield file
            return


def sync(file: BinaryIO) -> None:
    """Force what was written to a file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk: those of new files, the new names of renamed ones, and removals.

    Where the file system cannot do that, it is left to it.
    """
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNABLE:
            raise
    finally:
        if descriptor is not None:
            os.close(descriptor)


def digest_of(file: Path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it."""
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


def differences(known: Any, fresh: Any, at: str = "") -> list[str]:
    """Where two nested mappings differ, each as `path: there X, now Y`."""
    if isinstance(known, Mapping) and isinstance(fresh, Mapping):
        keys = [*known, *(key for key in fresh if key not in known)]
        return [line for key in keys for line in differences(known.get(key), fresh.get(key), f"{at}.{key}".lstrip("."))]
    return [] if known == fresh else [f"{at}: there {json.dumps(known)}, now {json.dumps(fresh)}"]


WRITTEN = (".json", ".jsonl", ".html", ".md")  # suffixes of the files in a folder of ours


def clear_unfinished(folder: Path) -> None:
    """Delete temporary files that a killed process left; those that another one is writing stay."""
    for path in folder.glob(_unfinished("*")):
        if (folder / path.name.removeprefix(".").removesuffix(".tmp")).suffix in WRITTEN:
            with path.open("rb") as file:
                if lock_file(file, wait=False):
                    path.unlink(missing_ok=True)


def _unfinished(name: str) -> str:
    """The name of a file that is being written."""
    return f".{name}.tmp"
