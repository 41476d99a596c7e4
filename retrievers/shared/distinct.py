"""Which of many stretches of a text are equal, by array operations: no Python object is made for each.

A stretch of up to 64 bytes is compared as one, two, four or eight numbers of 8 bytes, so equal numbers are equal
stretches. They are looked up in hash tables with open addressing, all of them at once.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.unsignedinteger]
Places = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.uint64]
_RowIds = npt.NDArray[np.int32]

_COLUMNS = (1, 2, 4, 8)  # the numbers that a stretch is compared as
_LONGEST = 8 * _COLUMNS[-1]  # bytes; longer ones are looked up in a dictionary
_LOW_BYTES = np.array([(1 << 8 * number) - 1 for number in range(9)], np.uint64)  # masks: the first bytes of a number
_ODD_LIMIT = 0x9E3779B97F4A7C15  # 2 ** 64 divided by the golden ratio (Knuth, volume 3, section 6.4)
_LARGEST = 20  # bits of a place in a table: one of 4 MB
_ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}  # by bytes of a code; a word of other letters is not found


class Stretches(NamedTuple):
    """Stretches of codes, `codes[start:end]` for each; none has a code 0."""

    codes: Codes
    starts: Places
    ends: Places

    def first_equal(self) -> Places:
        """For each stretch the number of the first that is equal to it."""
        first = np.arange(len(self.starts))
        for group, columns in self.groups():
            first[group] = group.take(_Rows(columns).first)
        known_values: dict[bytes, int] = {}
        for number, stretch in self.long():
            first[number] = known_values.setdefault(stretch, number)
        return first

    def cut_out(self) -> Codes:
        """The codes of the stretches alone, each with a 0 behind it."""
        sizes = self.ends - self.starts + 1
        stops = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(self.starts - stops + sizes, sizes)
        codes: Codes = self.codes.take(places, mode="clip")  # the last may end with the text
        codes[stops - 1] = 0
        return codes

    def translated(self, points: Codes) -> "Stretches":
        """The stretches cut out, `points[code]` for each code; themselves where no code changes."""
        if len(points) <= 128:
            return self
        sizes = self.ends - self.starts
        ends = np.cumsum(sizes + 1) - 1
        codes = points.take(self.cut_out())
        return Stretches(codes.astype(np.min_scalar_type(codes.max(initial=0))), ends - sizes, ends)

    def foreign(self) -> Places:
        """The numbers of those with a code beyond ASCII, of stretches in the order of their places."""
        return np.unique(np.searchsorted(self.starts, np.flatnonzero(self.codes > 127), "right") - 1)

    def texts(self) -> list[str]:
        """The stretches as strings."""
        text: str = self.cut_out().astype(np.uint32).tobytes().decode("utf-32-le")
        return text.split("\0")[:-1]

    def groups(self) -> Iterator[tuple[Places, list[_Numbers]]]:
        """For each number of columns the stretches that are compared as so many, if any, and these."""
        data = self.codes.tobytes() + bytes(_LONGEST)
        values, size = self.starts, self.ends - self.starts
        if self.codes.itemsize > 1:
            values, size = values * self.codes.itemsize, size * self.codes.itemsize
        fits = size <= 8
        group, rest = np.flatnonzero(fits), np.flatnonzero(~fits)
        for columns in _COLUMNS:
            if len(group):
                yield group, _numbers(data, values.take(group), size.take(group), columns)
            fits = size[rest] <= 16 * columns
            group, rest = rest[fits], rest[~fits]

    def long(self) -> Iterator[tuple[int, bytes]]:
        """Number and bytes of those that are longer."""
        for number in np.flatnonzero(self.ends - self.starts > _LONGEST // self.codes.itemsize).tolist():
            yield number, self.codes[self.starts[number] : self.ends[number]].tobytes()


def joined(parts: Sequence[Stretches]) -> Stretches:
    """The stretches of all parts, in order, cut out of their codes."""
    sizes = np.concatenate([part.ends - part.starts for part in parts])
    ends = np.cumsum(sizes + 1) - 1
    return Stretches(np.concatenate([part.cut_out() for part in parts]), ends - sizes, ends)


class Vocabulary:
    """Different words, which can be found by their letters."""

    def __init__(self, words: Stretches) -> None:
        self._encoding = _ENCODINGS[words.codes.itemsize]
        self._groups = {len(columns): (group, _Rows(columns)) for group, columns in words.groups()}
        self._long = {word: number for number, word in words.long()}

    def find(self, words: Sequence[str]) -> Places:
        """The number of each word, -1 for those that it does not have; none of them has the character 0."""
        encoded = [word.encode(self._encoding, "replace") for word in words]
        values = np.array([self._long.get(word, -1) for word in encoded], np.int64)
        size = np.array(list(map(len, encoded)), np.int64)
        shorter = 0
        for columns in _COLUMNS:
            group = np.flatnonzero((size > shorter) & (size <= 8 * columns))
            shorter = 8 * columns
            if len(group) and columns in self._groups:
                numbers, rows = self._groups[columns]
                padded = b"".join(encoded[i].ljust(8 * columns, b"\0") for i in group.tolist())
                row_numbers = rows.find(list(np.frombuffer(padded, np.uint64).reshape(-1, columns).T))
                values[group] = np.where(row_numbers >= 0, numbers[row_numbers], -1)
        return values


class _Rows:
    """Rows of numbers, given as columns, in hash tables; `first` is for each row the first row that is equal to it.

    Each row has a place in the first table, where the first of those with this place is written. Rows that are
    different from what they meet there have a place in the next table.
    """

    def __init__(self, columns: list[_Numbers]) -> None:
        self._columns, self._tables = columns, list[npt.NDArray[np.int32]]()
        self.first, differs = self._new_table(columns, np.arange(len(columns[0]), dtype=np.int32))
        left = np.flatnonzero(differs)
        while len(left):
            met_values, differs = self._new_table([column[left] for column in columns], left)
            self.first[left] = met_values
            left = left[differs]

    def _new_table(self, columns: list[_Numbers], rows: Places | _RowIds) -> tuple[_RowIds, npt.NDArray[np.bool_]]:
        """For `rows`, of these columns, the row that each meets in one more table, and whether that one differs."""
        table = np.zeros(1 << min(_LARGEST, 1 + len(rows).bit_length()), np.int32)
        self._tables.append(table)
        places = self._places(columns, len(self._tables))
        table[places[::-1].copy()] = rows[::-1].copy()  # of several the last one that is written stays; copied: faster
        met_values = table.take(places)
        return met_values, ~self._equal(met_values, columns)

    def find(self, columns: list[_Numbers]) -> Places:
        """For each of other rows the first row that is equal to it, -1 where none is."""
        values = np.full(len(columns[0]), -1)
        for number, table in enumerate(self._tables, 1):
            met_values = table.take(self._places(columns, number))
            equal = self._equal(met_values, columns)
            values[equal] = met_values[equal]
        return values

    def _places(self, columns: list[_Numbers], number: int) -> Places:
        """The place of each row in table `number`: the high bits of a number that depend on all bits of the row."""
        factor = np.uint64(pow(_ODD_LIMIT, number, 1 << 64))
        mixed = columns[0] * factor
        for column in columns[1:]:
            mixed = (mixed ^ (mixed >> np.uint64(32)) ^ column) * factor
        bits = len(self._tables[number - 1]).bit_length() - 1
        return (mixed >> np.uint64(64 - bits)).view(np.int64)

    def _equal(self, rows: _RowIds, columns: list[_Numbers]) -> npt.NDArray[np.bool_]:
        """Whether rows are equal to others, given as columns."""
        equal: npt.NDArray[np.bool_] = self._columns[0].take(rows) == columns[0]
        for own_values, other in zip(self._columns[1:], columns[1:], strict=True):
            equal &= own_values.take(rows) == other
        return equal


def _numbers(data: bytes, places: Places, size: Places, columns: int) -> list[_Numbers]:
    """The bytes `data[at:at + size]` of each stretch as numbers, `columns` arrays of them; behind its end are zeros."""
    anywhere_values = np.ndarray((len(data) - 7,), np.uint64, data, strides=(1,))  # the number that begins at each byte
    entries = [anywhere_values[places] & _LOW_BYTES.take(size, mode="clip")]
    return entries + [
        anywhere_values[places + 8 * i] & _LOW_BYTES.take(size - 8 * i, mode="clip") for i in range(1, columns)
    ]
