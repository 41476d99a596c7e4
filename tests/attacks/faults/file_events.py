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
        there = path.exists()
        if not there:
            before(Event("create", path))
        elif "w" in mode:
            before(Event("truncate", path))
        super().__init__(path, mode)

    def write(self, data: Any) -> int:
        piece = bytes(data)
        at = os.fstat(self.fileno()).st_size if "a" in self.mode else self.tell()
        self._before(Event("write", self._path, piece, at))
        return super().write(piece)

    def truncate(self, size: int | None = None) -> int:
        self._before(Event("truncate", self._path, position=self.tell() if size is None else size))
        return super().truncate(size)


def _opening(folder: Path, before: Before, opened: Callable[..., Any]) -> Callable[..., Any]:
    def open_(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **rest: Any,
    ) -> Any:
        inside = not isinstance(file, int) and _is_inside(file, folder)
        if not inside or not set(mode) & set("wax+"):
            return opened(file, mode, buffering, encoding, errors, newline, **rest)
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

    def two(kind: Kind, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(source: Any, target: Any, **rest: Any) -> Any:
            if _is_inside(source, folder) or _is_inside(target, folder):
                before(Event(kind, _path(source), target=_path(target)))
            return real(source, target, **rest)

        return call

    def one(kind: Kind, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **named: Any) -> Any:
            at = named.get("dir_fd")
            full = path if at is None else Path(f"/proc/self/fd/{at}").readlink() / os.fsdecode(path)  # as rmtree does
            if not isinstance(path, int) and _is_inside(full, folder):
                before(Event(kind, _path(full)))
            return real(path, *rest, **named)

        return call

    def syncing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any) -> Any:
            path = Path(f"/proc/self/fd/{file if isinstance(file, int) else file.fileno()}").readlink()
            if _is_inside(path, folder):
                before(Event("sync", path))
            return real(file)

        return call

    opening = _opening(folder, before, io.open)
    replaced = {
        "rename": two("rename", os.rename),
        "replace": two("rename", os.replace),
        "link": two("link", os.link),
        "unlink": one("unlink", os.unlink),
        "remove": one("unlink", os.remove),
        "mkdir": one("mkdir", os.mkdir),
        "rmdir": one("rmdir", os.rmdir),
        "chmod": one("chmod", os.chmod),
        "fsync": syncing(os.fsync),
        "fdatasync": syncing(os.fdatasync),
    }
    with (
        mock.patch.multiple(os, **replaced),
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
