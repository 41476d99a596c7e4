"""Where the words of many texts are, found by array operations: no Python object is made for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longdoc.words import ALONE, LETTER, MARK, OTHER, foreign
from retrievers.shared.distinct import Codes, Places, first_equal

_Kinds = npt.NDArray[np.uint8]

_ASCII = list(map(chr, range(128)))


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """The words of texts whose normal forms are joined in `text`, in order: `text[start:end]` for each.

    Those of text number i are the words `ends_of_texts[i]` to `ends_of_texts[i + 1]`.
    """

    text: str
    starts: Places
    ends: Places
    ends_of_texts: Places
    _codes: Codes

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        normal: Callable[[str], str],
        kind: Callable[[str], int],
        counts_alone: Callable[[str], bool],
    ) -> "WordPlaces":
        """The words of `texts`, which `kind` says of characters in `normal` form (`longdoc.words.kind`).

        A word of one character is taken only if `counts_alone` is true of it. A normal form must leave spaces and line
        breaks as they are, and text on other sides of them out of account.
        """
        text = normal("\n".join([one.replace("\n", " ") for one in texts]))
        codes = _codes(text)
        chars = [*_ASCII, *foreign(text)]
        kinds = _table(chars, kind).take(codes)
        lines = np.flatnonzero(codes == ord("\n")) if len(texts) > 1 else np.empty(0, np.int64)
        if codes.itemsize > 1:  # as narrow as its words allow: quotation marks alone are beyond a byte in English
            codes *= kinds != OTHER
            codes = codes.astype(np.min_scalar_type(codes.max(initial=0)))
        starts, ends = _places(kinds, codes, _table(chars, counts_alone))
        ends_of_texts = np.concatenate(([0], np.searchsorted(starts, lines), [len(starts)]))[: len(texts) + 1]
        return cls(text, starts, ends, ends_of_texts, codes)

    def numbered(self) -> tuple[Places, list[str]]:
        """The number of each word, and the different words by their numbers, in the order of their first places."""
        first = first_equal(self._codes, self.starts, self.ends)
        is_new = first == np.arange(len(first))
        return (np.cumsum(is_new) - 1)[first], self._texts(self.starts[is_new], self.ends[is_new])

    def _texts(self, starts: Places, ends: Places) -> list[str]:
        """The words at these places, cut out together: one by one takes twice as long."""
        sizes = ends - starts + 1
        stops = np.cumsum(sizes)
        places = np.arange(sizes.sum()) + np.repeat(starts - stops + sizes, sizes)
        codes = self._codes.take(places, mode="clip").astype(np.uint32)  # the last may end with the text
        codes[stops - 1] = ord(" ")
        text: str = codes.tobytes().decode("utf-32-le")
        return text.split(" ")[:-1]


def _codes(text: str) -> Codes:
    """The code points of a text."""
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)


def _table(chars: Sequence[str], kind: Callable[[str], int]) -> _Kinds:
    """The kinds of these characters, by their code points."""
    table = np.zeros(ord(max(chars)) + 1, np.uint8)
    table[list(map(ord, chars))] = list(map(kind, chars))
    return table


def _places(kinds: _Kinds, codes: Codes, counts_alone: _Kinds) -> tuple[Places, Places]:
    """Starts and ends of the words, in order; `counts_alone` is true of codes that are counted as a whole word."""
    letters = kinds == ALONE
    if (kinds == MARK).any():  # it is what it follows; at the beginning it stays a mark
        kinds = kinds[np.maximum.accumulate(np.where(kinds == MARK, 0, np.arange(len(kinds))))]
    changes = np.concatenate(([True], kinds[1:] != kinds[:-1], [True]))
    short = np.flatnonzero(changes[1:] & changes[:-1] & (kinds != OTHER))
    kinds[short] *= counts_alone.take(codes[short])
    starts, ends = _runs(kinds == LETTER)
    alone = np.flatnonzero(letters & (kinds == ALONE))
    if not len(alone):
        return starts, ends
    more_starts, more_ends = _pairs(alone, *_runs(kinds == ALONE))
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
    wanted = ~last | first
    return letters[wanted], pair_ends[wanted]
