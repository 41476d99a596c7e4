"""Random texts that are hard to split: characters of every Unicode plane, and what software gets wrong in each.

A text is made of stretches, each of one kind: prose, one plane, a script without spaces, combining marks, emoji
sequences, directions, line ends, control characters, lone surrogates, a very long word, a repeated passage.
"""

import random
from collections.abc import Callable, Sequence

PROSE = (
    "The ship sailed at dawn, said Dr. Ortega. “Where is Anna?” she asked; nobody knew (not even 3.14 of them). "
    "In 1871 the storm began. Une île apparut. Ein Schiff fuhr über das Meer. Корабль плыл. "
)
HEADS = ("# Head\n", "Chapter 2\n\n", "1.2 Methods\n\n", "Anna: ", "[12:01] Tom: ", "Review 1: ", "\\section{A}\n")
UNSPACED = (
    "船は海を渡った。「はい」と言った、", "ปลาวาฬเป็นสัตว์ อยู่ในทะเล ", "ປາວານ ", "ភាសាខ្មែរ។", "မြန်မာစာ။", "བོད་ཡིག།",
)  # fmt: skip
EMOJI = (*"😀☠", "👩\u200d👩\u200d👧\u200d👦", "🇫🇷", "👍🏽", "1\ufe0f\u20e3", "🏴\U000e0067\U000e0062\U000e007f")
DIRECTIONS = ("שלום עליך. ", "مرحبا؟ ", "\u202e", "\u202c", "\u2066", "\u2069", "\u200f", "\u061c", "abc ")
ENDS = ("\n", "\r\n", "\r", "\n\n", "\x85", "\u2028", "\u2029", "\v", "\f", "\n \n", "\n\t\n\n")
CONTROLS = (*"\x00\x07\x1c\x1d\x1e\x1f\ufeff\u200b\u2060\u00ad\u180e", "\x1b[31m")
SPACES = (" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\u202f", "\u1680", "\u205f")
PUNCTUATION = (*".…“”\"'«»()。、？॥۔—`=#", "...", "!?")


def plane(draw: random.Random) -> str:
    """A few neighbouring code points of a plane, without surrogates."""
    start = draw.choice((0, 0, 0, 1, 1, 2, 3, 14, 15, 16, draw.randrange(17))) * 0x10000 + draw.randrange(0xFF00)
    codes = (start + draw.randrange(0x80) for _ in range(draw.randint(1, 12)))
    return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)


def marks(draw: random.Random) -> str:
    """A letter with combining marks, or marks alone."""
    letter = draw.choice(("e", "a", "", " ", "ก", "क", "\u1112\u1161"))
    return letter + "".join(chr(draw.randrange(0x300, 0x370)) for _ in range(draw.choice((1, 2, 30))))


def long_word(draw: random.Random) -> str:
    """A word of 50 or more characters."""
    return draw.choice(("a", "Anna.", "x_1", "é", "船", "👩", "=", "0")) * draw.choice((50, 300, 2000))


def words(draw: random.Random) -> str:
    """A stretch of prose that may begin and end within a word."""
    start = draw.randrange(len(PROSE))
    return (PROSE[start:] + PROSE)[: draw.randint(1, 150)]


def a_few_of(pieces: Sequence[str]) -> Callable[[random.Random], str]:
    """A function that draws a few of the pieces, in any order."""
    return lambda draw: "".join(draw.choices(pieces, k=draw.randint(1, 6)))


KINDS: tuple[Callable[[random.Random], str], ...] = (
    *(words,) * 6, plane, plane, marks, a_few_of(HEADS), a_few_of(UNSPACED), a_few_of(EMOJI), a_few_of(DIRECTIONS),
    a_few_of(ENDS), a_few_of(ENDS), a_few_of(CONTROLS), a_few_of(SPACES), a_few_of(SPACES), a_few_of(PUNCTUATION),
)  # fmt: skip
SURROGATES = a_few_of(("\ud800", "\udc00", "\udfff", "\ud83d ", "a\udbff."))


def random_text(seed: object, length: int, surrogates: bool = True) -> str:
    """A text of `length` characters, the same for the same seed. `surrogates`: with lone surrogates, too."""
    draw = random.Random(f"text {seed}")
    kinds = (*KINDS, SURROGATES) if surrogates else KINDS
    parts: list[str] = []
    total = 0
    while total < length:
        if parts and draw.random() < 0.1:  # repeat an earlier passage
            at = draw.randrange(len(parts))
            part = "".join(parts[at : at + draw.randint(1, 8)])[:1000]
        elif draw.random() < 0.004:
            part = long_word(draw)
        else:
            part = draw.choice(kinds)(draw)
        parts.append(part)
        total += len(part)
    return "".join(parts)[:length]
