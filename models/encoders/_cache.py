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
from longdoc.messages import LogLines, note
from models.encoders import Vectors
from models.encoders._segment import HEADER, Keys, NumberType, Segment, entries, entry_type, header, state_of
from models.encoding_progress import Encoding, watcher

SEGMENT = 64_000_000
LIMIT = 2_000_000_000
LOGGER = logging.getLogger("longdoc.encoders")
FIRST_BATCH = 64  # texts that are encoded before the first write
LARGEST_BATCH = 16_384  # texts between two writes
QUICK_SECONDS = 1.0  # a batch that took less is followed by one of twice as many texts

Compute = Callable[[list[str]], Vectors]


def cached_vectors(
    identity: Mapping[str, Any], texts: Sequence[str], compute: Compute, *, half: bool = False, is_quiet: bool = False
) -> Vectors:
    """float32 [texts, dimensions]: the vectors of `texts` from the cache; missing ones are computed once and stored.

    `identity` is all that decides a vector besides its text. `half`: they are stored as float16, and new ones are
    rounded to it before their first use. `is_quiet`: no progress is reported.
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

    def __init__(self, home: Path, identity: bytes, number_type: NumberType) -> None:
        self._folder, self._identity, self._number_type = home / identity.hex(), identity, number_type
        self._segments: dict[Path, Segment] = {}
        self._warned: set[tuple[Path, object]] = set()
        self._lock = Lock()
        self._freed = False  # whether files of this encoder were deleted to free space
        self._adds = True  # until the folder cannot be written
        self._usable = True  # until files of another dimension cannot be removed
        _remove_unfinished(home)

    def vectors(self, texts: list[str], compute: Compute, is_quiet: bool = False) -> Vectors:
        """The vectors of distinct texts, float32 [texts, dimensions], from the cache or computed."""
        keys = np.frombuffer(b"".join(map(_key, texts)), "<u8").astype(np.uint64).reshape(-1, 2)
        with self._lock:
            vectors = self._kept_vectors(keys)
        missing = [place for place in range(len(texts)) if place not in vectors]
        report = self._reporter(len(texts), len(missing), is_quiet)
        report(vectors, 0)
        start, batch_size = 0, FIRST_BATCH
        while start < len(missing):
            start_time = time.monotonic()
            batch = missing[start : start + batch_size]
            computed = (
                np.asarray(compute([texts[place] for place in batch])).astype(self._number_type).astype(np.float32)
            )
            if vectors and computed.shape[1:] != next(iter(vectors.values())).shape:
                self._warn(self._folder, "its vectors have another dimension than the encoder's")
                self._drop()
                return self.vectors(texts, compute, is_quiet)
            self._add(keys[batch], computed)
            vectors |= dict(zip(batch, computed, strict=True))
            start += len(batch)
            report(vectors, self._count_deleted(keys) if start == len(missing) else 0)
            if time.monotonic() - start_time < QUICK_SECONDS:
                batch_size = min(2 * batch_size, LARGEST_BATCH)
        return np.stack([vectors[place] for place in range(len(texts))])

    def _reporter(
        self, texts: int, missing: int, is_quiet: bool
    ) -> Callable[[dict[int, npt.NDArray[np.float32]], int], None]:
        """A function that reports progress to the watcher, else to the log."""
        watch, lines = watcher(), LogLines(LOGGER)

        def report(vectors: dict[int, npt.NDArray[np.float32]], deleted: int) -> None:
            if is_quiet:
                return
            if watch is not None:
                size = entry_type(len(next(iter(vectors.values()))), self._number_type).itemsize if vectors else 0
                watch(Encoding(self._folder, texts, texts - missing, len(vectors), size, deleted))
            elif done := len(vectors) - (texts - missing):
                lines.say(lambda: f"{done:,} of {missing:,} texts encoded")

        return report

    def _count_deleted(self, keys: Keys) -> int:
        """Number of texts whose vectors were deleted to free space."""
        if not self._freed:
            return 0
        with self._lock:
            self._refresh()
            is_kept = np.zeros(len(keys), np.bool_)
            for segment in self._segments.values():
                is_kept |= segment.holds(keys)
        return int((~is_kept).sum())

    def _kept_vectors(self, keys: Keys) -> dict[int, npt.NDArray[np.float32]]:
        """The intact cached vectors by the text's position; only those with the newest file's dimension."""
        vectors: dict[int, npt.NDArray[np.float32]] = {}
        if not self._usable:
            return vectors
        self._refresh()
        newest = next(reversed(self._segments.values()), None)
        for segment in reversed(self._segments.values()):
            if newest is not None and segment.dimension != newest.dimension:
                self._remove(segment.path, "its vectors have another dimension than the newest ones")
                continue
            left = np.array([place for place in range(len(keys)) if place not in vectors], np.int64)
            _, segment_vectors, bad_rows = segment.find(keys[left])
            vectors |= {int(left[place]): vector for place, vector in segment_vectors.items()}
            if len(bad_rows) or len(segment.damaged):
                self._warn(segment.path, "entries in it are damaged")
        return vectors

    def _refresh(self) -> None:
        """Map files that are new or have changed; remove those that cannot be used at all."""
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
            return Segment.open(path, self._identity, self._number_type)
        except FileNotFoundError:
            raise
        except ValueError as error:
            self._remove(path, str(error))
        except OSError as error:
            self._warn(path, error.strerror or str(error))
        return None

    def _remove(self, path: Path, reason: str) -> None:
        self._warn(path, reason)
        with suppress(OSError):
            path.unlink()

    def _warn(self, path: Path, description: str) -> None:
        """Print a warning once."""
        if (path, description) not in self._warned:
            self._warned.add((path, description))
            note(f"cached vectors in {path}: {description}; they are computed again")

    def _drop(self) -> None:
        """Delete this encoder's files; if some cannot be deleted, stop using the cache."""
        with self._lock:
            for path in self._folder.glob("*.vectors"):
                with suppress(OSError):
                    path.unlink()
            self._segments = {}
            self._usable = not any(self._folder.glob("*.vectors"))

    def _add(self, keys: Keys, vectors: Vectors) -> None:
        """Write vectors to the cache, except those that are not finite."""
        if not (self._adds and self._usable):
            return
        is_finite = np.isfinite(vectors).all(axis=1)
        added = entries(keys[is_finite], vectors[is_finite].astype(self._number_type))
        try:
            with self._locked(), self._lock:
                self._refresh()
                added = self._repaired(added)
                while len(added):
                    path = self._file_with_room(vectors.shape[1])
                    added = added[self._append(path, added) :]
                self._free_space()
        except _Unwritable as error:
            self._adds = False
            _warn_unwritable(self._folder.parent, str(error))

    def _repaired(self, added: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Overwrite damaged entries with new ones, those of the same text first; return the entries left to write."""
        for segment in self._segments.values():
            if segment.rows.dtype != added.dtype:
                continue
            _, _, bad_rows = segment.find(np.asarray(added["key"], np.uint64).reshape(-1, 2))
            rows = [*bad_rows, *segment.damaged.tolist()][: len(added)]
            if rows:
                with segment.path.open("r+b") as file:
                    for row, entry in zip(rows, added, strict=False):
                        file.seek(HEADER + row * added.dtype.itemsize)
                        file.write(entry.tobytes())
                    sync(file)
                added = added[len(rows) :]
        return added

    def _file_with_room(self, dimension: int) -> Path:
        """The file to append to: the newest if it has room, else a new one."""
        newest = next(reversed(self._segments.values()), None)
        if newest is not None and newest.dimension == dimension and newest.path.stat().st_size < SEGMENT:
            return newest.path
        after = int(newest.path.stem) + 1 if newest is not None and newest.path.stem.isdecimal() else 0
        path = self._folder / f"{max(time.time_ns(), after):020d}.vectors"  # the clock may have been set back
        part = path.with_suffix(".part")
        for unfinished in self._folder.glob("*.part"):  # by a process that was killed: this one has the lock
            unfinished.unlink(missing_ok=True)
        try:
            part.write_bytes(header(self._identity, dimension, self._number_type))
            part.replace(path)
            sync_folder(self._folder)
        finally:
            part.unlink(missing_ok=True)
        self._segments[path] = Segment.open(path, self._identity, self._number_type)
        return path

    def _append(self, path: Path, added: npt.NDArray[Any]) -> int:
        """Append as many entries as the file has room for (at least one); return how many."""
        size = added.dtype.itemsize
        with path.open("r+b") as file:
            end = file.seek(0, os.SEEK_END)
            end -= (end - HEADER) % size  # what a crash tore is written over
            count = min(len(added), max(1, (SEGMENT - end) // size))
            file.seek(end)
            file.write(added[:count].tobytes())
            file.truncate()
            sync(file)
        self._segments[path] = Segment.open(path, self._identity, self._number_type)
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

    def _locked(self) -> "_FolderLock":
        return _FolderLock(self._folder)


class _FolderLock:
    """A context manager that locks an encoder's folder; errors of the system become `_Unwritable`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        from filelock import FileLock

        try:
            caches.make(self._folder.parent)
            self._folder.mkdir(exist_ok=True)
            self._file_lock = FileLock(self._folder / ".lock")
            self._file_lock.acquire()
        except (OSError, NotImplementedError) as error:  # the latter: a file system without locks
            raise _Unwritable(getattr(error, "strerror", None) or str(error)) from None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._file_lock.release()
        if isinstance(error, OSError):
            raise _Unwritable(error.strerror or str(error)) from None


@lru_cache(maxsize=16)
def _store(home: Path, identity: bytes, number_type: NumberType) -> _Store:
    return _Store(home, identity, number_type)


@lru_cache(maxsize=16)  # said once of a folder
def _warn_unwritable(home: Path, reason: str) -> None:
    note(
        f"cannot write vectors to {home} ({reason}); the run goes on without keeping them. Set LONGDOC_CACHE to a "
        "folder that can be written"
    )


def _folder() -> Path:
    return caches.own_folder(caches.home() / "embeddings")


def _limit() -> int:
    """The limit on all files together, in bytes. Raises `UserError` for a value that is not a number."""
    limit_text = os.environ.get("LONGDOC_CACHE_BYTES") or str(LIMIT)
    if not limit_text.isascii() or not limit_text.isdigit() or len(limit_text) > 18:
        raise UserError(f"LONGDOC_CACHE_BYTES must be a number of bytes, as in {LIMIT}; got {limit_text[:40]!r}")
    return int(limit_text)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _remove_unfinished(home: Path) -> None:
    for path in home.glob("*.part"):
        with suppress(OSError):
            path.unlink()
