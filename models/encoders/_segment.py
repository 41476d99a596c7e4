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
NUMBER_TYPES = {1: np.dtype("<f4"), 2: np.dtype("<f2")}  # of numbers, as a header names them
_FIELDS = struct.Struct("<8sIIII16s16x")  # with the number of bytes of an entry, and room for later needs
_CHECK = 8
HEADER = _FIELDS.size + _CHECK
_FOLD = np.uint64(0x9E3779B97F4A7C15)

Keys = npt.NDArray[np.uint64]
NumberType = np.dtype[np.floating[Any]]


def entry_type(dimension: int, number_type: NumberType) -> np.dtype[Any]:
    """The NumPy type of an entry with a vector of `dimension` float16 or float32."""
    return np.dtype([("key", "<u8", (2,)), ("fold", "<u8"), ("check", "<u8"), ("vector", number_type, (dimension,))])


def header(identity: bytes, dimension: int, number_type: NumberType) -> bytes:
    """The header of a file of vectors; `identity` is the encoder's digest (16 bytes)."""
    number = next(number for number, known in NUMBER_TYPES.items() if known == number_type)
    fields = _FIELDS.pack(MAGIC, FORMAT, number, dimension, entry_type(dimension, number_type).itemsize, identity)
    return fields + _digest(fields)


def entries(keys: Keys, vectors: npt.NDArray[np.floating[Any]]) -> npt.NDArray[Any]:
    """The entries of texts with `keys` [texts, 2] and `vectors` [texts, dimensions], float16 or float32."""
    rows = np.zeros(len(keys), entry_type(vectors.shape[1], vectors.dtype))
    rows["key"], rows["fold"], rows["vector"] = keys, _folded(keys), vectors
    rows["check"] = [_check(row) for row in rows]
    return rows


@dataclass(frozen=True)
class Segment:
    """A file of vectors as it was when it was opened, mapped into memory. `damaged`: rows with a damaged key."""

    path: Path
    state: tuple[int, int]
    dimension: int
    rows: npt.NDArray[Any]
    damaged: npt.NDArray[np.int64]
    _sorted: npt.NDArray[np.uint64]
    _order: npt.NDArray[np.int64]

    @classmethod
    def open(cls, path: Path, identity: bytes, number_type: NumberType) -> "Segment":
        """Map a file. Raises `ValueError` if it is not this encoder's, `OSError` if it cannot be read."""
        with path.open("rb") as file:
            head = file.read(HEADER)
        dimension = _dimension(head, identity, number_type)
        state = state_of(path)
        entry = entry_type(dimension, number_type)
        count = (state[0] - HEADER) // entry.itemsize
        rows = np.memmap(path, entry, "r", HEADER, (count,)) if count else np.zeros(0, entry)
        keys = np.array(rows["key"], np.uint64).reshape(-1, 2)
        is_intact = _folded(keys) == rows["fold"]
        order = np.argsort(keys[:, 0], kind="stable")
        order = order[is_intact[order]]
        return cls(path, state, dimension, rows, np.flatnonzero(~is_intact), keys[order, 0], order)

    def find(self, keys: Keys) -> tuple[npt.NDArray[np.int64], dict[int, npt.NDArray[np.float32]], list[int]]:
        """(positions found, vectors by position, damaged rows) for `keys` [texts, 2]."""
        vectors, bad_rows = {}, []
        first = np.searchsorted(self._sorted, keys[:, 0], "left")
        last = np.searchsorted(self._sorted, keys[:, 0], "right")
        for position in np.flatnonzero(last > first).tolist():
            for row in self._order[first[position] : last[position]].tolist():
                entry = self.rows[row].copy()  # read once: what is checked is what is used
                if entry["key"][1] != keys[position, 1]:
                    continue
                if entry["check"] == _check(entry) and np.isfinite(entry["vector"]).all():
                    vectors[position] = entry["vector"].astype(np.float32)
                    break
                bad_rows.append(row)
        return np.array(list(vectors), np.int64), vectors, bad_rows

    def holds(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Whether there is an entry for each of `keys` [texts, 2]; its vector is not checked."""
        rows = np.minimum(np.searchsorted(self._sorted, keys[:, 0]), max(len(self._sorted) - 1, 0))
        return self._sorted[rows] == keys[:, 0] if len(self._sorted) else np.zeros(len(keys), np.bool_)


def state_of(path: Path) -> tuple[int, int]:
    """The size of a file and the time of its last change, which tell whether it has changed."""
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _dimension(head: bytes, identity: bytes, number_type: NumberType) -> int:
    """The vectors' dimension in a header. Raises `ValueError` if it is damaged or another encoder's."""
    if len(head) < HEADER or head[-_CHECK:] != _digest(head[:-_CHECK]):
        raise ValueError("its header is damaged")
    magic, version, type_number, dimension, size, owner = _FIELDS.unpack(head[: _FIELDS.size])
    fields = (magic, version, NUMBER_TYPES.get(type_number), size, owner)
    if fields != (MAGIC, FORMAT, number_type, entry_type(dimension, number_type).itemsize, identity):
        raise ValueError("it has another format or belongs to another encoder")
    return int(dimension)


def _folded(keys: Keys) -> npt.NDArray[np.uint64]:
    return np.asarray(keys[:, 0] ^ (keys[:, 1] << np.uint64(1)) ^ (keys[:, 1] >> np.uint64(63)) ^ _FOLD)


def _check(entry: Any) -> int:
    return int.from_bytes(_digest(entry["key"].tobytes() + entry["vector"].tobytes()), "little")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK).digest()
