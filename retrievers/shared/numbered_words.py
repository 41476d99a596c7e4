"""The words of many texts, found and numbered by array operations: no Python object is made for each.

In a text in normal form (`longdoc.words`) the kinds of its characters say where words begin and end.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longdoc.words import ALONE_LIMIT, LETTER, MARK, OTHER, foreign_words
from retrievers.shared.distinct import Codes, Places, Stretches, joined

Ids = npt.NDArray[np.int32]
_KindCodes = npt.NDArray[np.uint8]

_ASCII = list(map(chr, range(128)))
_BLOCK = 1 << 20  # characters of the texts whose words are numbered together: bounds the memory
_MAX_KEPT = 1 << 25  # bytes of free memory that the process keeps: more than the arrays of a block take


class Splitting(NamedTuple):
    """How texts are split into words, by what single characters are.

    `normal` gives the normal form of a text. It must leave spaces and line breaks as they are, and of what is before
    and behind them neither may depend on the other. `kind` says what a character of it is (`longdoc.words.kind`), and
    `counts_alone` which characters count as a word where they are one by themselves.
    """

    normal: Callable[[str], str]
    kind: Callable[[str], int]
    counts_alone: Callable[[str], bool]


class NumberedWords(NamedTuple):
    """The number of each word, in order, and the different words by number, in the order of their first places.

    `ids[ends[i]:ends[i + 1]]` are the words of text i.
    """

    ids: Ids
    ends: Places
    different: Stretches

    @classmethod
    def of(cls, texts: Sequence[str], splitting: Splitting) -> "NumberedWords":
        """The words of `texts`."""
        _keep_memory()
        parts = [_numbered(block, splitting) for block in _blocks(texts)]
        if len(parts) == 1:
            return parts[0]
        different, numbers = _numbers(joined([part.different for part in parts]))
        firsts = np.cumsum([0, *(len(part.different.starts) for part in parts)])
        ids = [numbers[first:][part.ids] for first, part in zip(firsts, parts, strict=False)]
        sizes = np.concatenate([[0], *(np.diff(part.ends) for part in parts)])
        return cls(np.concatenate(ids), np.cumsum(sizes), different)


@cache
def _keep_memory() -> None:
    """Have the C library (glibc) keep the memory of one block's arrays for the next block's.

    It returns free memory beyond twice the largest array that was ever freed to the system (mallopt(3),
    M_MMAP_THRESHOLD); being given it anew, page by page, took a third of the time of ranking a book. Nothing is
    written to this array, so that it takes no memory itself.
    """
    np.empty(_MAX_KEPT // 2, np.uint8)


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Neighbouring texts of some million characters together; without any text one empty block."""
    first, characters = 0, 0
    for number, text in enumerate(texts):
        if characters and characters + len(text) > _BLOCK:
            yield texts[first:number]
            first, characters = number, 0
        characters += len(text) + 1
    yield texts[first:]


def _numbered(texts: Sequence[str], splitting: Splitting) -> NumberedWords:
    text = splitting.normal("\n".join([text.replace("\n", " ") for text in texts]))
    codes, chars = _codes(text), [*_ASCII, *foreign_words(text)]
    kinds_values = _kind_codes(codes, _table(chars, splitting.kind))
    lines = np.flatnonzero(codes == ord("\n")) if len(texts) > 1 else np.empty(0, np.int64)
    if codes.itemsize > 1:  # as narrow as its words allow: quotation marks alone are beyond a byte in English
        codes *= kinds_values != OTHER
        codes = codes.astype(np.min_scalar_type(codes.max(initial=0)))
    starts, ends = _places(kinds_values, codes, _table(chars, splitting.counts_alone))
    different, ids = _numbers(Stretches(codes, starts, ends))
    return NumberedWords(
        ids, np.concatenate(([0], np.searchsorted(starts, lines), [len(starts)]))[: len(texts) + 1], different
    )


def _numbers(words: Stretches) -> tuple[Stretches, Ids]:
    """The different ones, in the order of their first places, and the number of each word among them."""
    first = words.first_equal()
    new = np.flatnonzero(first == np.arange(len(first)))
    number = np.empty(len(first), np.int32)
    number[new] = np.arange(len(new), dtype=np.int32)
    return Stretches(words.codes, words.starts[new], words.ends[new]), number.take(first)


def _codes(text: str) -> Codes:
    """The code points of a text."""
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)


def _kind_codes(codes: Codes, table: _KindCodes) -> _KindCodes:
    """The kind of each code."""
    if codes.itemsize > 1:
        return table.take(codes)
    return np.frombuffer(bytearray(codes).translate(table.tobytes().ljust(256)), np.uint8)  # no indices are made


def _table(chars: Sequence[str], kind: Callable[[str], int]) -> _KindCodes:
    """The kinds of these characters, by their code points."""
    table = np.zeros(ord(max(chars)) + 1, np.uint8)
    table[list(map(ord, chars))] = list(map(kind, chars))
    return table


def _places(kinds_values: _KindCodes, codes: Codes, counts_alone: _KindCodes) -> tuple[Places, Places]:
    """Starts and ends of the words, in order; `counts_alone` is true of codes that are counted as a whole word."""
    letters = kinds_values == ALONE_LIMIT
    if (kinds_values == MARK).any():  # it is what it follows; at the beginning it stays a mark
        places = np.arange(len(kinds_values), dtype=np.int32)
        kinds_values = kinds_values[np.maximum.accumulate(np.where(kinds_values == MARK, np.int32(0), places))]
    changes = np.concatenate(([True], kinds_values[1:] != kinds_values[:-1], [True]))
    short = np.flatnonzero(changes[1:] & changes[:-1] & (kinds_values != OTHER))
    kinds_values[short] *= counts_alone.take(codes[short])
    starts, ends = _runs(kinds_values == LETTER)
    alone_values = np.flatnonzero(letters & (kinds_values == ALONE_LIMIT))
    if not len(alone_values):
        return starts, ends
    more_starts, more_ends = _pairs(alone_values, *_runs(kinds_values == ALONE_LIMIT))
    starts, ends = np.concatenate((starts, more_starts)), np.concatenate((ends, more_ends))
    order = np.argsort(starts, kind="stable")
    return starts[order], ends[order]


def _runs(inside: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
    """Starts and ends of the runs of true values."""
    padded = np.concatenate(([False], inside, [False]))
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return edges[::2], edges[1::2]


def _pairs(letters: Places, starts: Places, ends: Places) -> tuple[Places, Places]:
    """Starts and ends of the pairs of neighbouring letters, which may have marks, and of those without a neighbour.

    `starts` and `ends` are those of the runs that the letters are in.
    """
    run = np.searchsorted(starts, letters, "right") - 1
    last = np.append(run[1:] != run[:-1], True)
    first = np.append(True, last[:-1])
    reach_end = last | np.append(last[1:], True)
    pair_ends = np.where(reach_end, ends[run], np.append(letters[2:], [0, 0])[: len(letters)])
    wanted_value = ~last | first
    return letters[wanted_value], pair_ends[wanted_value]
