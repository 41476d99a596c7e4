"""Counts words for sizes and budgets: runs between white space; in scripts without spaces, each letter.

A letter of Han, Kana, Thai, Lao, Khmer or Burmese (`longdoc.words`) begins a word, which has its marks; so does the
first other letter or digit after one: "使うPython3を" is 使|う|Python3|を. Whatever else is no white space goes with
what stands before it, opening brackets and quotation marks with what follows: "「はい」と、" is 「は|い」|と、. No
dictionary is asked, so that sizes do not depend on what is installed.

White space is what `str.isspace`, the regex class `\\s`, `str.split` and `str.strip` agree on.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longdoc import words
from longdoc.characters import code_points, foreign_positions, positions_of

if TYPE_CHECKING:
    from longdoc.characters import CodePoints, Positions

Offsets = npt.NDArray[np.int64]

LONG = 200  # characters of a word that is remarked on

_BLOCK = 1 << 16  # characters looked at together
_SHORT = 200  # characters up to which `str.split` is faster
_OTHER, _SPACE, _LETTER, _LETTER_ALONE, _OPENING = range(5)  # alone: a letter of a script without spaces
_END = 0x40000  # code points from here on are no letters (Unicode 17)


def word_count(text: str) -> int:
    """The number of words."""
    if text.isascii() or (len(text) <= _SHORT and not words.unspaced(text)):
        return len(text.split())
    return len(word_spans(text))


def count_words(texts: Sequence[str]) -> list[int]:
    """The number of words in each text."""
    if len(texts) == 1:
        return [word_count(texts[0])]
    joined = "\n".join(texts)
    if not has_letters_alone(joined):
        return [len(text.split()) for text in texts]
    starts = word_spans(joined)[:, 0]
    stops = np.cumsum([len(text) + 1 for text in texts])
    return [int(number) for number in np.diff(np.searchsorted(starts, stops), prepend=0)]


def long_words(text: str) -> str | None:
    """The remark on words of more than 200 characters, mostly letters or digits; None if there are none."""
    spans = word_spans(text)
    long = [text[start:end] for start, end in spans[spans[:, 1] - spans[:, 0] > LONG].tolist()]
    lengths = [len(word) for word in long if 2 * sum(map(str.isalnum, word)) >= len(word)]  # no ruled lines
    if not lengths:
        return None
    summary = f"{len(lengths)} word(s) of over {LONG} characters, the longest {max(lengths):,}"
    return f"{summary}; for useful sizes set unit= to a tokenizer"


def has_letters_alone(text: str) -> bool:
    """Whether the text has letters of scripts without spaces, each of which is a word."""
    return words.unspaced(text)


def split_words(text: str) -> list[str]:
    """The words of `text`."""
    if not has_letters_alone(text):
        return text.split()
    return [text[start:end] for start, end in word_spans(text).tolist()]


def word_spans(text: str) -> Offsets:
    """Start and end of every word, [words, 2]."""
    return _with_letters_apart(text, *_visible_runs(text))


def visible_runs(text: str) -> Offsets:
    """Start and end of every run of characters other than white space, [runs, 2]."""
    return _visible_runs(text)[0]


def _visible_runs(text: str) -> tuple[Offsets, Offsets]:
    """The runs [runs, 2], and the positions of letters of scripts without spaces."""
    edges, letters_alone, is_after_space = [np.empty(0, np.int64)], [np.empty(0, np.int64)], True
    for offset in range(0, len(text), _BLOCK):
        codes = code_points(text[offset : offset + _BLOCK])
        positions = foreign_positions(codes)
        is_space = _is_space(codes, positions)
        if is_space[0] != is_after_space:
            edges.append(np.array([offset]))
        edges.append(np.flatnonzero(is_space[1:] != is_space[:-1]) + (offset + 1))
        letters_alone.append(positions_of(codes, words.unspaced, positions) + offset)
        is_after_space = bool(is_space[-1])
    if not is_after_space:
        edges.append(np.array([len(text)]))
    return np.concatenate(edges).reshape(-1, 2), np.concatenate(letters_alone)


def white_space(text: str) -> npt.NDArray[np.bool_]:
    """For every character of `text`, whether it is white space."""
    codes = code_points(text)
    return _is_space(codes, foreign_positions(codes))


def _is_space(codes: "CodePoints", positions: "Positions") -> npt.NDArray[np.bool_]:
    code = codes.dtype.type
    is_space: npt.NDArray[np.bool_] = (codes - code(9) <= 13 - 9) | (codes - code(28) <= 32 - 28)
    is_space[positions_of(codes, str.isspace, positions)] = True
    return is_space


def _with_letters_apart(text: str, spans: Offsets, letters_alone: Offsets) -> Offsets:
    """The spans of words, from runs that may contain letters of scripts without spaces."""
    if not len(letters_alone):
        return spans
    runs = np.unique(np.searchsorted(spans[:, 0], letters_alone, "right") - 1)
    starts, ends = spans[runs].T
    joined_ends = np.cumsum(ends - starts + 1)
    parts = _split_spans("\n".join([text[start:end] for start, end in spans[runs].tolist()]))
    parts += (ends + 1 - joined_ends)[np.searchsorted(joined_ends, parts[:, 0], "right"), None]
    spans = np.delete(spans, runs, axis=0)
    return np.insert(spans, np.searchsorted(spans[:, 0], parts[:, 0]), parts, axis=0)


def _split_spans(text: str) -> Offsets:
    """The spans of words in a text with letters of scripts without spaces, block by block."""
    span_blocks, start, size = [np.empty((0, 2), np.int64)], 0, _BLOCK
    while start + size < len(text):
        spans = _split_block(text[start : start + size]) + start
        if len(spans) < 2:
            size *= 2
        else:
            span_blocks.append(spans[:-1])  # the last may go on
            start, size = int(spans[-1, 0]), _BLOCK
    return np.concatenate([*span_blocks, _split_block(text[start:]) + start])


def _split_block(text: str) -> Offsets:
    """The spans of words in a block that begins with a word or white space."""
    character_kinds = _kind_codes_of(text)
    outside = np.concatenate(([True], character_kinds == _SPACE, [True]))
    runs = np.flatnonzero(outside[1:] != outside[:-1]).reshape(-1, 2)
    letters = np.flatnonzero((character_kinds == _LETTER) | (character_kinds == _LETTER_ALONE))
    is_alone = character_kinds[letters] == _LETTER_ALONE
    run = np.searchsorted(runs[:, 0], letters, "right")
    is_boundary = (run[1:] == run[:-1]) & (is_alone[1:] | is_alone[:-1])  # the first of a run begins with the run
    closed = np.flatnonzero(character_kinds != _OPENING)
    begins = closed[np.searchsorted(closed, letters[1:][is_boundary]) - 1] + 1
    starts = np.sort(np.concatenate((runs[:, 0], begins)))
    ends = runs[np.searchsorted(runs[:, 0], starts, "right") - 1, 1]
    return np.stack((starts, np.minimum(ends, np.append(starts[1:], len(text)))), axis=1)


def _kind_codes_of(text: str) -> npt.NDArray[np.uint8]:
    return _kind_table()[np.minimum(code_points(text).astype(np.uint32), _END)]


@cache
def _kind_table() -> npt.NDArray[np.uint8]:
    """The kind of each code point below `_END`, uint8."""
    import regex

    all_characters = "".join(map(chr, range(_END)))
    table = np.full(_END + 1, _OTHER, np.uint8)
    for kind, pattern in (
        (_LETTER, r"[[\p{L}\p{N}]--[\uff9e\uff9f]]+"),
        (_LETTER_ALONE, f"{words.UNSPACED}+"),
        (_OPENING, r"[\p{Ps}\p{Pi}]+"),
    ):
        for match in regex.finditer(pattern, all_characters, regex.VERSION1):
            table[match.start() : match.end()] = kind
    table[:-1][white_space(all_characters)] = _SPACE
    return table
