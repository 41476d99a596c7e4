r"""What headings count with: digits, letters, Roman numerals, words ("Twenty-One", "the First"), `\thechapter`."""

import re

LETTER = 1000  # letters come after all numbers

_ONES_TEXT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
)
_ONES_TEXT += "eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_CARDINAL = {word: number for number, word in enumerate(_ONES_TEXT.split(), 1)}
_TEN = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_ORDINAL = {word: number for number, word in enumerate(_ORDINALS.split(), 1)}
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}

ROMAN = r"(?=[IVXLC])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
ORDINAL = rf"(?:{'|'.join(_ORDINAL)}|last)"
_WORDS = (
    rf"(?:{'|'.join(_TEN)})(?:[\s-](?:{'|'.join(list(_CARDINAL)[:9])})\b)?|{'|'.join(sorted(_CARDINAL, key=len)[::-1])}"
)
_SPELLED = rf"(?i:{_WORDS}|the\s+{ORDINAL})"
_MORE_TEXT = r"(?:[-–.]\d{1,3})?[a-z]?"  # 3-2, II.4, 12a
NUMERAL = rf"(?:(?:No\.|Nr\.|#)\s?)?(?:\d{{1,3}}{_MORE_TEXT}|{ROMAN}{_MORE_TEXT}|{_SPELLED}|\\the[a-z]+)"
COUNTER = rf"(?:{NUMERAL}|[A-Z])"

_ROMAN_PATTERN = re.compile(ROMAN)


def value(counter: str) -> int | None:
    """The number that a counter stands for, its first where it has two; None for a letter, or for anything else."""
    word = " ".join(counter.lower().replace("-", " ").split()).removeprefix("the ")
    if digits := re.search(r"\d+", counter):
        return int(digits[0])
    if word in _ORDINAL or word in _CARDINAL:
        return _ORDINAL.get(word) or _CARDINAL[word]
    ten, _, text = word.partition(" ")
    if ten in _TEN:
        return _TEN[ten] + _CARDINAL.get(text, 0)
    return roman(counter)


def roman(counter: str) -> int | None:
    """The value of a Roman numeral in capitals; None for anything else."""
    if not _ROMAN_PATTERN.fullmatch(counter):
        return None
    values = [_VALUES[char] for char in counter]
    return sum(-number if number < after else number for number, after in zip(values, [*values[1:], 0], strict=True))
