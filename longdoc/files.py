"""Files written atomically: a file has all of its new content or the old one, never half of it.

A power cut changes nothing of that. What a file holds is forced to the disk before it gets its name, and the name
before the function returns: of two files written one after the other, the second is never there without the first.
"""

import errno
import filecmp
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from longdoc.errors import UserError
from longdoc.links import new_file, refuse_link
from longdoc.locks import lock_file

# What systems say that cannot sync a folder, or do not let the user open one.
UNABLE = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS, errno.EACCES, errno.EPERM, errno.EROFS, errno.EISDIR)


def write_whole(folder: Path, name: str, text: str, is_typed: bool = False) -> None:
    """Replace a file atomically: a temporary file is written beside it and renamed. An identical file is left alone.

    `is_typed`: as for `write_pieces`.
    """
    path, data = folder / name, text.encode("utf-8", "surrogatepass")
    if not is_typed:
        refuse_link(path)
    if not (path.is_file() and path.read_bytes() == data):
        write_pieces(folder, name, [data], is_typed=is_typed)


def write_pieces(
    folder: Path,
    name: str,
    pieces: Iterable[bytes],
    before: Callable[[], None] = lambda: None,
    is_typed: bool = False,
) -> None:
    """`write_whole` by pieces that are written as they come, so that few are in memory.

    `before` is called before another file is replaced. Of several processes that write one file each writes all of it,
    and the one that ends last stays. `is_typed`: the user typed this very path, which may be a link: what it leads to
    is written. Raises `UserError` for any other link, where the folder takes no files, and where another process has
    replaced it.
    """
    path = folder / name
    if not is_typed:
        refuse_link(path)
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device or a pipe, which must not be replaced
        _write_device(path, pieces)
        return
    if path.is_symlink():  # what it leads to is written, and stays what others know it by
        path = path.resolve()
        folder, name = path.parent, path.name
    with unfinished(path) as file:
        temporary = Path(file.name)
        file.writelines(pieces)
        sync(file)
        if path.is_file() and filecmp.cmp(path, temporary, shallow=False):
            return
        before()
        try:
            temporary.replace(path)
        except FileNotFoundError:
            raise UserError(f"{folder} was replaced or removed while {name} was written: start it again") from None
    sync_folder(folder)


def _write_device(path: Path, pieces: Iterable[bytes]) -> None:
    """Write to a device or a pipe. Raises `UserError` for a pipe that nobody reads, where one would wait forever.

    POSIX alone: Windows has no such files, and no `O_NONBLOCK`.
    """
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
def unfinished(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path`, to be renamed to it within the block; what is left of it at the end is removed.

    Its name is random (`.scores.json.1f0c82d97a3b5e46.tmp`), so that nobody can put something in its place, and it is
    locked while it is written (`clear_unfinished`). POSIX alone: it is renamed while it is open. Raises `UserError`
    where there can be none.
    """
    file = new_unfinished(path)
    temporary = Path(file.name)
    try:
        with file:
            yield file
    finally:
        if temporary.exists():  # it was not renamed
            temporary.unlink(missing_ok=True)


def new_unfinished(path: Path) -> BinaryIO:
    """The file of `unfinished`, which the caller closes, and renames or removes."""
    while True:
        try:
            file = new_file(path.with_name(f".{path.name}.{token_hex(RANDOM)}{UNFINISHED}"))
        except FileNotFoundError:  # the folder is gone, or takes no files, as /proc
            raise UserError(f"{path} cannot be written there: name another place") from None
        if lock_file(file):
            return file
        file.close()  # `clear_unfinished` of another process had it first


def sync(file: BinaryIO) -> None:
    """Force what was written to a file to the disk; on macOS to the drive, which may still have it in its cache."""
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


def differences(known_value: Any, fresh_value: Any, location: str = "") -> list[str]:
    """Where two nested mappings differ, each as `path: there X, now Y`."""
    if isinstance(known_value, Mapping) and isinstance(fresh_value, Mapping):
        keys = [*known_value, *(key for key in fresh_value if key not in known_value)]
        return [
            line
            for key in keys
            for line in differences(known_value.get(key), fresh_value.get(key), f"{location}.{key}".lstrip("."))
        ]
    return (
        []
        if known_value == fresh_value
        else [f"{location}: there {json.dumps(known_value)}, now {json.dumps(fresh_value)}"]
    )


RANDOM = 8  # bytes
UNFINISHED = ".tmp"
_UNFINISHED = re.compile(r"\.(.+?)\.[0-9a-f]{16}\.tmp")
WRITTEN_NAMES = (
    ".json",
    ".jsonl",
    ".html",
    ".md",
    ".csv",
    ".svg",
    ".skops",
    ".zip",
)  # suffixes of the files in a folder of ours


def clear_unfinished(folder: Path) -> None:
    """Delete temporary files that a killed process left; those that another one is writing stay, and so do links."""
    for path in folder.iterdir():
        name = finished_name(path.name)
        if name is not None and Path(name).suffix in WRITTEN_NAMES and not path.is_symlink():
            with path.open("rb") as file:
                if lock_file(file):
                    path.unlink(missing_ok=True)


def finished_name(name: str) -> str | None:
    """The name that a temporary file would have got (`.scores.json.1f0c82d97a3b5e46.tmp`); None for any other file."""
    match = _UNFINISHED.fullmatch(name)
    return None if match is None else match[1]
