"""One file of kept vectors: a header, and an entry for each text, all entries of one size.

    header   magic, format, kind of numbers, dimension, the encoder's digest, a checksum of all this   (64 bytes)
    entry    key (16 bytes of the text's SHA-256), the key folded to 8 bytes, a checksum of key and vector, the vector

All numbers are little-endian. The folded key shows at a glance which entries are damaged; the checksum is looked at
when an entry is used. An entry is written whole or, after a crash, found to be damaged; it is then written over.
"""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAGIC, FORMAT = b"longvecs", 1
KINDS_VALUES = {1: np.dtype("<f4"), 2: np.dtype("<f2")}  # of numbers, as a header names them
_FIELDS = struct.Struct("<8sIIII16s16x")  # with the number of bytes of an entry, and room for later needs
_CHECK = 8
HEADER = _FIELDS.size + _CHECK
_FOLD = np.uint64(0x9E3779B97F4A7C15)

Keys = npt.NDArray[np.uint64]
Kind = np.dtype[np.floating[Any]]


def entry_type(dimension: int, kind: Kind) -> np.dtype[Any]:
    """An entry of a vector of so many float16 or float32."""
    return np.dtype([("key", "<u8", (2,)), ("fold", "<u8"), ("check", "<u8"), ("vector", kind, (dimension,))])


def header(identity: bytes, dimension: int, kind: Kind) -> bytes:
    """What a file of vectors of the encoder `identity` (16 bytes) begins with."""
    number = next(number for number, known_value in KINDS_VALUES.items() if known_value == kind)
    fields = _FIELDS.pack(MAGIC, FORMAT, number, dimension, entry_type(dimension, kind).itemsize, identity)
    return fields + _digest(fields)


def entries(keys: Keys, vectors: npt.NDArray[np.floating[Any]]) -> npt.NDArray[Any]:
    """The entries of texts with `keys` [texts, 2] and `vectors` [texts, dimensions], float16 or float32."""
    values = np.zeros(len(keys), entry_type(vectors.shape[1], vectors.dtype))
    values["key"], values["fold"], values["vector"] = keys, _folded(keys), vectors
    values["check"] = [_check(entry) for entry in values]
    return values


@dataclass(frozen=True)
class Segment:
    """Such a file as it was when it was opened, mapped into memory. `damaged` are the rows whose keys are."""

    path: Path
    state: tuple[int, int]
    dimension: int
    rows: npt.NDArray[Any]
    damaged: npt.NDArray[np.int64]
    _sorted: npt.NDArray[np.uint64]
    _order: npt.NDArray[np.int64]

    @classmethod
    def open(cls, path: Path, identity: bytes, kind: Kind) -> "Segment":
        """Map a file. Raises `ValueError` where it is none of this encoder's, `OSError` where it cannot be read."""
        with path.open("rb") as file:
            head = file.read(HEADER)
        dimension = _dimension(head, identity, kind)
        state = state_of(path)
        entry = entry_type(dimension, kind)
        count = (state[0] - HEADER) // entry.itemsize
        rows = np.memmap(path, entry, "r", HEADER, (count,)) if count else np.zeros(0, entry)
        keys = np.array(rows["key"], np.uint64).reshape(-1, 2)
        whole_value = _folded(keys) == rows["fold"]
        order = np.argsort(keys[:, 0], kind="stable")
        order = order[whole_value[order]]
        return cls(path, state, dimension, rows, np.flatnonzero(~whole_value), keys[order, 0], order)

    def find(self, keys: Keys) -> tuple[npt.NDArray[np.int64], dict[int, npt.NDArray[np.float32]], list[int]]:
        """Of `keys` [texts, 2]: the places found, their vectors by place, and the rows that turned out to be bad."""
        vectors, bad_entries = {}, []
        first = np.searchsorted(self._sorted, keys[:, 0], "left")
        last = np.searchsorted(self._sorted, keys[:, 0], "right")
        for place in np.flatnonzero(last > first).tolist():
            for row in self._order[first[place] : last[place]].tolist():
                entry = self.rows[row].copy()  # read once: what is checked is what is used
                if entry["key"][1] != keys[place, 1]:
                    continue
                if entry["check"] == _check(entry) and np.isfinite(entry["vector"]).all():
                    vectors[place] = entry["vector"].astype(np.float32)
                    break
                bad_entries.append(row)
        return np.array(list(vectors), np.int64), vectors, bad_entries

    def holds(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """For each of `keys` [texts, 2] whether there is an entry; whether its vector is whole is not looked at."""
        rows = np.minimum(np.searchsorted(self._sorted, keys[:, 0]), max(len(self._sorted) - 1, 0))
        return self._sorted[rows] == keys[:, 0] if len(self._sorted) else np.zeros(len(keys), np.bool_)


def state_of(path: Path) -> tuple[int, int]:
    """What tells a file from itself after a change: bytes, and the time of the last change."""
    numbers = path.stat()
    return numbers.st_size, numbers.st_mtime_ns


def _dimension(head: bytes, identity: bytes, wanted_value: Kind) -> int:
    """Vectors' dimension by a file's header. Raises `ValueError` for one that is damaged or another encoder's."""
    if len(head) < HEADER or head[-_CHECK:] != _digest(head[:-_CHECK]):
        raise ValueError("its header is damaged")
    magic, version, kind, dimension, size, owner = _FIELDS.unpack(head[: _FIELDS.size])
    told_values = (magic, version, KINDS_VALUES.get(kind), size, owner)
    if told_values != (MAGIC, FORMAT, wanted_value, entry_type(dimension, wanted_value).itemsize, identity):
        raise ValueError("it is of another format or of another encoder")
    return int(dimension)


def _folded(keys: Keys) -> npt.NDArray[np.uint64]:
    return np.asarray(keys[:, 0] ^ (keys[:, 1] << np.uint64(1)) ^ (keys[:, 1] >> np.uint64(63)) ^ _FOLD)


def _check(entry: Any) -> int:
    return int.from_bytes(_digest(entry["key"].tobytes() + entry["vector"].tobytes()), "little")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK).digest()
