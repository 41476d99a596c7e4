"""The code points of a text as an array, which of its characters are beyond ASCII, and what UTF-8 can carry."""

import re
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

CodePoints = npt.NDArray[np.unsignedinteger]
Positions = npt.NDArray[np.int64]

_SURROGATE = re.compile("[\ud800-\udfff]")


def code_points(text: str) -> CodePoints:
    """The code points [characters], read-only: uint8 of ASCII, uint16 of the basic plane, otherwise uint32."""
    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) == 2 * len(text):  # no character takes two units
        return np.frombuffer(encoded, np.uint16)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def foreign_positions(codes: CodePoints) -> Positions:
    """Where the code points beyond ASCII stand."""
    return np.empty(0, np.int64) if codes.itemsize == 1 else np.flatnonzero(codes > 127)


def different_characters(codes: CodePoints) -> list[str]:
    """The different characters among code points, in the order of these."""
    if not len(codes):
        return []
    occurs = np.zeros(int(codes.max()) + 1, np.bool_)
    occurs[codes] = True
    return list(map(chr, np.flatnonzero(occurs).tolist()))


def positions_of(codes: CodePoints, is_wanted: Callable[[str], bool], positions: Positions | None = None) -> Positions:
    """Where the characters beyond ASCII stand that are wanted; each different one is asked for once.

    `positions` is where those beyond ASCII stand, for callers that have it.
    """
    places = foreign_positions(codes) if positions is None else positions
    foreign_codes = codes[places]
    wanted_characters = list(filter(is_wanted, different_characters(foreign_codes)))
    if not wanted_characters:
        return np.empty(0, np.int64)
    is_wanted_code = np.zeros(int(foreign_codes.max()) + 1, np.bool_)
    is_wanted_code[ordinals(wanted_characters)] = True
    return places[is_wanted_code.take(foreign_codes)]


def ordinals(characters: Iterable[str]) -> list[int]:
    """The code point of each."""
    return list(map(ord, characters))


def encodable(text: str) -> str:
    """`text` as UTF-8 can carry it: half a surrogate pair becomes U+FFFD, so that offsets stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
