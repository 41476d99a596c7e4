"""The words of many texts, found and numbered by array operations: no Python object is made for each.

In a text in normal form (`longdoc.words`) the kinds of its characters say where words begin and end. There are few
different letters in most texts: those beyond ASCII are numbered from 128 on, so that a character takes one byte.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from longdoc.characters import code_points, different_characters, foreign_positions, ordinals
from longdoc.words import LETTER, LETTER_ALONE, MARK, OTHER
from retrievers.shared.distinct import Codes, Positions, Stretches, joined

Ids = npt.NDArray[np.int32]
_KindCodes = npt.NDArray[np.uint8]

_SIGMA = "Σ"  # in lower case "ς" at the end of a word
_SEPARATORS = "\x1d\x1c\x1e\x1f"  # Unicode's group separator and its like: white space that texts hardly have
_BLOCK = 1 << 20  # characters of the texts whose words are numbered together: bounds the memory
_MAX_KEPT = 1 << 25  # bytes of free memory that the process keeps: more than the arrays of a block take


class Splitting(NamedTuple):
    """How texts are split into words, by the kinds of their characters.

    `form` gives the normal form of a text, whose words are then put in lower case. It must leave spaces, line breaks
    and control characters as they are, and of what is before and behind them neither may depend on the other. `kind`
    says what a character in lower case is (`longdoc.words.kind`), and `counts_alone` which characters count as a word
    by themselves. `numbers`: joined numbers are words beside their parts, as in `longdoc.words.terms`, and one that
    opens a line is another word too, with a line break before it, as most headings and clauses begin so.
    """

    form: Callable[[str], str]
    kind: Callable[[str], int]
    counts_alone: Callable[[str], bool]
    numbers: bool = False


class NumberedWords(NamedTuple):
    """The number of each word, in order, and the distinct words in the order of their first occurrence.

    `ids[ends[i]:ends[i + 1]]` are the words of text i.
    """

    ids: Ids
    ends: Positions
    distinct: Stretches

    @classmethod
    def of(cls, texts: Sequence[str], splitting: Splitting) -> "NumberedWords":
        """The words of `texts`."""
        _keep_memory()
        parts = [_numbered(block, splitting) for block in _blocks(texts)]
        if len(parts) == 1:
            return parts[0]
        distinct, numbers = _numbers(joined([part.distinct for part in parts]))
        firsts = np.cumsum([0, *(len(part.distinct.starts) for part in parts)])
        ids = [numbers[first:][part.ids] for first, part in zip(firsts, parts, strict=False)]
        sizes = np.concatenate([[0], *(np.diff(part.ends) for part in parts)])
        return cls(np.concatenate(ids), np.cumsum(sizes), distinct)


@cache
def _keep_memory() -> None:
    """Have the C library (glibc) keep the memory of one block's arrays for the next block's.

    It returns free memory beyond twice the largest array that was ever freed to the system (mallopt(3),
    M_MMAP_THRESHOLD); being given it anew, page by page, took a third of the time of ranking a book. Nothing is
    written to this array, so that it takes no memory itself.
    """
    np.empty(_MAX_KEPT // 2, np.uint8)


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Blocks of consecutive texts of about a million characters; one empty block if there are no texts."""
    first, characters = 0, 0
    for number, text in enumerate(texts):
        if characters and characters + len(text) > _BLOCK:
            yield texts[first:number]
            first, characters = number, 0
        characters += len(text) + 1
    yield texts[first:]


class _Letters(NamedTuple):
    """The letters of a text in lower case, as small numbers: ASCII's code points, and from 128 on the other letters.

    Characters beyond ASCII that are not part of a word become spaces. `points` gives the code point of each number.
    """

    codes: Codes
    points: Codes

    @classmethod
    def from_text(cls, text: str, kind: Callable[[str], int]) -> "_Letters":
        """The letters of `text`, which need not be in lower case."""
        codes = code_points(text)
        foreign_codes = codes[foreign_indices := foreign_positions(codes)]
        lower = {char: char.lower() for char in different_characters(foreign_codes)}
        if _SIGMA in lower or any(len(form) > 1 for form in lower.values()):  # depends on, or changes, what is around
            return cls.from_text(text.lower(), kind)
        letters = sorted({form for form in lower.values() if not form.isascii() and kind(form) != OTHER})
        points = np.array([*range(128), *ordinals(letters)], np.uint32)
        number_of_letter = dict(zip(letters, range(128, len(points)), strict=True))
        numbers = [ord(form) if form.isascii() else number_of_letter.get(form, ord(" ")) for form in lower.values()]
        table = np.zeros(max(ordinals(lower), default=0) + 1, np.min_scalar_type(len(points)))
        table[ordinals(lower)] = numbers
        letter_codes = codes.astype(table.dtype)
        letter_codes[foreign_indices] = table.take(foreign_codes)
        letter_codes += (letter_codes - letter_codes.dtype.type(ord("A")) < 26) * letter_codes.dtype.type(
            ord("a") - ord("A")
        )
        return cls(letter_codes, points)

    def table(self, kind: Callable[[str], int]) -> npt.NDArray[np.uint8]:
        """uint8 [numbers]: `kind` of the character of each number."""
        return np.array(list(map(kind, map(chr, self.points.tolist()))), np.uint8)


def _numbered(texts: Sequence[str], splitting: Splitting) -> NumberedWords:
    text, separator = _joined(texts)
    letters = _Letters.from_text(splitting.form(text), splitting.kind)
    separators = np.flatnonzero(letters.codes == ord(separator))
    kinds = _kind_codes(letters.codes, letters.table(splitting.kind))
    starts, ends = _word_spans(kinds, letters, splitting)
    distinct, ids = _numbers(Stretches(letters.codes, starts, ends))
    text_ends = np.append(np.searchsorted(ends, separators, "right"), len(ends))[: len(texts) + 1]
    return NumberedWords(ids, text_ends, distinct.translated(letters.points))


def _joined(texts: Sequence[str]) -> tuple[str, str]:
    """The texts joined, and the separator put before each: a control character that is in none of them."""
    text = "".join(texts)
    separator = next((char for char in _SEPARATORS if char not in text), _SEPARATORS[0])
    if separator in text:
        texts = [text.replace(separator, " ") for text in texts]
    return separator + separator.join(texts), separator


def _numbers(words: Stretches) -> tuple[Stretches, Ids]:
    """The distinct words in the order of their first occurrence, and the number of each word among them."""
    first = words.first_equal()
    first_indices = np.flatnonzero(first == np.arange(len(first)))
    numbers = np.empty(len(first), np.int32)
    numbers[first_indices] = np.arange(len(first_indices), dtype=np.int32)
    return Stretches(words.codes, words.starts[first_indices], words.ends[first_indices]), numbers.take(first)


def _kind_codes(codes: Codes, table: _KindCodes) -> _KindCodes:
    """The kind of each code, a new array."""
    if codes.itemsize > 1:
        return table.take(codes)
    return np.frombuffer(bytearray(codes).translate(table.tobytes().ljust(256)), np.uint8)  # no indices are made


def _word_spans(kinds: _KindCodes, letters: _Letters, splitting: Splitting) -> tuple[Positions, Positions]:
    """Starts and ends of the words in order; a joined number comes after its parts.

    Changes `kinds` in place: a mark gets the kind of the character before it.
    """
    letters_alone, marks = np.flatnonzero(kinds == LETTER_ALONE), np.flatnonzero(kinds == MARK)
    if len(marks):
        is_first = np.append(True, np.diff(marks) > 1)
        kinds[marks] = kinds[np.maximum(marks[is_first] - 1, 0)][np.cumsum(is_first) - 1]
    counts_alone = letters.table(splitting.counts_alone)
    edges = _edges(kinds == LETTER, letters.codes, counts_alone)
    if splitting.numbers:
        edges = _with_joined_numbers(edges, letters, kinds)
    starts, ends = edges[::2], edges[1::2]
    runs = _edges(kinds == LETTER_ALONE, letters.codes, counts_alone) if len(letters_alone) else edges[:0]
    if not len(runs):
        return starts, ends
    run_starts, run_ends = runs[::2], runs[1::2]
    run = np.searchsorted(run_starts, letters_alone, "right") - 1
    letters_alone = letters_alone[(run >= 0) & (letters_alone < run_ends[run])]
    pair_starts, pair_ends = _pairs(letters_alone, run_starts, run_ends)
    insertion_points = np.searchsorted(starts, pair_starts)
    return np.insert(starts, insertion_points, pair_starts), np.insert(ends, insertion_points, pair_ends)


def _edges(inside: npt.NDArray[np.bool_], codes: Codes, counts_alone: _KindCodes) -> Positions:
    """Start, end, start, … of the runs of true values, without single characters that do not count alone."""
    padded = np.concatenate(([False], inside, [False]))
    single = np.flatnonzero((padded[1:-1] > padded[:-2]) & (padded[1:-1] > padded[2:]))
    padded[single[counts_alone.take(codes.take(single)) == 0] + 1] = False
    return np.flatnonzero(padded[1:] != padded[:-1])


def _with_joined_numbers(edges: Positions, letters: _Letters, kinds: _KindCodes) -> Positions:
    """The edges of words and of the joined numbers (`longdoc.words`), each behind its parts."""
    joints, widths = _joints(letters, kinds)
    if not len(joints):
        return edges
    after, end = joints + widths, np.searchsorted(edges, joints)
    nonempty_edges = edges if len(edges) else np.array([-1])
    # A part that is no edge is a single letter, which is left out.
    has_first = nonempty_edges.take(end, mode="clip") == joints
    start = end + has_first
    has_last = nonempty_edges.take(start, mode="clip") == after
    first = np.where(has_first, nonempty_edges.take(end - 1, mode="clip"), joints - 1)
    last = np.where(has_last, nonempty_edges.take(start + 1, mode="clip"), after + 1)
    is_last = np.append(last[:-1] != joints[1:], True)  # the others go on
    first, last = first[np.append(True, is_last[:-1])], last[is_last]
    insertion_points = (start + 2 * has_last)[is_last]
    opens = _opens_line(letters.codes, first)
    letters.codes[first[opens] - 1] = ord("\n")
    first, last = np.append(first, first[opens] - 1), np.append(last, last[opens])
    return np.insert(
        edges,
        np.repeat(np.append(insertion_points, insertion_points[opens]), 2),
        np.stack([first, last], axis=1).ravel(),
    )


def _opens_line(codes: Codes, starts: Positions) -> npt.NDArray[np.bool_]:
    """Whether each position begins a line, a text or a cell, possibly after one space or a heading's "# "."""
    before, above = codes.take(starts - 1), codes.take(starts - 2, mode="clip")
    is_space = before == ord(" ")
    opens: npt.NDArray[np.bool_] = (before < ord(" ")) | (is_space & ((above < ord(" ")) | (above == ord("#"))))
    return opens


def _joints(letters: _Letters, kinds: _KindCodes) -> tuple[Positions, Positions]:
    """Positions and widths of the characters that join two words to a number, as in "7.3" or "12(3)"."""
    codes, is_decimal = letters.codes, letters.table(str.isdecimal).astype(bool)
    is_digit = is_decimal.take(codes) if is_decimal[128:].any() else codes - codes.dtype.type(ord("0")) < 10
    digits = np.flatnonzero(is_digit)
    before, after = codes.take(digits - 1, mode="clip"), codes.take(digits + 1, mode="clip")
    dots = digits[((before == ord(".")) | (before == ord(","))) & is_digit.take(digits - 2, mode="clip")] - 1
    others = digits[(before == ord("-")) | (before == ord("/"))] - 1
    opening = digits[after == ord("(")] + 1
    pairs = np.concatenate([digits[before == ord("(")] - 2, digits[after == ord(")")] + 1])
    pairs = np.unique(pairs[pairs >= 0])
    pairs = pairs[(codes.take(pairs) == ord(")")) & (codes.take(pairs + 1, mode="clip") == ord("("))]
    others = others[kinds.take(others - 1, mode="clip") == LETTER]
    opening = opening[kinds.take(opening + 1, mode="clip") == LETTER]
    pairs = pairs[kinds.take(pairs - 1, mode="clip") == LETTER]
    pairs = pairs[kinds.take(pairs + 2, mode="clip") == LETTER]
    joints = np.concatenate([dots, others, opening, pairs])
    order = np.argsort(joints)
    return joints[order], np.repeat([1, 2], [len(joints) - len(pairs), len(pairs)])[order]


def _pairs(letters: Positions, starts: Positions, ends: Positions) -> tuple[Positions, Positions]:
    """Starts and ends of the pairs of neighbouring letters, which may have marks, and of those without a neighbour.

    `starts` and `ends` are those of the runs that the letters are in.
    """
    run = np.searchsorted(starts, letters, "right") - 1
    last = np.append(run[1:] != run[:-1], True)
    first = np.append(True, last[:-1])
    reach_end = last | np.append(last[1:], True)
    pair_ends = np.where(reach_end, ends[run], np.append(letters[2:], [0, 0])[: len(letters)])
    is_start = ~last | first
    return letters[is_start], pair_ends[is_start]
