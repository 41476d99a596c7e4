"""Writing files and folders: atomically, under checked names, by one process at a time.

A file has all of its new content or the old one, never half of it, even after a power cut. Its content is forced to
the disk before it gets its name, and the name before the function returns: of two files written one after the other,
the second never exists without the first. Only one process at a time works in a locked folder, and a killed process
leaves no lock behind.
"""

import errno
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from longdoc.errors import UserError
from longdoc.links import new_file, refuse_link

# Errors of systems that cannot sync a folder, or do not let the user open one.
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
    """`write_whole` for pieces, which are written as they come, so that few are in memory.

    `before` is called before a file is replaced. If several processes write one file, the last one wins. `is_typed`:
    the user typed this very path, which may be a link; its target is written. Raises `UserError` for any other link,
    for a folder that takes no files, and if another process has replaced the folder.
    """
    import filecmp

    path = folder / name
    if not is_typed:
        refuse_link(path)
    if path.exists() and not (path.is_file() or path.is_dir()):  # a device or a pipe, which must not be replaced
        _write_device(path, pieces)
        return
    if path.is_symlink():  # its target is written, and the link stays
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
    """Write to a device or a pipe. Raises `UserError` for a pipe that nobody reads, which would block forever.

    POSIX alone: Windows has no such files, and no `O_NONBLOCK`.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise UserError(f"{path} is a pipe or a socket that nobody reads: name another place") from None
    os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as file:  # noqa: PTH123 of a descriptor
        file.writelines(pieces)


@contextmanager
def unfinished(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path`, to be renamed to it within the block; if it was not, it is removed at the end.

    Its name is random (`.scores.json.1f0c82d97a3b5e46.tmp`), so that nobody can put something in its place, and it is
    locked while it is written (`clear_unfinished`). POSIX alone: it is renamed while it is open. Raises `UserError` if
    it cannot be made.
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
    """A new file as for `unfinished`; the caller closes it, and renames or removes it."""
    while True:
        try:
            file = new_file(path.with_name(f".{path.name}.{os.urandom(RANDOM).hex()}{UNFINISHED}"))
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

    Does nothing if the file system cannot do that.
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
    from hashlib import file_digest

    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def differences(old: Any, new: Any, location: str = "") -> list[str]:
    """The differences of two nested mappings, each as `path: there X, now Y`."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = [*old, *(key for key in new if key not in old)]
        return [
            line for key in keys for line in differences(old.get(key), new.get(key), f"{location}.{key}".lstrip("."))
        ]
    return [] if old == new else [f"{location}: there {json.dumps(old)}, now {json.dumps(new)}"]


RANDOM = 8  # bytes
UNFINISHED = ".tmp"
_UNFINISHED = re.compile(r"\.(.+?)\.[0-9a-f]{16}\.tmp")
SUFFIXES = (
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
    """Delete temporary files that a killed process left, but not those being written, nor links."""
    for path in folder.iterdir():
        name = finished_name(path.name)
        if name is not None and Path(name).suffix in SUFFIXES and not path.is_symlink():
            with suppress(FileNotFoundError), path.open("rb") as file:  # its writer may end meanwhile
                if lock_file(file):
                    path.unlink()


def finished_name(name: str) -> str | None:
    """The final name of a temporary file (`.scores.json.1f0c82d97a3b5e46.tmp`); None for any other file."""
    match = _UNFINISHED.fullmatch(name)
    return None if match is None else match[1]


LONGEST_NAME = 255  # bytes of one name on the usual file systems
MAX_SHOWN = 100
SPACE_AND_RIGHTS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


def output_folder(out: str | Path) -> Path:
    """The path of a folder to write into. Raises `UserError` for an impossible name, and for a path inside a file."""
    if not isinstance(out, str | os.PathLike):
        raise UserError(f"out must be the path of a folder, got {out!r}")
    path = Path(out)
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in path.parts):
        raise _refused_error(path, f"a name in it has more than {LONGEST_NAME} bytes")
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
    """Whether there is such a folder; False for impossible names, for which `Path.is_dir` raises."""
    return os.path.isdir(name)  # noqa: PTH112


def is_file(path: Path) -> bool:
    """Whether there is such a file; False for impossible names, for which `Path.is_file` raises."""
    return os.path.isfile(path)  # noqa: PTH113


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with a `~` at its beginning expanded. Raises `UserError` if there is no such home folder."""
    try:
        return Path(path).expanduser()
    except (RuntimeError, ValueError):  # no such user, or a name that none can have
        raise UserError(
            f"{str(path)[:MAX_SHOWN]!r} names a home folder that does not exist here: write the path out"
        ) from None


def make_folder(path: Path) -> Path:
    """Make the folder and its parents, and sync them. Raises `UserError` if that is impossible, as below /proc."""
    paths = [path for path in (path, *path.parents) if not path.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        for new_path in reversed(paths):
            sync_folder(new_path.parent)
    except OSError as error:
        if error.errno in SPACE_AND_RIGHTS:
            raise  # the name is not the problem
        raise _refused_error(path, error.strerror or str(error)) from None
    return path


def _refused_error(path: Path, problem: str) -> UserError:
    shown_path = str(path) if len(str(path)) <= MAX_SHOWN else f"{str(path)[:MAX_SHOWN]}…"
    return UserError(f"out={shown_path!r} cannot be a folder ({problem}): name another one")


LOCK_NAME = ".lock"
LOCK_WAIT = 1.0  # seconds to wait for a lock, which `is_locked` of another process holds for an instant


def locked(folder: Path) -> Any:
    """Lock a folder, and return the lock, which `release` gives back; None if another process has it.

    Raises `UserError` if the lock's file is a link.
    """
    from filelock import FileLock, Timeout

    refuse_link(folder / LOCK_NAME)
    lock = FileLock(folder / LOCK_NAME, timeout=LOCK_WAIT)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def is_locked(folder: Path) -> bool:
    """Whether a process has the lock of a folder.

    False if the folder cannot be written or the lock's file is a link, as nobody can lock such a folder.
    """
    from filelock import FileLock, Timeout

    if (folder / LOCK_NAME).is_symlink() or not (folder / LOCK_NAME).is_file():
        return False
    try:
        with FileLock(folder / LOCK_NAME, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def lock_file(file: BinaryIO) -> bool:
    """Lock an open file until it is closed. False if another process has locked, renamed or removed it."""
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
