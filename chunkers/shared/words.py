"""Words as sizes and budgets count them: between white space, and in scripts without spaces each letter.

A letter of Han, Kana, Thai, Lao, Khmer or Burmese (`longdoc.words`) begins a word, which has its marks; so does the
first other letter or digit after one: "使うPython3を" is 使|う|Python3|を. Whatever else is no white space goes with
what stands before it, opening brackets and quotation marks with what follows: "「はい」と、" is 「は|い」|と、. No
dictionary is asked, so that sizes do not depend on what is installed.

White space is what `str.isspace`, the regex class `\\s`, `str.split` and `str.strip` agree on.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from longdoc import words

Offsets = npt.NDArray[np.int64]

LONG = 200  # characters of a word that is remarked on

_BLOCK = 1 << 16  # characters looked at together
_SHORT = 200  # characters up to which `str.split` is faster
_OTHER, _SPACE, _LETTER, _ALONE_LIMIT, _OPENING, _PERHAPS_ALONE = range(6)  # alone: a letter of a script without spaces
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
    """What to know of a text with words of more than 200 characters, mostly letters or digits; None without any."""
    spans = word_spans(text)
    words = [text[start:end] for start, end in spans[spans[:, 1] - spans[:, 0] > LONG].tolist()]
    lengths = [len(word) for word in words if 2 * sum(map(str.isalnum, word)) >= len(word)]  # no ruled lines
    if not lengths:
        return None
    long_words = f"{len(lengths)} word(s) of over {LONG} characters, the longest {max(lengths):,}"
    return f"{long_words}: sizes in words mean little there (give unit= a tokenizer)"


def has_letters_alone(text: str) -> bool:
    """Whether some words are letters of scripts without spaces: `longdoc.words.unspaced`, fast for long texts."""
    if text.isascii():
        return False
    for start in range(0, len(text), _BLOCK):
        part = text[start : start + _BLOCK]
        codes = np.frombuffer(part.encode("utf-16-le", "surrogatepass"), np.uint16)
        far = codes > 0xE00  # beyond Latin, Greek, Cyrillic, Arabic and Indian letters
        if (
            far.any()
            and (far & (codes - np.uint16(0x1800) >= 0x1680)).any()
            and (_kind_codes_of(part) == _ALONE_LIMIT).any()
        ):
            return True
    return False


def split_words(text: str) -> list[str]:
    """The words."""
    if not has_letters_alone(text):
        return text.split()
    return [text[start:end] for start, end in word_spans(text).tolist()]


def word_spans(text: str) -> Offsets:
    """Start and end of every word, [words, 2], without a Python object for each."""
    edges, space = [np.empty(0, np.int64)], True
    for offset in range(0, len(text), _BLOCK):
        part = text[offset : offset + _BLOCK]
        kinds_values = _coarse_kinds(part)
        if kinds_values.max() == _PERHAPS_ALONE and (_kind_codes_of(part) == _ALONE_LIMIT).any():
            return _parted_spans(text)
        spaces = np.concatenate(([space], kinds_values == _SPACE))
        edges.append(np.flatnonzero(spaces[1:] != spaces[:-1]) + offset)
        space = bool(spaces[-1])
    if not space:
        edges.append(np.array([len(text)]))
    return np.concatenate(edges).reshape(-1, 2)


def white_space(text: str) -> npt.NDArray[np.bool_]:
    """For every character of `text`, whether it is white space."""
    values: npt.NDArray[np.bool_] = _coarse_kinds(text) == _SPACE
    return values


def _parted_spans(text: str) -> Offsets:
    """`word_spans` of a text with letters of scripts without spaces."""
    entries, start, size = [np.empty((0, 2), np.int64)], 0, _BLOCK
    while start + size < len(text):
        spans = _parted_offsets(text[start : start + size]) + start
        if len(spans) < 2:
            size *= 2
        else:
            entries.append(spans[:-1])  # the last may go on
            start, size = int(spans[-1, 0]), _BLOCK
    return np.concatenate([*entries, _parted_offsets(text[start:]) + start])


def _parted_offsets(text: str) -> Offsets:
    """The words of a text that begins with one, or with white space."""
    kinds_values = _kind_codes_of(text)
    outside = np.concatenate(([True], kinds_values == _SPACE, [True]))
    runs = np.flatnonzero(outside[1:] != outside[:-1]).reshape(-1, 2)
    letters = np.flatnonzero((kinds_values == _LETTER) | (kinds_values == _ALONE_LIMIT))
    alone_value = kinds_values[letters] == _ALONE_LIMIT
    run = np.searchsorted(runs[:, 0], letters, "right")
    inside = (run[1:] == run[:-1]) & (alone_value[1:] | alone_value[:-1])  # the first of a run begins with the run
    closed = np.flatnonzero(kinds_values != _OPENING)
    begins = closed[np.searchsorted(closed, letters[1:][inside]) - 1] + 1
    starts = np.sort(np.concatenate((runs[:, 0], begins)))
    ends = runs[np.searchsorted(runs[:, 0], starts, "right") - 1, 1]
    return np.stack((starts, np.minimum(ends, np.append(starts[1:], len(text)))), axis=1)


def _kind_codes_of(text: str) -> npt.NDArray[np.uint8]:
    return _kind_table()[np.minimum(_codes(text), _END)]


def _coarse_kinds(text: str) -> npt.NDArray[np.uint8]:
    """For every character whether it is white space, and whether it may be a letter of a script without spaces."""
    if text.isascii():  # by arithmetic, several times as fast as by the table
        codes = np.frombuffer(text.encode("ascii"), np.uint8)
        return ((codes - np.uint8(9) <= 13 - 9) | (codes - np.uint8(28) <= 32 - 28)).view(np.uint8)
    table = _coarse_table()
    return table.take(np.minimum(_codes(text), np.uint32(len(table) - 1)))


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


@cache
def _coarse_table() -> npt.NDArray[np.uint8]:
    """The kinds up to U+3001, the last that of all others: U+3000 is the last white space."""
    return np.array([_SPACE if chr(code).isspace() else _coarse_kind(code) for code in range(0x3002)], np.uint8)


def _coarse_kind(code: int) -> int:
    return _PERHAPS_ALONE if words.unspaced(chr(code)) or code == 0x3001 else _OTHER


@cache
def _kind_table() -> npt.NDArray[np.uint8]:
    """The kind of each code point."""
    import regex

    all_characters = "".join(map(chr, range(_END)))
    table = np.full(_END + 1, _OTHER, np.uint8)
    for kind, pattern in (
        (_LETTER, r"[[\p{L}\p{N}]--[\uff9e\uff9f]]+"),
        (_ALONE_LIMIT, f"{words.UNSPACED}+"),
        (_OPENING, r"[\p{Ps}\p{Pi}]+"),
    ):
        for match in regex.finditer(pattern, all_characters, regex.VERSION1):
            table[match.start() : match.end()] = kind
    table[:-1][white_space(all_characters)] = _SPACE
    return table
