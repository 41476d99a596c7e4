"""The characters of a text: as an array of code points, and in the forms in which texts are compared.

Those forms are NFKC in lower case, without characters that are not displayed. NFKC is Unicode Standard Annex 15's. Most
characters beyond ASCII are their own NFKC whatever stands beside them: curly quotation marks, dashes, letters with
accents. Of a long text only the others are normalized, in runs, each with the character before it, which a mark may
join (section 9 of the annex: no character of "Quick Check: Yes" with combining class 0 depends on what is before it).
So the time goes by how much of this kind there is, not by the text's length.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    CodePoints = npt.NDArray[np.unsignedinteger]
    Positions = npt.NDArray[np.int64]

_SURROGATE = re.compile("[\ud800-\udfff]")


def code_points(text: str) -> "CodePoints":
    """The code points [characters], read-only: uint8 of ASCII, uint16 of the basic plane, otherwise uint32."""
    import numpy as np

    if text.isascii():
        return np.frombuffer(text.encode(), np.uint8)
    encoded = text.encode("utf-16-le", "surrogatepass")
    if len(encoded) == 2 * len(text):  # no character takes two units
        return np.frombuffer(encoded, np.uint16)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def foreign_positions(codes: "CodePoints") -> "Positions":
    """The positions of code points beyond ASCII."""
    import numpy as np

    return np.empty(0, np.int64) if codes.itemsize == 1 else np.flatnonzero(codes > 127)


def different_characters(codes: "CodePoints") -> list[str]:
    """The different characters among code points, in the order of their code points."""
    import numpy as np

    if not len(codes):
        return []
    occurs = np.zeros(int(codes.max()) + 1, np.bool_)
    occurs[codes] = True
    return list(map(chr, np.flatnonzero(occurs).tolist()))


def positions_of(
    codes: "CodePoints", is_wanted: Callable[[str], bool], positions: "Positions | None" = None
) -> "Positions":
    """The positions of characters beyond ASCII that are wanted; `is_wanted` is called once for each different one.

    `positions` are the `foreign_positions`, for callers that have them.
    """
    import numpy as np

    places = foreign_positions(codes) if positions is None else positions
    foreign_codes = codes[places]
    wanted_characters = list(filter(is_wanted, different_characters(foreign_codes)))
    if not wanted_characters:
        return np.empty(0, np.int64)
    is_wanted_code = np.zeros(int(foreign_codes.max()) + 1, np.bool_)
    is_wanted_code[ordinals(wanted_characters)] = True
    return places[is_wanted_code.take(foreign_codes)]


def ordinals(characters: Iterable[str]) -> list[int]:
    """The code point of each character."""
    return list(map(ord, characters))


def encodable(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD; offsets stay."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


_FOREIGN_RUN = re.compile(r"[^\x00-\x7f]+")
_SHORT = 2_000  # characters of a text up to which arrays are not faster
_WHOLE_SHARE = 16  # if one character in so many must be normalized, normalizing the whole text is as fast
# Letters that join the one before them: vowels and final consonants of Hangul, vowel signs of Kirat Rai. All others
# that do so are marks.
_JOINING_LETTERS = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3), *range(0x16D63, 0x16D6B))))
# Points over and under letters, and the stroke that makes an Arabic word longer (tatweel). Not the madda and the hamza,
# which make another letter of the one that they stand on.
_POINTS = re.compile(
    "["
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e"  # Hebrew: niqqud, cantillation
    "\u0640\u064b-\u0652\u0656-\u065e\u0670"  # Arabic: tatweel, harakat, the alef above
    "\u0610-\u061a\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # the Quran's
    "\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff"
    "\u0711\u0730-\u074a"  # Syriac
    "]+"
)


def normal_form(text: str) -> str:
    """The text in NFKC and lower case, without characters that are not displayed; its length may differ."""
    return compatible_form(text).lower()


def ranking_form(text: str) -> str:
    """The normal form without the points of Arabic, Hebrew and Syriac, and without tatweel."""
    return without_points(normal_form(text))


def compatible_form(text: str) -> str:
    """The text in NFKC, without characters that are not displayed."""
    return _composed(text, _nfkc)


def compatible_form_without_points(text: str) -> str:
    """`without_points` of `compatible_form`, for long texts in one pass."""
    return _composed(text, lambda text: without_points(_nfkc(text)))


def without_points(text: str) -> str:
    """A text without the points of Arabic, Hebrew and Syriac, and without tatweel."""
    return _POINTS.sub("", text) if any(map(_is_point, foreign_characters(text))) else text


def foreign_characters(text: str) -> set[str]:
    """The different characters beyond ASCII."""
    if text.isascii():
        return set()
    if len(text) <= _SHORT:
        return set().union(*_FOREIGN_RUN.findall(text))
    codes = code_points(text)
    return set(different_characters(codes[foreign_positions(codes)]))


def _nfkc(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _composed(text: str, form: Callable[[str], str]) -> str:
    """A text without characters that are not displayed, in a `form` such as NFKC."""
    if text.isascii():
        return text
    if len(text) > _SHORT:
        return _with_composed_runs(text, form)
    if any(map(_is_ignorable, foreign_characters(text))):
        text = "".join(char for char in text if not _is_ignorable(char))
    return form(text)


def _with_composed_runs(text: str, form: Callable[[str], str]) -> str:
    """`_composed` for a long text, of which only characters that may change are read."""
    codes = code_points(text)
    positions = foreign_positions(codes)
    if len(places := positions_of(codes, _is_ignorable, positions)):
        text = _rewritten(text, *_runs(places), lambda run: "")
        codes = code_points(text)
        positions = foreign_positions(codes)
    places = positions_of(codes, _may_change, positions)
    if not len(places):
        return text
    starts, ends = _runs(places)
    if len(starts) * _WHOLE_SHARE > len(text):
        return form(text)
    starts -= starts > 0  # with the character before, where there is one
    return _rewritten(text, starts, ends, cache(form))


def _runs(places: "Positions") -> tuple["Positions", "Positions"]:
    """Starts and ends of the runs of neighbouring positions, which are sorted."""
    import numpy as np

    breaks = np.flatnonzero(np.diff(places) > 1)
    return places[np.append(0, breaks + 1)], places[np.append(breaks, len(places) - 1)] + 1


def _rewritten(text: str, starts: "Positions", ends: "Positions", form: Callable[[str], str]) -> str:
    """The text with each run replaced by its form."""
    pieces, previous = list[str](), 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        pieces += text[previous:start], form(text[start:end])
        previous = end
    return "".join([*pieces, text[previous:]])


@cache
def _may_change(char: str) -> bool:
    """Whether a form may change the character, or join or swap it with the one before it."""
    return (
        char in _JOINING_LETTERS
        or _is_point(char)
        or unicodedata.category(char).startswith("M")
        or unicodedata.normalize("NFKC", char) != char
    )


@cache
def _is_point(char: str) -> bool:
    return _POINTS.match(char) is not None


@cache
def _is_ignorable(char: str) -> bool:
    return _ignorable_pattern().match(char) is not None


@cache
def _ignorable_pattern() -> Any:
    import regex

    return regex.compile(r"\p{Default_Ignorable_Code_Point}", regex.VERSION1)
