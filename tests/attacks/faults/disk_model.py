"""A disk that loses power: what POSIX lets be on it after a cut, given the events of `file_events` before it.

What `fsync` of a file forced is there. Data written since may be lost, partly there, or zeros (the file grew, its
blocks were not written). Names made, renamed or removed since the last `fsync` of their folder may be done or not: in
their order within one folder, in any order between folders.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from tests.attacks.faults.file_events import Event

SECTOR = 64  # bytes that are written as one; disks have 512 and more, but the files of these trials are small
LOCK = ".lock"  # empty, and made again

Content = dict[str, bytes | None]  # by path: a file's bytes, None for a folder


@dataclass(eq=False)
class File:
    """A file's bytes as the system has them, and as the disk has them for certain."""

    now: bytes = b""
    synced: bytes = b""

    def after(self, data: str, chance: random.Random) -> bytes:
        """The bytes after a cut that leaves the `data` written since the last sync as named."""
        if data == "there" or self.now == self.synced:
            return self.now
        if data == "lost":
            return self.synced
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.now, self.synced, strict=False)))
        if data == "torn":
            return self.now[: chance.randint(kept, len(self.now))]
        if data == "zeros":
            return self.now[:kept] + bytes(len(self.now) - kept)
        content = bytearray(self.now)
        for begin in range(kept, len(content), SECTOR):  # "holes"
            if chance.random() < 0.5:
                end = min(begin + SECTOR, len(content))
                content[begin:end] = bytes(end - begin)
        return bytes(content)


@dataclass(eq=False)
class Folder:
    """A folder's names as the system has them, as the disk has them, and what was done to them since, in order."""

    now: dict[str, "File | Folder"] = field(default_factory=dict)
    synced: dict[str, "File | Folder"] = field(default_factory=dict)
    changes: list[dict[str, "File | Folder | None"]] = field(default_factory=list)

    def change(self, names: dict[str, "File | Folder | None"]) -> None:
        """Set names, or remove those that are None, at once."""
        _apply(self.now, names)
        self.changes.append(names)

    def sync(self) -> None:
        """Force the names to the disk."""
        self.synced, self.changes = dict(self.now), []

    def after(self, names: str, chance: random.Random) -> dict[str, "File | Folder"]:
        """The names after a cut that leaves those changed since the last sync "lost", "there", or "some"."""
        if names == "there":
            return self.now
        names_left = dict(self.synced)
        changes_done = chance.randint(0, len(self.changes)) if names == "some" else 0
        for change in self.changes[:changes_done]:
            _apply(names_left, change)
        return names_left


def _apply(nodes: dict[str, "File | Folder"], names: dict[str, "File | Folder | None"]) -> None:
    for name, node in names.items():
        if node is None:
            nodes.pop(name, None)
        else:
            nodes[name] = node


class Disk:
    """The disk below `root`, from what is there when it is made (all of it synced)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._top = _read(root)

    def apply(self, event: Event) -> None:
        """Take in an event."""
        if event.path.name == LOCK or event.kind == "chmod":
            return
        if event.kind == "sync":
            node = self._node(event.path)
            if isinstance(node, Folder):
                node.sync()
            elif node is not None:
                node.synced = node.now
            return
        if event.kind == "mkdir" and self._node(event.path.parent) is None:
            return  # the program is told so, and makes the parent first
        folder, name = self._folder(event.path.parent), event.path.name
        if event.kind in ("rename", "link"):
            assert event.target is not None
            removed: dict[str, File | Folder | None] = {name: None} if event.kind == "rename" else {}
            added: dict[str, File | Folder | None] = {event.target.name: folder.now[name]}
            if (target := self._folder(event.target.parent)) is folder:
                folder.change({**removed, **added})
            else:
                target.change(added)
                folder.change(removed)
        elif event.kind in ("unlink", "rmdir"):
            if name in folder.now:  # else the program is told that it is not there
                folder.change({name: None})
        elif event.kind == "mkdir":
            if name not in folder.now:
                folder.change({name: Folder()})
        elif event.kind == "create":
            folder.change({name: File()})
        else:
            file = folder.now[name]
            assert isinstance(file, File)
            before = file.now[: event.position].ljust(event.position, b"\0")
            file.now = (
                before if event.kind == "truncate" else before + event.data + file.now[len(before + event.data) :]
            )

    def after(self, names: str, data: str, chance: random.Random) -> Content:
        """What is on the disk after a cut now."""
        return dict(sorted(_content(self._top, names, data, chance, "")))

    def certain(self) -> Content:
        """What is on the disk whatever a cut does, as far as it was not changed since."""
        return self.after("lost", "lost", random.Random(0))

    def _node(self, path: Path) -> File | Folder | None:
        node: File | Folder | None = self._top
        for part in path.relative_to(self.root).parts:
            node = node.now.get(part) if isinstance(node, Folder) else None
        return node

    def _folder(self, path: Path) -> Folder:
        node = self._node(path)
        assert isinstance(node, Folder), path
        return node


def write(content: Content, root: Path) -> None:
    """Make the folder of a state."""
    root.mkdir()
    for name, data in content.items():
        if data is None:
            (root / name).mkdir()
        else:
            (root / name).write_bytes(data)


def read(root: Path) -> Content:
    """The files and folders below a folder, but for locks."""
    return dict(sorted(_content(_read(root), "there", "there", random.Random(0), "")))


def _read(path: Path) -> Folder:
    folder = Folder()
    for child_path in path.iterdir():
        if child_path.is_dir():
            folder.now[child_path.name] = _read(child_path)
        elif child_path.name != LOCK:
            data = child_path.read_bytes()
            folder.now[child_path.name] = File(data, data)
    folder.sync()
    return folder


def _content(
    folder: Folder, names: str, data: str, chance: random.Random, at: str
) -> Iterator[tuple[str, bytes | None]]:
    for name, node in folder.after(names, chance).items():
        if isinstance(node, Folder):
            yield at + name, None
            yield from _content(node, names, data, chance, f"{at}{name}/")
        else:
            yield at + name, node.after(data, chance)
