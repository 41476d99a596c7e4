"""Finds equal stretches of text by array operations, without a Python object for each.

A stretch of up to 64 bytes is compared as one, two, four or eight numbers of 8 bytes, so equal numbers are equal
stretches. They are looked up in hash tables with open addressing, all of them at once.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.unsignedinteger]
Positions = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.uint64]
_RowIds = npt.NDArray[np.int32]

_COLUMNS = (1, 2, 4, 8)  # how many numbers a stretch is compared as
_LONGEST = 8 * _COLUMNS[-1]  # bytes; longer ones are looked up in a dictionary
_LOW_BYTES = np.array([(1 << 8 * number) - 1 for number in range(9)], np.uint64)  # masks: the first bytes of a number
_MULTIPLIER = 0x9E3779B97F4A7C15  # 2 ** 64 divided by the golden ratio (Knuth, volume 3, section 6.4)
_MAX_TABLE_BITS = 20  # bits of a place in a table: one of 4 MB
_ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}  # by bytes of a code; a word of other letters is not found


class Stretches(NamedTuple):
    """Stretches of codes, `codes[start:end]` for each; none has a code 0."""

    codes: Codes
    starts: Positions
    ends: Positions

    def first_equal(self) -> Positions:
        """For each stretch, the number of the first stretch equal to it."""
        first = np.arange(len(self.starts))
        for group, columns in self.groups():
            first[group] = group.take(_Rows(columns).first)
        first_number: dict[bytes, int] = {}
        for number, stretch in self.long():
            first[number] = first_number.setdefault(stretch, number)
        return first

    def cut_out(self) -> Codes:
        """The codes of the stretches, each followed by a 0."""
        sizes = self.ends - self.starts + 1
        stops = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(self.starts - stops + sizes, sizes)
        codes: Codes = self.codes.take(places, mode="clip")  # the last may end with the text
        codes[stops - 1] = 0
        return codes

    def translated(self, points: Codes) -> "Stretches":
        """The stretches with each code replaced by `points[code]`; unchanged where all codes are ASCII."""
        if len(points) <= 128:
            return self
        sizes = self.ends - self.starts
        ends = np.cumsum(sizes + 1) - 1
        codes = points.take(self.cut_out())
        return Stretches(codes.astype(np.min_scalar_type(codes.max(initial=0))), ends - sizes, ends)

    def non_ascii(self) -> Positions:
        """The numbers of stretches with a code beyond ASCII; stretches must be in the order of their starts."""
        return np.unique(np.searchsorted(self.starts, np.flatnonzero(self.codes > 127), "right") - 1)

    def texts(self) -> list[str]:
        """The stretches as strings."""
        text: str = self.cut_out().astype(np.uint32).tobytes().decode("utf-32-le")
        return text.split("\0")[:-1]

    def groups(self) -> Iterator[tuple[Positions, list[_Numbers]]]:
        """Groups of stretches that are compared in as many columns: their numbers, and the columns."""
        data = self.codes.tobytes() + bytes(_LONGEST)
        starts, sizes = self.starts, self.ends - self.starts
        if self.codes.itemsize > 1:
            starts, sizes = starts * self.codes.itemsize, sizes * self.codes.itemsize
        fits = sizes <= 8
        group, rest = np.flatnonzero(fits), np.flatnonzero(~fits)
        for columns in _COLUMNS:
            if len(group):
                yield group, _numbers(data, starts.take(group), sizes.take(group), columns)
            fits = sizes[rest] <= 16 * columns
            group, rest = rest[fits], rest[~fits]

    def long(self) -> Iterator[tuple[int, bytes]]:
        """Number and bytes of each stretch that is too long for columns."""
        for number in np.flatnonzero(self.ends - self.starts > _LONGEST // self.codes.itemsize).tolist():
            yield number, self.codes[self.starts[number] : self.ends[number]].tobytes()


def joined(parts: Sequence[Stretches]) -> Stretches:
    """The stretches of all parts, in order, cut out of their codes."""
    sizes = np.concatenate([part.ends - part.starts for part in parts])
    ends = np.cumsum(sizes + 1) - 1
    return Stretches(np.concatenate([part.cut_out() for part in parts]), ends - sizes, ends)


class Vocabulary:
    """Distinct words that can be looked up."""

    def __init__(self, words: Stretches) -> None:
        self._encoding = _ENCODINGS[words.codes.itemsize]
        self._groups = {len(columns): (group, _Rows(columns)) for group, columns in words.groups()}
        self._long = {word: number for number, word in words.long()}

    def find(self, words: Sequence[str]) -> Positions:
        """The number of each word, -1 for unknown words; words must not contain the character 0."""
        encoded = [word.encode(self._encoding, "replace") for word in words]
        numbers = np.array([self._long.get(word, -1) for word in encoded], np.int64)
        sizes = np.array(list(map(len, encoded)), np.int64)
        shorter = 0
        for columns in _COLUMNS:
            group = np.flatnonzero((sizes > shorter) & (sizes <= 8 * columns))
            shorter = 8 * columns
            if len(group) and columns in self._groups:
                group_numbers, group_rows = self._groups[columns]
                padded = b"".join(encoded[i].ljust(8 * columns, b"\0") for i in group.tolist())
                row_numbers = group_rows.find(list(np.frombuffer(padded, np.uint64).reshape(-1, columns).T))
                numbers[group] = np.where(row_numbers >= 0, group_numbers[row_numbers], -1)
        return numbers


class _Rows:
    """Hash tables of rows of numbers, given as columns; `first` is, for each row, the first row equal to it.

    Each row has a slot in the first table, which stores the first row with this slot. Rows that differ from the row
    in their slot get a slot in the next table.
    """

    def __init__(self, columns: list[_Numbers]) -> None:
        self._columns, self._tables = columns, list[npt.NDArray[np.int32]]()
        self.first, differs = self._new_table(columns, np.arange(len(columns[0]), dtype=np.int32))
        remaining = np.flatnonzero(differs)
        while len(remaining):
            met_rows, differs = self._new_table([column[remaining] for column in columns], remaining)
            self.first[remaining] = met_rows
            remaining = remaining[differs]

    def _new_table(self, columns: list[_Numbers], rows: Positions | _RowIds) -> tuple[_RowIds, npt.NDArray[np.bool_]]:
        """Add a table for `rows` (given as columns): the row that each meets in it, and whether that row differs."""
        table = np.zeros(1 << min(_MAX_TABLE_BITS, 1 + len(rows).bit_length()), np.int32)
        self._tables.append(table)
        slots = self._slots(columns, len(self._tables))
        table[slots[::-1].copy()] = rows[::-1].copy()  # of several the last one that is written stays; copied: faster
        met_rows = table.take(slots)
        return met_rows, ~self._equal(met_rows, columns)

    def find(self, columns: list[_Numbers]) -> Positions:
        """For each row of `columns`, the first stored row equal to it, -1 where there is none."""
        first_rows = np.full(len(columns[0]), -1)
        for number, table in enumerate(self._tables, 1):
            met_rows = table.take(self._slots(columns, number))
            equal = self._equal(met_rows, columns)
            first_rows[equal] = met_rows[equal]
        return first_rows

    def _slots(self, columns: list[_Numbers], number: int) -> Positions:
        """The slot of each row in table `number`: high bits of a hash that depends on all bits of the row."""
        factor = np.uint64(pow(_MULTIPLIER, number, 1 << 64))
        mixed = columns[0] * factor
        for column in columns[1:]:
            mixed = (mixed ^ (mixed >> np.uint64(32)) ^ column) * factor
        bits = len(self._tables[number - 1]).bit_length() - 1
        return (mixed >> np.uint64(64 - bits)).view(np.int64)

    def _equal(self, rows: _RowIds, columns: list[_Numbers]) -> npt.NDArray[np.bool_]:
        """Whether each of the stored `rows` equals the row of `columns` in the same position."""
        equal: npt.NDArray[np.bool_] = self._columns[0].take(rows) == columns[0]
        for own_column, column in zip(self._columns[1:], columns[1:], strict=True):
            equal &= own_column.take(rows) == column
        return equal


def _numbers(data: bytes, starts: Positions, sizes: Positions, columns: int) -> list[_Numbers]:
    """The bytes `data[start:start + size]` of each stretch as `columns` arrays of numbers, padded with zeros."""
    number_at_byte = np.ndarray((len(data) - 7,), np.uint64, data, strides=(1,))  # the number that begins at each byte
    first_column = number_at_byte[starts] & _LOW_BYTES.take(sizes, mode="clip")
    other_columns = [
        number_at_byte[starts + 8 * i] & _LOW_BYTES.take(sizes - 8 * i, mode="clip") for i in range(1, columns)
    ]
    return [first_column, *other_columns]
