"""What a program does to the files of a folder, event by event: the moments at which faults are put.

`watched` replaces Python's own functions, so it sees what Python code does in this process, at the level of the system
calls: a buffered file's write is an event when its buffer is emptied. SQLite and numpy's `tofile` write past it.
"""

import builtins
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from unittest import mock

Kind = Literal["create", "truncate", "write", "sync", "rename", "link", "unlink", "mkdir", "rmdir", "chmod"]


@dataclass(frozen=True)
class Event:
    """What is about to happen to `path`: `data` at `position` for a write, `target` for a rename or link."""

    kind: Kind
    path: Path
    data: bytes = b""
    position: int = 0
    target: Path | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.path.name}" + (f" to {self.target.name}" if self.target else "")


Before = Callable[[Event], None]


class _Raw(io.FileIO):
    """A file whose writes are events; one that the watcher ends in the middle writes what it says first."""

    def __init__(self, path: Path, mode: str, before: Before) -> None:
        self._path, self._before = path, before
        exists = path.exists()
        if not exists:
            before(Event("create", path))
        elif "w" in mode:
            before(Event("truncate", path))
        super().__init__(path, mode)

    def write(self, data: Any) -> int:
        content = bytes(data)
        position = os.fstat(self.fileno()).st_size if "a" in self.mode else self.tell()
        self._before(Event("write", self._path, content, position))
        return super().write(content)

    def truncate(self, size: int | None = None) -> int:
        self._before(Event("truncate", self._path, position=self.tell() if size is None else size))
        return super().truncate(size)


def _opening(folder: Path, before: Before, real: Callable[..., Any]) -> Callable[..., Any]:
    def open_(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **options: Any,
    ) -> Any:
        is_watched = not isinstance(file, int) and _is_inside(file, folder)
        if not is_watched or not set(mode) & set("wax+"):
            return real(file, mode, buffering, encoding, errors, newline, **options)
        raw = _Raw(_path(file), mode.replace("t", "").replace("b", ""), before)
        if buffering == 0:
            return raw
        binary: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return binary if "b" in mode else io.TextIOWrapper(binary, encoding, errors, newline)

    return open_


@contextmanager
def watched(folder: Path, before: Before) -> Iterator[None]:
    """Call `before` with each event below `folder`, before it happens. What it raises is raised there."""
    folder = folder.absolute()

    def with_two_paths(kind: Kind, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(source: Any, target: Any, **rest: Any) -> Any:
            if _is_inside(source, folder) or _is_inside(target, folder):
                before(Event(kind, _path(source), target=_path(target)))
            return real(source, target, **rest)

        return call

    def with_one_path(kind: Kind, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **named: Any) -> Any:
            dir_fd = named.get("dir_fd")
            # a path in an open folder is named so by rmtree
            full_path = path if dir_fd is None else Path(f"/proc/self/fd/{dir_fd}").readlink() / os.fsdecode(path)
            if not isinstance(path, int) and _is_inside(full_path, folder):
                before(Event(kind, _path(full_path)))
            return real(path, *rest, **named)

        return call

    def with_sync(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any) -> Any:
            path = Path(f"/proc/self/fd/{file if isinstance(file, int) else file.fileno()}").readlink()
            if _is_inside(path, folder):
                before(Event("sync", path))
            return real(file)

        return call

    opening = _opening(folder, before, io.open)
    replacements = {
        "rename": with_two_paths("rename", os.rename),
        "replace": with_two_paths("rename", os.replace),
        "link": with_two_paths("link", os.link),
        "unlink": with_one_path("unlink", os.unlink),
        "remove": with_one_path("unlink", os.remove),
        "mkdir": with_one_path("mkdir", os.mkdir),
        "rmdir": with_one_path("rmdir", os.rmdir),
        "chmod": with_one_path("chmod", os.chmod),
        "fsync": with_sync(os.fsync),
        "fdatasync": with_sync(os.fdatasync),
    }
    with (
        mock.patch.multiple(os, **replacements),
        mock.patch.object(io, "open", opening),
        mock.patch.object(builtins, "open", opening),
    ):
        yield


def _path(path: Any) -> Path:
    return Path(os.fsdecode(path)).absolute()


def _is_inside(path: Any, folder: Path) -> bool:
    try:
        return _path(path).is_relative_to(folder)
    except (TypeError, ValueError):
        return False
