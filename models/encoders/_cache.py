"""Vectors that were computed before, each found by its text, in files that are mapped into memory.

They are in `embeddings/` under the folder that the environment variable LONGDOC_CACHE names (default
`~/.cache/longdoc`), one folder per encoder, and may be deleted at any time. Files grow to `SEGMENT` bytes; when all
of them hold more than LONGDOC_CACHE_BYTES (default 2 GB), the least recently written ones are deleted.

Several processes may share them: entries are added under a lock, and used only if their checksum is right. Damaged
ones are named once on standard error, computed again, and replaced. Each addition is on the disk (fsync) before
the vectors are used, so a crash loses the work of some seconds; one that tears the last entry is found by its
checksum. Where nothing can be written (a full disk, a read-only folder) this is said once, and the program goes on:
what is kept already is used, and nothing is added.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc import caches
from longdoc.errors import UserError
from longdoc.files import sync, sync_folder
from longdoc.log_lines import LogLines
from longdoc.visible import note
from models.encoders import Vectors
from models.encoders._segment import HEADER, Keys, Kind, Segment, entries, entry_type, header, state_of
from models.encoding_progress import Encoding, watcher

SEGMENT = 64_000_000
LIMIT = 2_000_000_000
LOGGER = logging.getLogger("longdoc.encoders")
AT_ONCE_LIMIT = 64  # texts computed between two additions at first
MAXIMUM = 16_384  # of them
QUICK_LIMIT = 1.0  # seconds; an addition that took less is followed by one of twice as many texts

Compute = Callable[[list[str]], Vectors]


def cached_vectors(
    identity: Mapping[str, Any], texts: Sequence[str], compute: Compute, *, half: bool = False, is_quiet: bool = False
) -> Vectors:
    """float32 [texts, dimensions]: the vectors of `texts` from the cache; missing ones are computed once and stored.

    `identity` is all that decides a vector besides its text. `half`: they are stored as float16, and new ones are
    rounded to it before their first use. `is_quiet`: neither watchers nor the log are told.
    """
    distinct = list(dict.fromkeys(texts))
    places = {text: place for place, text in enumerate(distinct)}
    home = _folder()
    _limit()  # an invalid limit is an error before the work
    store = _store(home, _key(json.dumps(identity, sort_keys=True)), np.dtype(np.float16 if half else np.float32))
    vectors = store.vectors(distinct, compute, is_quiet)
    return vectors[[places[text] for text in texts]]


class _Unwritable(Exception):
    """The cache cannot be written; the message is the system's."""


class _Store:
    """The vectors of one encoder."""

    def __init__(self, home: Path, identity: bytes, kind: Kind) -> None:
        self._folder, self._identity, self._kind = home / identity.hex(), identity, kind
        self._segments: dict[Path, Segment] = {}
        self._named_pairs: set[tuple[Path, object]] = set()
        self._lock = Lock()
        self._freed = False  # whether files of this encoder were deleted to free space
        self._adds = True  # until the folder cannot be written
        self._usable = True  # until files of another dimension cannot be removed
        _forget_old_files(home)

    def vectors(self, texts: list[str], compute: Compute, is_quiet: bool = False) -> Vectors:
        """float32 [texts, dimensions] of texts that differ."""
        keys = np.frombuffer(b"".join(map(_key, texts)), "<u8").astype(np.uint64).reshape(-1, 2)
        with self._lock:
            values = self._found_values(keys)
        missing = [place for place in range(len(texts)) if place not in values]
        told_function = self._told(len(texts), len(missing), is_quiet)
        told_function(values, 0)
        start, at_once_count = 0, AT_ONCE_LIMIT
        while start < len(missing):
            began_value = time.monotonic()
            some_places = missing[start : start + at_once_count]
            made_values = (
                np.asarray(compute([texts[place] for place in some_places])).astype(self._kind).astype(np.float32)
            )
            if values and made_values.shape[1:] != next(iter(values.values())).shape:
                self._name(self._folder, "its vectors have another dimension than the encoder's")
                self._drop()
                return self.vectors(texts, compute, is_quiet)
            self._keep(keys[some_places], made_values)
            values |= dict(zip(some_places, made_values, strict=True))
            start += len(some_places)
            told_function(values, self._lost_count(keys) if start == len(missing) else 0)
            if time.monotonic() - began_value < QUICK_LIMIT:
                at_once_count = min(2 * at_once_count, MAXIMUM)
        return np.stack([values[place] for place in range(len(texts))])

    def _told(
        self, texts: int, missing: int, is_quiet: bool
    ) -> Callable[[dict[int, npt.NDArray[np.float32]], int], None]:
        """A function that tells how far it is: who watches, else the log."""
        watch, lines = watcher(), LogLines(LOGGER)

        def told(values: dict[int, npt.NDArray[np.float32]], deleted: int) -> None:
            if is_quiet:
                return
            if watch is not None:
                size = entry_type(len(next(iter(values.values()))), self._kind).itemsize if values else 0
                watch(Encoding(self._folder, texts, texts - missing, len(values), size, deleted))
            elif done := len(values) - (texts - missing):
                lines.say(lambda: f"{done:,} of {missing:,} texts encoded")

        return told

    def _lost_count(self, keys: Keys) -> int:
        """How many texts' vectors were deleted to free space."""
        if not self._freed:
            return 0
        with self._lock:
            self._refresh()
            held_values = np.zeros(len(keys), np.bool_)
            for segment in self._segments.values():
                held_values |= segment.holds(keys)
        return int((~held_values).sum())

    def _found_values(self, keys: Keys) -> dict[int, npt.NDArray[np.float32]]:
        """The cached undamaged vectors by position; only those with the newest file's dimension."""
        values: dict[int, npt.NDArray[np.float32]] = {}
        if not self._usable:
            return values
        self._refresh()
        newest = next(reversed(self._segments.values()), None)
        for segment in reversed(self._segments.values()):
            if newest is not None and segment.dimension != newest.dimension:
                self._remove(segment.path, "its vectors have another dimension than the newest ones")
                continue
            left = np.array([place for place in range(len(keys)) if place not in values], np.int64)
            _, vectors, bad_numbers = segment.find(keys[left])
            values |= {int(left[place]): vector for place, vector in vectors.items()}
            if len(bad_numbers) or len(segment.damaged):
                self._name(segment.path, "entries in it are damaged")
        return values

    def _refresh(self) -> None:
        """Map files that are new or were written to since; remove those that are broken as a whole."""
        segments: dict[Path, Segment] = {}
        for path in sorted(self._folder.glob("*.vectors")):
            with suppress(FileNotFoundError):  # another process deleted it to free space
                segment = self._segments.get(path)
                if segment is not None and segment.state == state_of(path):
                    segments[path] = segment
                elif (opened := self._opened(path)) is not None:
                    segments[path] = opened
        self._segments = segments

    def _opened(self, path: Path) -> Segment | None:
        try:
            return Segment.open(path, self._identity, self._kind)
        except FileNotFoundError:
            raise
        except ValueError as error:
            self._remove(path, str(error))
        except OSError as error:
            self._name(path, error.strerror or str(error))
        return None

    def _remove(self, path: Path, reason: str) -> None:
        self._name(path, reason)
        with suppress(OSError):
            path.unlink()

    def _name(self, path: Path, description: str) -> None:
        """Print a warning once."""
        if (path, description) not in self._named_pairs:
            self._named_pairs.add((path, description))
            note(f"cached vectors in {path}: {description}; they are computed again")

    def _drop(self) -> None:
        """Remove the files; those that stay are not looked at again."""
        with self._lock:
            for path in self._folder.glob("*.vectors"):
                with suppress(OSError):
                    path.unlink()
            self._segments = {}
            self._usable = not any(self._folder.glob("*.vectors"))

    def _keep(self, keys: Keys, vectors: Vectors) -> None:
        """Add entries; vectors that are not finite are left out."""
        if not (self._adds and self._usable):
            return
        whole_value = np.isfinite(vectors).all(axis=1)
        added = entries(keys[whole_value], vectors[whole_value].astype(self._kind))
        try:
            with self._written(), self._lock:
                self._refresh()
                added = self._repaired(added)
                while len(added):
                    path = self._last(vectors.shape[1])
                    added = added[self._append(path, added) :]
                self._free_space()
        except _Unwritable as error:
            self._adds = False
            _say_unwritable(self._folder.parent, str(error))

    def _repaired(self, added: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Write entries over damaged ones, those of the same text first; the entries that are left."""
        for segment in self._segments.values():
            if segment.rows.dtype != added.dtype:
                continue
            _, _, bad_numbers = segment.find(np.asarray(added["key"], np.uint64).reshape(-1, 2))
            rows = [*bad_numbers, *segment.damaged.tolist()][: len(added)]
            if rows:
                with segment.path.open("r+b") as file:
                    for row, entry in zip(rows, added, strict=False):
                        file.seek(HEADER + row * added.dtype.itemsize)
                        file.write(entry.tobytes())
                    sync(file)
                added = added[len(rows) :]
        return added

    def _last(self, dimension: int) -> Path:
        """The file that entries go to: the newest one that has room, else a new one."""
        newest = next(reversed(self._segments.values()), None)
        if newest is not None and newest.dimension == dimension and newest.path.stat().st_size < SEGMENT:
            return newest.path
        after = int(newest.path.stem) + 1 if newest is not None and newest.path.stem.isdecimal() else 0
        path = self._folder / f"{max(time.time_ns(), after):020d}.vectors"  # the clock may have been set back
        part = path.with_suffix(".part")
        for left in self._folder.glob("*.part"):  # by a process that was killed: this one has the lock
            left.unlink(missing_ok=True)
        try:
            part.write_bytes(header(self._identity, dimension, self._kind))
            part.replace(path)
            sync_folder(self._folder)
        finally:
            part.unlink(missing_ok=True)
        self._segments[path] = Segment.open(path, self._identity, self._kind)
        return path

    def _append(self, path: Path, added: npt.NDArray[Any]) -> int:
        """Write as many entries as the file takes, at least one, behind its last whole entry. How many."""
        size = added.dtype.itemsize
        with path.open("r+b") as file:
            end = file.seek(0, os.SEEK_END)
            end -= (end - HEADER) % size  # what a crash tore is written over
            count = min(len(added), max(1, (SEGMENT - end) // size))
            file.seek(end)
            file.write(added[:count].tobytes())
            file.truncate()
            sync(file)
        self._segments[path] = Segment.open(path, self._identity, self._kind)
        return count

    def _free_space(self) -> None:
        """Remove the least recently written files of any encoder while the cache is over its limit."""
        files = []
        for path in self._folder.parent.glob("*/*.vectors"):
            with suppress(FileNotFoundError):
                files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files)[:-1]:
            if total <= _limit():
                break
            path.unlink(missing_ok=True)
            self._freed |= path.parent == self._folder
            total -= size

    def _written(self) -> "_Writing":
        return _Writing(self._folder)


class _Writing:
    """Holds the lock of an encoder's folder; what the system refuses is `_Unwritable`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        from filelock import FileLock

        try:
            caches.make(self._folder.parent)
            self._folder.mkdir(exist_ok=True)
            self._held_values = FileLock(self._folder / ".lock")
            self._held_values.acquire()
        except (OSError, NotImplementedError) as error:  # the latter: a file system without locks
            raise _Unwritable(getattr(error, "strerror", None) or str(error)) from None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._held_values.release()
        if isinstance(error, OSError):
            raise _Unwritable(error.strerror or str(error)) from None


@lru_cache(maxsize=16)
def _store(home: Path, identity: bytes, kind: Kind) -> _Store:
    return _Store(home, identity, kind)


@lru_cache(maxsize=16)  # said once of a folder
def _say_unwritable(home: Path, reason: str) -> None:
    note(
        f"vectors cannot be kept in {home} ({reason}): the run goes on without keeping them; set LONGDOC_CACHE to a "
        "folder that can be written"
    )


def _folder() -> Path:
    return caches.own_folder(caches.home() / "embeddings")


def _limit() -> int:
    """Bytes that all files together may hold. Raises `UserError` for a value that is no number."""
    limit_text = os.environ.get("LONGDOC_CACHE_BYTES") or str(LIMIT)
    if not limit_text.isascii() or not limit_text.isdigit() or len(limit_text) > 18:
        raise UserError(f"LONGDOC_CACHE_BYTES must be a number of bytes, as in {LIMIT}; got {limit_text[:40]!r}")
    return int(limit_text)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _forget_old_files(home: Path) -> None:
    for path in home.glob("*.part"):
        with suppress(OSError):
            path.unlink()
