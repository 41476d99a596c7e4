"""Which of many stretches of a text are equal, by array operations: no Python object is made for each.

A stretch of up to 64 bytes is compared as one, two, four or eight numbers of 8 bytes, so equal numbers are equal
stretches. They are looked up in a hash table with open addressing, all of them at once.
"""

from itertools import count

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.unsignedinteger]
Places = npt.NDArray[np.int64]
_Keys = npt.NDArray[np.uint64]
_Differs = npt.NDArray[np.bool_]

_NUMBERS = (1, 2, 4, 8)  # of 8 bytes, that a stretch is compared as
_LONGEST = 8 * _NUMBERS[-1]  # bytes; longer ones are looked up in a dictionary
_LOW_BYTES = np.array([(1 << 8 * number) - 1 for number in range(9)], np.uint64)  # masks: the first bytes of a number
_ODD = 0x9E3779B97F4A7C15  # 2 ** 64 divided by the golden ratio (Knuth, volume 3, section 6.4)
_LARGEST = 20  # bits of a place in the table: one of 4 MB


def first_equal(codes: Codes, starts: Places, ends: Places) -> Places:
    """For each stretch `codes[start:end]` the number of the first that is equal to it; no code in one may be 0."""
    first = np.arange(len(starts))
    at, size = starts * codes.itemsize, (ends - starts) * codes.itemsize
    data = codes.tobytes() + bytes(_LONGEST)
    shorter = 0
    for numbers in _NUMBERS:
        group = np.flatnonzero((size > shorter) & (size <= 8 * numbers))
        first[group] = group[_first_equal_rows(_numbers(data, at[group], size[group], numbers))]
        shorter = 8 * numbers
    known: dict[bytes, int] = {}
    for number in np.flatnonzero(size > _LONGEST).tolist():
        first[number] = known.setdefault(data[at[number] : at[number] + size[number]], number)
    return first


def _numbers(data: bytes, at: Places, size: Places, columns: int) -> list[_Keys]:
    """The bytes `data[at:at + size]` of each stretch as numbers, `columns` arrays of them; behind its end are zeros."""
    anywhere = np.ndarray((len(data) - 7,), np.uint64, data, strides=(1,))  # the number that begins at each byte
    found = [anywhere[at] & _LOW_BYTES.take(size, mode="clip")]
    return found + [anywhere[at + 8 * i] & _LOW_BYTES.take(size - 8 * i, mode="clip") for i in range(1, columns)]


def _first_equal_rows(columns: list[_Keys]) -> npt.NDArray[np.int32]:
    """For each row of numbers the first row that is equal to it.

    Rows that met a different row in their place of the table get another place in the next round.
    """
    bits = min(_LARGEST, 1 + len(columns[0]).bit_length())
    table = np.empty(1 << bits, np.int32)
    first, differs = _met(columns, table, _ODD)
    left = np.flatnonzero(differs)
    for turn in count(2):
        if not len(left):
            break
        met, differs = _met([column[left] for column in columns], table, pow(_ODD, turn, 1 << 64))
        first[left] = left[met]
        left = left[differs]
    return first


def _met(columns: list[_Keys], table: npt.NDArray[np.int32], factor: int) -> tuple[npt.NDArray[np.int32], _Differs]:
    """For each row the first row with its place in `table`, and whether that one is different."""
    bits = len(table).bit_length() - 1
    places = (_mixed(columns, factor) >> np.uint64(64 - bits)).view(np.int64)
    table[places[::-1]] = np.arange(len(places), dtype=np.int32)[::-1]  # the first is written last, and stays
    met = table[places]
    differs = columns[0].take(met) != columns[0]
    for column in columns[1:]:
        differs |= column.take(met) != column
    return met, differs


def _mixed(columns: list[_Keys], factor: int) -> _Keys:
    """A number of each row whose high bits depend on all bits of the row; `factor` is odd."""
    mixed = columns[0] * np.uint64(factor)
    for column in columns[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(32)) ^ column) * np.uint64(factor)
    return mixed
